import { BLOCK_REASONS, type BlockReason } from "../../model/block.ts";
import {
  isNamePair,
  isTemporaryName,
  makeHashedName,
  makeNumberedName,
  toLocalName,
  toOriginalName,
  toRemoteName,
} from "../../model/names.ts";
import {
  getNameKind,
  getPathOnSide,
  isMoving,
  isSamePlace,
  type Place,
  type PlanRow,
  setGoal,
  type Side,
  SIDES,
  SlotMap,
  toSlotKey,
  toUniqueId,
} from "../match/row.ts";
import { nameOf } from "../../../contract/path.ts";
import { NOTHING_LEFT_OUT } from "../../model/left-out.ts";
import { includeArrivalAt, type PlanDraft } from "./plan-draft.ts";
import { generateLastingNames, MAX_NAME_NUMBER } from "./left-over.ts";

export type WantedPlaces = Readonly<Record<Side, Place | null>>;

export type WantedPlacesByRow = ReadonlyMap<PlanRow, WantedPlaces>;

export type RowToBlock = { readonly row: PlanRow; readonly reason: BlockReason; readonly detail: string };

/**
 * Assigns names, so that two documents or folders never have one name in a folder. If two items
 * want one name, one of them gets another name, or is blocked.
 */
export class NameAssignment {
  readonly #owners: SlotOwners;
  readonly #blockedRows = new Map<PlanRow, RowToBlock>();
  /**
   * Reasons for moves. The draft of the plan gets these reasons only after all names were assigned,
   * so that a failed attempt does not change the draft.
   */
  readonly #moveReasons = new Map<PlanRow, string>();
  readonly #renamedForOthers = new Map<PlanRow, string>();
  readonly #draft: PlanDraft;
  readonly #rows: readonly PlanRow[];
  readonly #keptInPlace: ReadonlySet<PlanRow>;
  readonly #wantedPlaces: WantedPlacesByRow;
  readonly #maxNameBytes: number;

  constructor(
    draft: PlanDraft,
    rows: readonly PlanRow[],
    keptInPlace: ReadonlySet<PlanRow>,
    wantedPlaces: WantedPlacesByRow,
  ) {
    this.#owners = new SlotOwners(draft, rows);
    this.#draft = draft;
    this.#rows = rows;
    this.#keptInPlace = keptInPlace;
    this.#wantedPlaces = wantedPlaces;
    this.#maxNameBytes = draft.trees.local.disk.maxNameBytes;
  }

