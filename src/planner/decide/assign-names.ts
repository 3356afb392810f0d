import { mapName } from "../../contract/names.ts";
import type { HoldReason } from "../../model/hold.ts";
import { hashedName, isTemporaryName, lastingName, localNameFor, numberedName } from "../../model/local-name.ts";
import type { Row, Place, Side } from "../match/row.ts";
import { nameOf } from "../../model/path.ts";
import type { PlanDraft } from "./plan-draft.ts";
import { lastingNames } from "./left-over.ts";
import { idOf, samePlace } from "./places.ts";
import { type Foldings, foldingsOf, type Occupancy, SlotMap, slotKey } from "./slots.ts";

/** Where each row was wanted before it was held. */
export type Wishes = ReadonlyMap<Row, { readonly local: Place | null; readonly remote: Place | null }>;

/** One that must be held for the others to come out. */
export type Barred = { readonly row: Row; readonly reason: HoldReason; readonly detail: string };

/** LIMIT: numbers tried for a name before it is held. */
const MAX_NUMBER = 99;

export function isMoving(row: Row, side: Side): boolean {
  return row[side].goal !== null && !samePlace(row[side].goal, row[side].now);
}

/** One try to give every slot one owner. */
export class NameAssignment {
  readonly #foldings: Foldings;
  readonly #taken: Readonly<Record<Side, SlotMap<Row>>>;
  /** Kept apart until the round comes out: one that does not leaves no trace. */
  readonly #whys = new Map<Row, string>();
  readonly #numbered = new Map<Row, string>();
  readonly #draft: PlanDraft;
  readonly #slots: Occupancy;
  readonly #rows: readonly Row[];
  readonly #includeQuiet: (path: string) => Row | null;
  readonly #heldInPlace: ReadonlySet<Row>;
  readonly #wishes: Wishes;

  constructor(
    draft: PlanDraft,
    slots: Occupancy,
    rows: readonly Row[],
    includeQuiet: (path: string) => Row | null,
    heldInPlace: ReadonlySet<Row>,
    wishes: Wishes,
  ) {
    this.#foldings = foldingsOf(draft.trees, draft.policy);
    this.#taken = { local: new SlotMap(this.#foldings.local), remote: new SlotMap(this.#foldings.remote) };
    this.#draft = draft;
    this.#slots = slots;
    this.#rows = rows;
    this.#includeQuiet = includeQuiet;
    this.#heldInPlace = heldInPlace;
    this.#wishes = wishes;
  }

