import { BLOCK_REASONS, type BlockReason } from "../../model/block.ts";
import {
  hashedName,
  isTemporaryName,
  lastingName,
  localNameFor,
  numberedName,
  remoteNameFor,
} from "../../model/local-name.ts";
import { isNamePair } from "../../model/name-pair.ts";
import {
  idOf,
  isMoving,
  nameKindOf,
  pathOn,
  type Place,
  type Row,
  samePlace,
  type Side,
  SIDES,
  setGoal,
} from "../match/row.ts";
import { nameOf } from "../../../contract/path.ts";
import { NOTHING_LEFT_OUT } from "../../model/left-out.ts";
import { includeArrivalAt, type PlanDraft } from "./plan-draft.ts";
import { lastingNames } from "./left-over.ts";
import { slotKey, SlotMap } from "../match/slots.ts";

export type WantedPlaces = Readonly<Record<Side, Place | null>>;

/** For each document or folder, the places that it should have if nothing blocks it. */
export type Wishes = ReadonlyMap<Row, WantedPlaces>;

/** A row that must be blocked so that the other rows can have their places. */
export type RowToBlock = { readonly row: Row; readonly reason: BlockReason; readonly detail: string };

/** LIMIT: numbers that are tried for a name before the row is blocked, so that the search ends. */
const MAX_NUMBER = 99;

/** One attempt to give each slot (a name in a folder) one owner. */
export class NameAssignment {
  readonly #owners: SlotOwners;
  readonly #blockedRows = new Map<Row, RowToBlock>();
  /**
   * Reasons for moves, copied to the draft only when every row has a slot, so that a failed attempt
   * changes nothing in the draft.
   */
  readonly #moveReasons = new Map<Row, string>();
  readonly #renamedForOthers = new Map<Row, string>();
  readonly #draft: PlanDraft;
  readonly #rows: readonly Row[];
  readonly #keptInPlace: ReadonlySet<Row>;
  readonly #wishes: Wishes;
  readonly #maxNameBytes: number;

  constructor(draft: PlanDraft, rows: readonly Row[], keptInPlace: ReadonlySet<Row>, wishes: Wishes) {
    this.#owners = new SlotOwners(draft, rows);
    this.#draft = draft;
    this.#rows = rows;
    this.#keptInPlace = keptInPlace;
    this.#wishes = wishes;
    this.#maxNameBytes = draft.trees.local.disk.maxNameBytes;
  }

