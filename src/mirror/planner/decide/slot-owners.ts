import type { PlanDraft } from "./plan-draft.ts";
import { pathOn, type Place, type Row, type Side, wantAt } from "../match/row.ts";
import { type Foldings, foldingsOf, SlotMap, slotKey } from "../match/slots.ts";

/**
 * Owner of a slot if nothing more is decided: a row; something that is not synced (`foreign`); a
 * document without a row (`unjudged`).
 */
export type Owner = Row | "foreign" | "unjudged";

/** Assigns slots to rows, while names are given. */
export class SlotOwners {
  readonly #foldings: Foldings;
  readonly #taken: Readonly<Record<Side, SlotMap<Row>>>;
  /** Rows by their present slots; collected on first use. */
  readonly #standing: Record<Side, SlotMap<Row> | null> = { local: null, remote: null };
  readonly #draft: PlanDraft;
  readonly #rows: readonly Row[];

  constructor(draft: PlanDraft, rows: readonly Row[]) {
    this.#foldings = foldingsOf(draft.trees, draft.policy);
    this.#taken = { local: new SlotMap(this.#foldings.local), remote: new SlotMap(this.#foldings.remote) };
    this.#draft = draft;
    this.#rows = rows;
  }

  /** Returns true if a side treats two places as one. */
  isSameSlot(side: Side, a: Place, b: Place): boolean {
    return slotKey(a, this.#foldings[side]) === slotKey(b, this.#foldings[side]);
  }

  has(side: Side, row: Row): boolean {
    return this.#taken[side].get(row[side].goal!) === row;
  }

  /** Gives a row a slot, and makes it the row's goal. */
  take(side: Side, row: Row, place: Place): void {
    wantAt(row, side, place);
    this.#taken[side].set(place, row);
  }

  /** Gives a row another slot in place of its present one. */
  retake(side: Side, row: Row, place: Place): void {
    const goal = row[side].goal;
    if (goal !== null && this.#taken[side].get(goal) === row) this.#taken[side].delete(goal);
    this.take(side, row, place);
  }

  /** Returns null for nobody, or the row that asks. */
  ownerOf(side: Side, place: Place, asking: Row): Owner | null {
    const owner = this.#taken[side].get(place);
    if (owner !== undefined) return owner === asking ? null : owner;
    const now = this.#draft.occupancy.at(side, place);
    if (now.kind === "free") return side === "local" && this.#wantArrival(place) ? "unjudged" : null;
    if (now.kind === "foreign") return "foreign";
    // Something is there now. If it has a row, that row leaves; without a row it stays.
    if (this.#rowsNow(side).get(place) !== undefined) return null;
    this.#want(side, now.path);
    return "unjudged";
  }

  /** Asks for a plan that judges the document at a path. */
  #want(side: Side, path: string): void {
    const { trees, wanted, arrivals } = this.#draft;
    for (const link of trees.base.links.values()) if (pathOn(link, side) === path) wanted.add(link.id);
    for (const { file } of arrivals.all) if (side === "remote" && file.path === path) wanted.add(file.id);
  }

  /** The same for a document that will be made at a place. Returns true if there is one. */
  #wantArrival(place: Place): boolean {
    const id = this.#draft.arrivals.at(place);
    if (id !== undefined) this.#draft.wanted.add(id);
    return id !== undefined;
  }

  #rowsNow(side: Side): SlotMap<Row> {
    const known = this.#standing[side];
    if (known !== null) return known;
    const index = new SlotMap<Row>(this.#foldings[side]);
    for (const row of this.#rows) if (row[side].now !== null) index.set(row[side].now, row);
    this.#standing[side] = index;
    return index;
  }
}