  /**
   * @returns those that must be held for this to come out; none when every slot has one owner,
   * which then stands.
   */
  run(): readonly Barred[] {
    for (const side of ["local", "remote"] as const)
      for (const row of this.#rows)
        if (row[side].goal !== null && !isMoving(row, side)) this.#take(side, row, row[side].goal);
    const barred = new Map<Row, Barred>();
    const claim = (side: Side, row: Row): void => {
      if (!isMoving(row, side) || barred.has(row)) return;
      if (this.#taken[side].get(row[side].goal!) === row) return;
      const bar = side === "local" ? this.#claimLocal(row) : this.#claimRemote(row);
      if (bar !== null) barred.set(row, bar);
    };
    // ORDER: the service's rows first; a local one that stands in the way then gets its number, on
    // both sides.
    for (const row of this.#rows) claim("local", row);
    // A name that is legal as it is goes before one that is only mapped to it.
    const isMapped = ({ local, remote }: Row): boolean => local.goal !== null && local.goal.name !== remote.goal?.name;
    for (const row of this.#rows) if (!isMapped(row)) claim("remote", row);
    for (const row of this.#rows) claim("remote", row);
    if (barred.size > 0) return [...barred.values()];
    for (const side of ["local", "remote"] as const) for (const row of this.#rows) this.#nameAnew(side, row);
    for (const [row, why] of this.#whys) this.#draft.whys.set(row, why);
    for (const [row, name] of this.#numbered) this.#draft.gaveWay.set(row, name);
    return [];
  }

  #key(side: Side, place: Place): string {
    return slotKey(place, this.#foldings[side]);
  }

  #take(side: Side, row: Row, place: Place): void {
    row[side].goal = place;
    this.#taken[side].set(place, row);
  }

  /** Who will have a slot if nothing more is decided: a row, something without one, or nobody. */
  #owner(side: Side, place: Place, asking: Row): Row | "foreign" | "quiet" | null {
    const owner = this.#taken[side].get(place);
    if (owner !== undefined) return owner === asking ? null : owner;
    const now = this.#slots(side, place);
    if (now.kind === "free") return null;
    if (now.kind === "foreign") return "foreign";
    // Something stands there now. If it has a row that leaves, the slot becomes free; without a
    // row it stays.
    for (const row of this.#leavers(side).get(place) ?? []) if (row !== null) return null;
    if (side === "local") {
      const included = this.#includeQuiet(now.path);
      if (included !== null) {
        for (const one of ["local", "remote"] as const) this.#leavers(one).set(included[one].now!, [included]);
        this.#take("local", included, included.local.now!);
        if (included.remote.now !== null) this.#take("remote", included, included.remote.now);
        return included;
      }
    }
    return "quiet";
  }

  #leaversOf: Record<Side, SlotMap<Row[]> | null> = { local: null, remote: null };

  #leavers(side: Side): SlotMap<Row[]> {
    const known = this.#leaversOf[side];
    if (known !== null) return known;
    const index = new SlotMap<Row[]>(this.#foldings[side]);
    for (const row of this.#rows) if (row[side].now !== null) index.set(row[side].now, [row]);
    this.#leaversOf[side] = index;
    return index;
  }

  #claimLocal(row: Row): Barred | null {
    const place = row.local.goal!;
    const owner = this.#owner("local", place, row);
    if (owner === null) {
      this.#take("local", row, place);
      return null;
    }
    if (owner === "foreign") return bar(row, "path-taken", `something that is not mirrored is at ${place.name}`);
    if (owner !== "quiet" && owner.kind !== row.kind)
      return bar(row, "type-clash", `a ${owner.kind} is at ${place.name} here`);
    if (owner !== "quiet" && !this.#heldInPlace.has(owner) && this.#giveWay(owner)) {
      if (this.#owner("local", place, row) !== null)
        return bar(row, "path-taken", `${place.name} is taken here until what is there has another name`);
      this.#take("local", row, place);
      return null;
    }
    if (owner !== "quiet" && this.#isLeaving(owner))
      return bar(row, "path-taken", `${place.name} is taken here until what is there has moved`);
    const hashed = { parent: place.parent, name: hashedName(place.name, kindOf(row), idOf(row)) };
    if (this.#owner("local", hashed, row) !== null) return bar(row, "path-taken", `${place.name} is taken here`);
    this.#take("local", row, hashed);
    return null;
  }

  /** Whether a row is wanted elsewhere and only held where it is. */
  #isLeaving(owner: Row): boolean {
    const wish = this.#wishes.get(owner);
    return this.#heldInPlace.has(owner) && wish !== undefined && !samePlace(wish.local, owner.local.now);
  }

  /**
   * A local one makes room for the service's row. Only one whose place comes from here, or whose
   * name here is not its own, does.
   */
  #giveWay(owner: Row): boolean {
    if (isMoving(owner, "remote")) return this.#number(owner);
    if (isMoving(owner, "local") || owner.local.now === null || owner.remote.goal === null) return false;
    const own = localNameFor(owner.remote.goal.name, kindOf(owner), idOf(owner));
    const mapped = mapName(owner.local.now.name, kindOf(owner), this.#draft.policy.refusedCharacters);
    if (owner.local.now.name === own || mapped === owner.remote.goal.name || owner.link === null) return false;
    const place = { parent: owner.local.now.parent, name: own };
    if (this.#owner("local", place, owner) !== null) return false;
    this.#free("local", owner);
    this.#take("local", owner, place);
    this.#whys.set(owner, "its name here is another's on the service");
    return true;
  }

  /**
   * `name-2.md`: on both sides where it is linked; what is not linked yet gets it on the service
   * now and here in the next pass.
   */
  #number(row: Row): boolean {
    const here = row.local.goal ?? row.local.now;
    const there = row.remote.goal;
    if (here === null || there === null) return false;
    const linked = row.link !== null && row.remote.now !== null;
    for (let number = 2; number <= MAX_NUMBER; number++) {
      const local = { parent: here.parent, name: numberedName(lastingName(here.name), kindOf(row), number) };
      const mapped = mapName(local.name, kindOf(row), this.#draft.policy.refusedCharacters);
      if (mapped === null) return false;
      const remote = { parent: there.parent, name: mapped };
      if (this.#owner("local", local, row) !== null || this.#owner("remote", remote, row) !== null) continue;
      if (linked) {
        this.#free("local", row);
        this.#take("local", row, local);
      }
      this.#free("remote", row);
      this.#take("remote", row, remote);
      this.#whys.set(row, `${here.name} is another's on the service`);
      this.#numbered.set(row, local.name);
      return true;
    }
    return false;
  }

  /** ORDER: after all claims, so that what is taken back stands in nobody's way. */
  #nameAnew(side: Side, row: Row): void {
    for (const name of lastingNames(this.#draft, row, side)) {
      const place = { parent: row[side].goal!.parent, name };
      if (this.#owner(side, place, row) !== null) continue;
      this.#free(side, row);
      this.#take(side, row, place);
      return;
    }
  }

  #free(side: Side, row: Row): void {
    const goal = row[side].goal;
    if (goal === null) return;
    if (this.#taken[side].get(goal) === row) this.#taken[side].delete(goal);
  }

  #claimRemote(row: Row): Barred | null {
    const place = row.remote.goal!;
    const owner = this.#owner("remote", place, row);
    if (owner === null) {
      this.#take("remote", row, place);
      return null;
    }
    const here = row.local.goal;
    const wanted = owner === "quiet" || owner === "foreign" ? null : (this.#wishes.get(owner)?.local ?? null);
    const wantsMine = wanted !== null && here !== null && this.#key("local", wanted) === this.#key("local", here);
    // A new file at a temporary name has no better claim to the name that it was made of.
    const isNamed = here === null || !isTemporaryName(here.name);
    if ((wantsMine || !isNamed) && this.#number(row)) return null;
    if (owner !== "quiet" && owner !== "foreign" && owner.local.now === null && owner.local.goal === null)
      return bar(row, "path-taken", `${place.name} on the service is another's that is held`);
    return bar(row, "name-clash", this.#tellClash(row, place, owner));
  }

  /** What has the name that a row wants, by its path here where it has one. */
  #tellClash(row: Row, place: Place, owner: Row | "foreign" | "quiet"): string {
    const slot = this.#slots("remote", place);
    const theirs = owner === "foreign" || owner === "quiet" ? null : (owner.remote.goal ?? place).name;
    const name = theirs ?? (slot.kind === "free" ? place.name : nameOf(slot.path));
    const other = typeof owner === "string" ? null : owner.local.now;
    const here = other === null || other.name === name ? "" : `, here ${JSON.stringify(other.name)}`;
    if (name === place.name) return `the service has another ${name} there${here}`;
    const mine = row.local.now?.name ?? place.name;
    return `the service takes ${JSON.stringify(mine)} and ${JSON.stringify(name)} for one name, and has the latter${here}`;
  }
}

function bar(row: Row, reason: HoldReason, detail: string): Barred {
  return { row, reason, detail };
}

function kindOf(row: Row): "file" | "folder" {
  return row.kind === "document" ? "file" : "folder";
}