  /**
   * Returns the rows that must be blocked before another attempt; empty if every slot has one
   * owner. If the list is empty, the owners of this attempt are final.
   */
  run(): readonly RowToBlock[] {
    this.#takeKeptSlots();
    // ORDER: first the local names of documents that come from the service. If a local document
    // wants the same name, its own name gets a number, on both sides.
    for (const row of this.#rows) this.#claim("local", row);
    // A name that is already legal takes precedence over a name that is only mapped to it.
    for (const row of this.#rows) if (!isMapped(row)) this.#claim("remote", row);
    for (const row of this.#rows) this.#claim("remote", row);
    if (this.#blockedRows.size > 0) return [...this.#blockedRows.values()];
    // ORDER: this comes last, when each row has a name. Only then is it known which rows can have
    // their original names.
    for (const side of SIDES) for (const row of this.#rows) this.#restoreLastingName(side, row);
    for (const [row, why] of this.#moveReasons) this.#draft.moveReasons.set(row, why);
    for (const [row, name] of this.#renamedForOthers) this.#draft.renamedForOthers.set(row, name);
    return [];
  }

  #takeKeptSlots(): void {
    for (const side of SIDES)
      for (const row of this.#rows) {
        const { goal } = row[side];
        if (goal !== null && !isMoving(row, side)) this.#owners.take(side, row, goal);
      }
  }

  #claim(side: Side, row: Row): void {
    if (!isMoving(row, side) || this.#blockedRows.has(row) || this.#owners.hasSlot(side, row)) return;
    const rowToBlock =
      this.#blockOfFolder(side, row) ?? (side === "local" ? this.#claimLocal(row) : this.#claimRemote(row));
    if (rowToBlock !== null) this.#blockedRows.set(row, rowToBlock);
  }

  /**
   * Returns the block of a row whose planned place is in a folder that is missing and that this
   * plan does not create; null for any other row.
   */
  #blockOfFolder(side: Side, row: Row): RowToBlock | null {
    const { parent } = row[side].goal!;
    const isMissing = parent !== this.#draft.forest.root && parent[side].goal === null;
    return isMissing ? bar(row, "folder-blocked", "its folder is blocked") : null;
  }

  #claimLocal(row: Row): RowToBlock | null {
    const place = row.local.goal!;
    const owner = this.#owners.ownerOf("local", place, row);
    if (owner === "foreign") return bar(row, "path-taken", `something that is not synced is at ${place.name}`);
    if (owner === "unjudged") return this.#takeHashedName(row, place);
    if (owner !== null) return this.#resolveClash(row, place, owner);
    this.#owners.take("local", row, place);
    return null;
  }

  /**
   * Resolves a name clash: two rows want one local place, and either the owner or this row gets
   * another name.
   */
  #resolveClash(row: Row, place: Place, owner: Row): RowToBlock | null {
    if (owner.kind !== row.kind) return bar(row, "type-clash", `a ${owner.kind} has the local name ${place.name}`);
    if (!this.#keptInPlace.has(owner) && this.#renameOwner(owner)) {
      if (this.#owners.ownerOf("local", place, row) !== null)
        return bar(
          row,
          "path-taken",
          `${place.name} is taken locally until the document at this path has another name`,
        );
      this.#owners.take("local", row, place);
      return null;
    }
    if (this.#isLeaving(owner))
      return bar(row, "path-taken", `${place.name} is taken locally until the document at this path has moved`);
    return this.#takeHashedName(row, place);
  }

  /**
   * Gives a row a name with digits of its id, because another row has the name that fits its name
   * on the other side.
   */
  #takeHashedName(row: Row, place: Place): RowToBlock | null {
    const name = hashedName(place.name, nameKindOf(row), idOf(row), this.#maxNameBytes);
    const hashed = { parent: place.parent, name };
    if (this.#owners.ownerOf("local", hashed, row) !== null)
      return bar(row, "path-taken", `the local name ${place.name} is taken`);
    this.#owners.take("local", row, hashed);
    return null;
  }

  /**
   * Returns true if a row is wanted at another place, and stays at its current place only because
   * it is blocked.
   */
  #isLeaving(owner: Row): boolean {
    const wish = this.#wishes.get(owner);
    return this.#keptInPlace.has(owner) && wish !== undefined && !samePlace(wish.local, owner.local.now);
  }

  /**
   * Gives the owner of a name another local name, because a document of the service needs that
   * name. Returns true if the owner has a new name. That is possible only if the owner moves on the
   * service, or its two names do not correspond.
   */
  #renameOwner(owner: Row): boolean {
    if (isMoving(owner, "remote")) return this.#addNumber(owner);
    const current = owner.local.now;
    if (current === null || isMoving(owner, "local")) return false;
    const own = this.#serviceNameOf(owner, current.name);
    if (own === null) return false;
    const place = { parent: current.parent, name: own };
    if (this.#owners.ownerOf("local", place, owner) !== null) return false;
    this.#owners.replaceSlot("local", owner, place);
    this.#moveReasons.set(owner, "another document has its local name on the service");
    this.#renamedForOthers.set(owner, own);
    return true;
  }

  /**
   * Returns the name of a recorded row on the service, if its local name is unrelated to that name.
   */
  #serviceNameOf(row: Row, localName: string): string | null {
    const remoteName = row.remote.goal?.name;
    if (
      row.record === null ||
      remoteName === undefined ||
      isNamePair(localName, remoteName, nameKindOf(row), idOf(row))
    )
      return null;
    return localNameFor(remoteName, nameKindOf(row), idOf(row), this.#maxNameBytes);
  }

  /**
   * Gives a row the name `name-2.md`: on both sides if both sides have the row; otherwise on the
   * service in this cycle, and locally in the next one.
   */
  #addNumber(row: Row): boolean {
    const localPlace = row.local.goal ?? row.local.now;
    const remotePlace = row.remote.goal;
    if (localPlace === null || remotePlace === null) return false;
    const isOnBothSides = row.record !== null && row.remote.now !== null;
    for (let number = 2; number <= MAX_NUMBER; number++) {
      const name = numberedName(lastingName(localPlace.name), nameKindOf(row), number, this.#maxNameBytes);
      const local = { parent: localPlace.parent, name };
      const mapped = remoteNameFor(name, nameKindOf(row), this.#draft.policy.refusedCharacters);
      if (mapped === null) return false;
      const remote = { parent: remotePlace.parent, name: mapped };
      if (this.#owners.ownerOf("local", local, row) !== null) continue;
      if (this.#owners.ownerOf("remote", remote, row) !== null) continue;
      if (isOnBothSides) this.#owners.replaceSlot("local", row, local);
      this.#owners.replaceSlot("remote", row, remote);
      this.#moveReasons.set(row, `another document has the name ${localPlace.name} on the service`);
      this.#renamedForOthers.set(row, local.name);
      return true;
    }
    return false;
  }

  #restoreLastingName(side: Side, row: Row): void {
    for (const name of lastingNames(this.#draft, row, side)) {
      const place = { parent: row[side].goal!.parent, name };
      if (this.#owners.ownerOf(side, place, row) !== null) continue;
      this.#owners.replaceSlot(side, row, place);
      return;
    }
  }

  #claimRemote(row: Row): RowToBlock | null {
    const place = row.remote.goal!;
    const owner = this.#owners.ownerOf("remote", place, row);
    if (owner === null) {
      this.#owners.take("remote", row, place);
      return null;
    }
    if (this.#mayGetNumber(row, owner) && this.#addNumber(row)) return null;
    if (typeof owner !== "string") {
      const reason = this.#draft.blocks.get(idOf(owner))?.reason;
      const isGone = owner.local.now === null && owner.local.goal === null;
      if (isGone || reason === "path-pending") {
        const isPending = reason !== undefined && BLOCK_REASONS[reason].work === "pending";
        return isPending
          ? bar(row, "path-pending", `mdmirror first deletes or renames the document at ${place.name} on the service`)
          : bar(row, "path-taken", `${place.name} on the service belongs to another blocked document`);
      }
    }
    return bar(row, "name-clash", this.#clashText(row, place, owner));
  }

  /** Returns true if a row may get a number in its name on the service. */
  #mayGetNumber(row: Row, owner: Owner): boolean {
    const localPlace = row.local.goal;
    if (localPlace === null) return false;
    // A new file with a temporary name does not own the original name, so it may get a number.
    if (isTemporaryName(localPlace.name)) return true;
    const wanted = typeof owner === "string" ? null : (this.#wishes.get(owner)?.local ?? null);
    return wanted !== null && this.#owners.isSameSlot("local", wanted, localPlace);
  }

  /**
   * Returns a clause for messages that names the owner of the name that a row wants. Uses the
   * owner's local path if it has one.
   */
  #clashText(row: Row, place: Place, owner: Owner): string {
    const name = this.#nameOnService(place, owner);
    const other = typeof owner === "string" ? null : owner.local.now;
    const locally = other === null || other.name === name ? "" : `, locally ${JSON.stringify(other.name)}`;
    if (name === place.name) return `the service has another ${name} at this path${locally}`;
    const mine = row.local.now?.name ?? place.name;
    return `the service treats ${JSON.stringify(mine)} and ${JSON.stringify(name)} as one name, and has the latter${locally}`;
  }

  #nameOnService(place: Place, owner: Owner): string {
    if (typeof owner !== "string") return (owner.remote.goal ?? place).name;
    const slot = this.#draft.occupancy.occupantOf("remote", place);
    return slot.kind === "free" ? place.name : nameOf(slot.path);
  }
}

function isMapped({ local, remote }: Row): boolean {
  return local.goal !== null && local.goal.name !== remote.goal?.name;
}

function bar(row: Row, reason: BlockReason, detail: string): RowToBlock {
  return { row, reason, detail };
}

/**
 * Owner of a slot: a row; an entry that is not synced (`foreign`); a document without a row
 * (`unjudged`).
 */
type Owner = Row | "foreign" | "unjudged";

/** Assigns slots to rows while names are chosen. */
class SlotOwners {
  readonly #taken: Readonly<Record<Side, SlotMap<Row>>>;
  /** Rows by their current slots; collected on first use. */
  readonly #currentRows: Record<Side, SlotMap<Row> | null> = { local: null, remote: null };
  readonly #draft: PlanDraft;
  readonly #rows: readonly Row[];

  constructor(draft: PlanDraft, rows: readonly Row[]) {
    const { local, remote } = draft.occupancy.foldings;
    this.#taken = { local: new SlotMap(local), remote: new SlotMap(remote) };
    this.#draft = draft;
    this.#rows = rows;
  }

  /**
   * Returns true if a side treats the names of two places as equal, so that only one entry fits.
   */
  isSameSlot(side: Side, a: Place, b: Place): boolean {
    const folding = this.#draft.occupancy.foldings[side];
    return slotKey(a, folding) === slotKey(b, folding);
  }

  hasSlot(side: Side, row: Row): boolean {
    return this.#taken[side].get(row[side].goal!) === row;
  }

  /** Gives a row a slot, and makes it the row's planned place. */
  take(side: Side, row: Row, place: Place): void {
    setGoal(row, side, place);
    this.#taken[side].set(place, row);
  }

  /** Gives a row another slot in place of its current one. */
  replaceSlot(side: Side, row: Row, place: Place): void {
    const goal = row[side].goal;
    if (goal !== null && this.#taken[side].get(goal) === row) this.#taken[side].delete(goal);
    this.take(side, row, place);
  }

  /** Returns the owner of a slot; null if nobody owns it, or only the row itself does. */
  ownerOf(side: Side, place: Place, row: Row): Owner | null {
    const owner = this.#taken[side].get(place);
    if (owner !== undefined) return owner === row ? null : owner;
    const occupant = this.#draft.occupancy.occupantOf(side, place);
    if (occupant.kind === "free") return side === "local" && includeArrivalAt(this.#draft, place) ? "unjudged" : null;
    if (occupant.kind === "foreign") return "foreign";
    // The slot has an entry now. If the plan has a row for the entry, the plan moves the entry to
    // another slot; otherwise the entry stays.
    if (this.#rowsByCurrentSlot(side).get(place) !== undefined) return null;
    this.#includeInNextRound(side, occupant.path);
    return "unjudged";
  }

  /** Requests another plan that includes the document at a path. */
  #includeInNextRound(side: Side, path: string): void {
    const { trees, toInclude, arrivals } = this.#draft;
    const { base, leftOut = NOTHING_LEFT_OUT } = trees;
    for (const records of [base.records.values(), leftOut.documents()])
      for (const record of records) if (pathOn(record, side) === path) toInclude.add(record.id);
    for (const file of arrivals.all) if (side === "remote" && file.path === path) toInclude.add(file.id);
  }

  #rowsByCurrentSlot(side: Side): SlotMap<Row> {
    const known = this.#currentRows[side];
    if (known !== null) return known;
    const index = new SlotMap<Row>(this.#draft.occupancy.foldings[side]);
    for (const row of this.#rows) if (row[side].now !== null) index.set(row[side].now, row);
    this.#currentRows[side] = index;
    return index;
  }
}
