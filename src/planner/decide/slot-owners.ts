import type { PlanDraft } from "./plan-draft.ts";
import { type Place, type Row, type Side, SIDES, wantAt } from "../match/row.ts";
import { type Foldings, foldingsOf, type Occupancy, SlotMap, slotKey } from "./slots.ts";

/**
 * Who will have a slot if nothing more is decided: a row; something that is not mirrored
 * (`foreign`); a document of the service without a row (`quiet`).
 */
export type Owner = Row | "foreign" | "quiet";

/** Which row gets which slot, while names are given. */
export class SlotOwners {
  readonly #foldings: Foldings;
  readonly #taken: Readonly<Record<Side, SlotMap<Row>>>;
  /** Rows by the slots that they have now; collected when first needed. */
  readonly #standing: Record<Side, SlotMap<Row> | null> = { local: null, remote: null };
  readonly #occupancy: Occupancy;
  readonly #rows: readonly Row[];
  readonly #includeQuiet: (path: string) => Row | null;

  constructor(
    { trees, policy }: PlanDraft,
    occupancy: Occupancy,
    rows: readonly Row[],
    includeQuiet: (path: string) => Row | null,
  ) {
    this.#foldings = foldingsOf(trees, policy);
    this.#taken = { local: new SlotMap(this.#foldings.local), remote: new SlotMap(this.#foldings.remote) };
    this.#occupancy = occupancy;
    this.#rows = rows;
    this.#includeQuiet = includeQuiet;
  }

  /** Whether a side takes two places for one. */
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

  /** Gives a row another slot in place of the one that it had. */
  retake(side: Side, row: Row, place: Place): void {
    const goal = row[side].goal;
    if (goal !== null && this.#taken[side].get(goal) === row) this.#taken[side].delete(goal);
    this.take(side, row, place);
  }

  /** null: nobody, or the row that asks. */
  ownerOf(side: Side, place: Place, asking: Row): Owner | null {
    const owner = this.#taken[side].get(place);
    if (owner !== undefined) return owner === asking ? null : owner;
    const now = this.#occupancy.at(side, place);
    if (now.kind === "free") return null;
    if (now.kind === "foreign") return "foreign";
    // Something is there now. If it has a row, that row leaves; without a row it stays.
    if (this.#rowsNow(side).get(place) !== undefined) return null;
    return (side === "local" ? this.#include(now.path) : null) ?? "quiet";
  }

  /** Makes a row for a document that had none, and gives it the slots that it has now. */
  #include(path: string): Row | null {
    const included = this.#includeQuiet(path);
    if (included === null) return null;
    for (const side of SIDES) this.#rowsNow(side).set(included[side].now!, included);
    for (const side of SIDES) if (included[side].now !== null) this.take(side, included, included[side].now);
    return included;
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