  /**
   * Returns the documents and folders that must be blocked before the next attempt; empty if all
   * names were assigned.
   */
  run(): readonly RowToBlock[] {
    this.#takeKeptSlots();
    // ORDER: documents of the service get their local names first. A local document that wants such
    // a name gets a numbered name on both sides.
    for (const row of this.#rows) this.#claim("local", row);
    // ORDER: local names that the service accepts come before names that must be converted, so that
    // the accepted names stay unchanged on the service.
    for (const row of this.#rows) if (!hasConvertedName(row)) this.#claim("remote", row);
    for (const row of this.#rows) this.#claim("remote", row);
    if (this.#blockedRows.size > 0) return [...this.#blockedRows.values()];
    // ORDER: original names are restored last, because the free names are only known at the end.
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

  #claim(side: Side, row: PlanRow): void {
    if (!isMoving(row, side) || this.#blockedRows.has(row) || this.#owners.hasSlot(side, row)) return;
    const rowToBlock =
      this.#blockOfFolder(side, row) ?? (side === "local" ? this.#claimLocal(row) : this.#claimRemote(row));
    if (rowToBlock !== null) this.#blockedRows.set(row, rowToBlock);
  }

  #blockOfFolder(side: Side, row: PlanRow): RowToBlock | null {
    const { parent } = row[side].goal!;
    const isMissing = parent !== this.#draft.forest.root && parent[side].goal === null;
    return isMissing ? makeRowToBlock(row, "folder-blocked", "its folder is blocked") : null;
  }

  #claimLocal(row: PlanRow): RowToBlock | null {
    const place = row.local.goal!;
    const owner = this.#owners.ownerOf("local", place, row);
    if (owner === "foreign")
      return makeRowToBlock(row, "path-taken", `something that is not synced is at ${place.name}`);
    if (owner === "unjudged") return this.#takeHashedName(row, place);
    if (owner !== null) return this.#resolveClash(row, place, owner);
    this.#owners.take("local", row, place);
    return null;
  }

  /** Gives a new name to `row`, or to the current owner of the local name that `row` wants. */
  #resolveClash(row: PlanRow, place: Place, owner: PlanRow): RowToBlock | null {
    if (owner.kind !== row.kind)
      return makeRowToBlock(row, "type-clash", `a ${owner.kind} has the local name ${place.name}`);
    if (!this.#keptInPlace.has(owner) && this.#renameOwner(owner)) {
      if (this.#owners.ownerOf("local", place, row) !== null)
        return makeRowToBlock(
          row,
          "path-taken",
          `${place.name} is taken locally until the document at this path has another name`,
        );
      this.#owners.take("local", row, place);
      return null;
    }
    if (this.#isLeaving(owner))
      return makeRowToBlock(
        row,
        "path-taken",
        `${place.name} is taken locally until the document at this path has moved`,
      );
    return this.#takeHashedName(row, place);
  }

  /**
   * Gives a document or folder a local name with digits of its id, because another item has the
   * original local name.
   */
  #takeHashedName(row: PlanRow, place: Place): RowToBlock | null {
    const name = makeHashedName(place.name, getNameKind(row), toUniqueId(row), this.#maxNameBytes);
    const hashedPlace = { parent: place.parent, name };
    if (this.#owners.ownerOf("local", hashedPlace, row) !== null)
      return makeRowToBlock(row, "path-taken", `the local name ${place.name} is taken`);
    this.#owners.take("local", row, hashedPlace);
    return null;
  }

  #isLeaving(owner: PlanRow): boolean {
    const wantedPlaces = this.#wantedPlaces.get(owner);
    return (
      this.#keptInPlace.has(owner) && wantedPlaces !== undefined && !isSamePlace(wantedPlaces.local, owner.local.now)
    );
  }

  /**
   * Renames the owner of a local name, because a document of the service needs that name.
   * @returns false if the owner cannot be renamed: it neither moves on the service nor has names
   * that do not correspond
   */
  #renameOwner(owner: PlanRow): boolean {
    if (isMoving(owner, "remote")) return this.#addNumber(owner);
    const currentPlace = owner.local.now;
    if (currentPlace === null || isMoving(owner, "local")) return false;
    const fittingName = this.#serviceNameOf(owner, currentPlace.name);
    if (fittingName === null) return false;
    const place = { parent: currentPlace.parent, name: fittingName };
    if (this.#owners.ownerOf("local", place, owner) !== null) return false;
    this.#owners.replaceSlot("local", owner, place);
    this.#moveReasons.set(owner, "another document has its local name on the service");
    this.#renamedForOthers.set(owner, fittingName);
    return true;
  }

  /**
   * Returns the local name that corresponds to the document's name on the service; null if the
   * document already has the local name.
   */
  #serviceNameOf(row: PlanRow, localName: string): string | null {
    const remoteName = row.remote.goal?.name;
    if (
      row.record === null ||
      remoteName === undefined ||
      isNamePair(localName, remoteName, getNameKind(row), toUniqueId(row))
    )
      return null;
    return toLocalName(remoteName, getNameKind(row), toUniqueId(row), this.#maxNameBytes);
  }

  /**
   * Adds a number to a name, as in `note-2.md`. A document that exists only locally or only on the
   * service gets the new name on the service now; the next cycle renames its file. Returns false if
   * no numbered name is possible.
   */
  #addNumber(row: PlanRow): boolean {
    const localPlace = row.local.goal ?? row.local.now;
    const remotePlace = row.remote.goal;
    if (localPlace === null || remotePlace === null) return false;
    const isOnBothSides = row.record !== null && row.remote.now !== null;
    for (let number = 2; number <= MAX_NAME_NUMBER; number++) {
      const name = makeNumberedName(toOriginalName(localPlace.name), getNameKind(row), number, this.#maxNameBytes);
      const localCandidate = { parent: localPlace.parent, name };
      const mappedName = toRemoteName(name, getNameKind(row), this.#draft.policy.refusedCharacters);
      if (mappedName === null) return false;
      const remoteCandidate = { parent: remotePlace.parent, name: mappedName };
      if (this.#owners.ownerOf("local", localCandidate, row) !== null) continue;
      if (this.#owners.ownerOf("remote", remoteCandidate, row) !== null) continue;
      if (isOnBothSides) this.#owners.replaceSlot("local", row, localCandidate);
      this.#owners.replaceSlot("remote", row, remoteCandidate);
      this.#moveReasons.set(row, `another document has the name ${localPlace.name} on the service`);
      this.#renamedForOthers.set(row, localCandidate.name);
      return true;
    }
    return false;
  }

  #restoreLastingName(side: Side, row: PlanRow): void {
    for (const name of generateLastingNames(this.#draft, row, side)) {
      const place = { parent: row[side].goal!.parent, name };
      if (this.#owners.ownerOf(side, place, row) !== null) continue;
      this.#owners.replaceSlot(side, row, place);
      return;
    }
  }

  #claimRemote(row: PlanRow): RowToBlock | null {
    const place = row.remote.goal!;
    const owner = this.#owners.ownerOf("remote", place, row);
    if (owner === null) {
      this.#owners.take("remote", row, place);
      return null;
    }
    if (this.#mayGetNumber(row, owner) && this.#addNumber(row)) return null;
    if (typeof owner !== "string") {
      const ownersBlockReason = this.#draft.blocks.get(toUniqueId(owner))?.reason;
      const isOwnerGone = owner.local.now === null && owner.local.goal === null;
      if (isOwnerGone || ownersBlockReason === "path-pending") {
        const isPending = ownersBlockReason !== undefined && BLOCK_REASONS[ownersBlockReason].work === "pending";
        return isPending
          ? makeRowToBlock(
              row,
              "path-pending",
              `mdmirror first deletes or renames the document at ${place.name} on the service`,
            )
          : makeRowToBlock(row, "path-taken", `${place.name} on the service belongs to another blocked document`);
      }
    }
    return makeRowToBlock(row, "name-clash", this.#clashText(row, place, owner));
  }

  #mayGetNumber(row: PlanRow, owner: SlotOwner): boolean {
    const localPlace = row.local.goal;
    if (localPlace === null) return false;
    // A new file with a temporary name may get a numbered name, because no user chose the temporary
    // name.
    if (isTemporaryName(localPlace.name)) return true;
    const ownersWantedPlace = typeof owner === "string" ? null : (this.#wantedPlaces.get(owner)?.local ?? null);
    return ownersWantedPlace !== null && this.#owners.isSameSlot("local", ownersWantedPlace, localPlace);
  }

  /**
   * Returns a clause for users that names the document or folder with the wanted name on the
   * service, and its local name.
   */
  #clashText(row: PlanRow, place: Place, owner: SlotOwner): string {
    const name = this.#nameOnService(place, owner);
    const ownersLocalPlace = typeof owner === "string" ? null : owner.local.now;
    const localNameClause =
      ownersLocalPlace === null || ownersLocalPlace.name === name
        ? ""
        : `, locally ${JSON.stringify(ownersLocalPlace.name)}`;
    if (name === place.name) return `the service has another ${name} at this path${localNameClause}`;
    const ownName = row.local.now?.name ?? place.name;
    return `the service treats ${JSON.stringify(ownName)} and ${JSON.stringify(name)} as one name, and has the latter${localNameClause}`;
  }

  #nameOnService(place: Place, owner: SlotOwner): string {
    if (typeof owner !== "string") return (owner.remote.goal ?? place).name;
    const remoteOccupant = this.#draft.occupancy.occupantOf("remote", place);
    return remoteOccupant.kind === "free" ? place.name : nameOf(remoteOccupant.path);
  }
}

function hasConvertedName({ local, remote }: PlanRow): boolean {
  return local.goal !== null && local.goal.name !== remote.goal?.name;
}

function makeRowToBlock(row: PlanRow, reason: BlockReason, detail: string): RowToBlock {
  return { row, reason, detail };
}

/**
 * Owner of a name. `foreign`: a file or folder that is not synced. `unjudged`: a document at rest,
 * about which this plan does not decide.
 */
type SlotOwner = PlanRow | "foreign" | "unjudged";

class SlotOwners {
  readonly #taken: Readonly<Record<Side, SlotMap<PlanRow>>>;
  /** Owner of each slot before the plan; null before the first use of the map. */
  readonly #currentRows: Record<Side, SlotMap<PlanRow> | null> = { local: null, remote: null };
  readonly #draft: PlanDraft;
  readonly #rows: readonly PlanRow[];

  constructor(draft: PlanDraft, rows: readonly PlanRow[]) {
    const { local, remote } = draft.occupancy.foldings;
    this.#taken = { local: new SlotMap(local), remote: new SlotMap(remote) };
    this.#draft = draft;
    this.#rows = rows;
  }

  isSameSlot(side: Side, a: Place, b: Place): boolean {
    const folding = this.#draft.occupancy.foldings[side];
    return toSlotKey(a, folding) === toSlotKey(b, folding);
  }

  hasSlot(side: Side, row: PlanRow): boolean {
    return this.#taken[side].get(row[side].goal!) === row;
  }

  take(side: Side, row: PlanRow, place: Place): void {
    setGoal(row, side, place);
    this.#taken[side].set(place, row);
  }

  replaceSlot(side: Side, row: PlanRow, place: Place): void {
    const goal = row[side].goal;
    if (goal !== null && this.#taken[side].get(goal) === row) this.#taken[side].delete(goal);
    this.take(side, row, place);
  }

  /** Returns the owner of a slot; null if the slot is free or belongs to `row`. */
  ownerOf(side: Side, place: Place, row: PlanRow): SlotOwner | null {
    const owner = this.#taken[side].get(place);
    if (owner !== undefined) return owner === row ? null : owner;
    const occupant = this.#draft.occupancy.occupantOf(side, place);
    if (occupant.kind === "free") return side === "local" && includeArrivalAt(this.#draft, place) ? "unjudged" : null;
    if (occupant.kind === "foreign") return "foreign";
    // An owner in this plan moves to another slot. An owner outside this plan keeps the slot, and
    // the next round of planning includes the owner.
    if (this.#rowsByCurrentSlot(side).get(place) !== undefined) return null;
    this.#includeInNextRound(side, occupant.path);
    return "unjudged";
  }

  #includeInNextRound(side: Side, path: string): void {
    const { trees, toInclude, arrivals } = this.#draft;
    const { base, leftOut = NOTHING_LEFT_OUT } = trees;
    for (const records of [base.records.values(), leftOut.documents()])
      for (const record of records) if (getPathOnSide(record, side) === path) toInclude.add(record.id);
    for (const file of arrivals.all) if (side === "remote" && file.path === path) toInclude.add(file.id);
  }

  #rowsByCurrentSlot(side: Side): SlotMap<PlanRow> {
    const cachedRows = this.#currentRows[side];
    if (cachedRows !== null) return cachedRows;
    const rowsBySlot = new SlotMap<PlanRow>(this.#draft.occupancy.foldings[side]);
    for (const row of this.#rows) if (row[side].now !== null) rowsBySlot.set(row[side].now, row);
    this.#currentRows[side] = rowsBySlot;
    return rowsBySlot;
  }
}
