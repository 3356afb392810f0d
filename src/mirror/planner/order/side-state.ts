import {
  type FolderRow,
  getPathOnSide,
  type Place,
  type PlanRow,
  type Side,
  SlotMap,
  type SlotOccupancy,
  toSlotKey,
} from "../match/row.ts";
import { type DiskFolding, joinPath } from "../../../contract/path.ts";

/**
 * Places of all documents and folders on one side, after the ordered steps so far. The next step
 * gets its paths from these places, and the earlier steps on which it depends.
 */
export class SideState {
  readonly side: Side;
  readonly #folding: DiskFolding;
  readonly #occupancy: SlotOccupancy;
  readonly #at = new Map<PlanRow, Place | null>();
  readonly #slots: SlotMap<PlanRow | null>;
  readonly #freedBy: SlotMap<number>;
  readonly #paths = new Map<FolderRow, string>();
  readonly #movedBy = new Map<FolderRow, number>();
  readonly #usedBy = new Map<FolderRow, number[]>();
  /**
   * Folders that a later step moves or removes. Such a step has to wait for all steps inside the
   * folder, so this class remembers only steps inside these folders.
   */
  readonly #moving: ReadonlySet<FolderRow>;

  constructor(side: Side, occupancy: SlotOccupancy, moving: ReadonlySet<FolderRow>) {
    this.side = side;
    this.#folding = occupancy.foldings[side];
    this.#occupancy = occupancy;
    this.#slots = new SlotMap(this.#folding);
    this.#freedBy = new SlotMap(this.#folding);
    this.#moving = moving;
  }

  placeOf(row: PlanRow): Place | null {
    const trackedPlace = this.#at.get(row);
    return trackedPlace === undefined ? row[this.side].now : trackedPlace;
  }

  key(place: Place): string {
    return toSlotKey(place, this.#folding);
  }

  isFree(place: Place, row: PlanRow): boolean {
    const occupant = this.#slots.get(place);
    if (occupant !== undefined) return occupant === null || occupant === row;
    const currentPlace = row[this.side].now;
    // The document or folder itself has the path: the rename only changes upper and lower case.
    if (currentPlace !== null && this.key(currentPlace) === this.key(place)) return true;
    return this.#occupancy.occupantOf(this.side, place).kind === "free";
  }

  exists(folder: FolderRow): boolean {
    for (let above: FolderRow | undefined = folder; above !== undefined; above = this.placeOf(above)?.parent) {
      if (getPathOnSide(above, this.side) === "") return true;
      if (this.placeOf(above) === null) return false;
    }
    return false;
  }

  pathOf(place: Place): string {
    return joinPath(this.#pathOfFolder(place.parent), place.name);
  }

  #pathOfFolder(folder: FolderRow): string {
    const cachedPath = this.#paths.get(folder);
    if (cachedPath !== undefined) return cachedPath;
    const place = this.placeOf(folder);
    const path = place === null ? "" : this.pathOf(place);
    this.#paths.set(folder, path);
    return path;
  }

  addPrerequisites(place: Place, prerequisites: Set<number>): void {
    if (this.#movedBy.size === 0) return;
    for (let above: FolderRow | undefined = place.parent; above !== undefined; above = this.placeOf(above)?.parent) {
      const step = this.#movedBy.get(above);
      if (step !== undefined) prerequisites.add(step);
    }
  }

  use(place: Place, step: number): void {
    if (this.#moving.size === 0) return;
    for (let above: FolderRow | undefined = place.parent; above !== undefined; above = this.placeOf(above)?.parent) {
      if (!this.#moving.has(above)) continue;
      const usingSteps = this.#usedBy.get(above);
      if (usingSteps === undefined) this.#usedBy.set(above, [step]);
      else usingSteps.push(step);
    }
  }

  freedBy(place: Place): number | undefined {
    return this.#freedBy.get(place);
  }

  usesOf(folder: FolderRow): readonly number[] {
    return this.#usedBy.get(folder) ?? [];
  }

  /**
   * @param to new place; null removes the document or folder from this side
   * @param step index of the step; null for a folder that is created together with a document in
   * it, because no other step has to wait for that folder
   * @returns key of the slot that became free; null if no slot did
   */
  move(row: PlanRow, to: Place | null, step: number | null): string | null {
    const fromPlace = this.placeOf(row);
    this.#at.set(row, to);
    let freedSlotKey: string | null = null;
    if (fromPlace !== null) {
      const holder = this.#slots.get(fromPlace);
      if (holder === undefined || holder === row || holder === null) {
        freedSlotKey = this.key(fromPlace);
        this.#slots.set(fromPlace, null);
        if (step !== null) this.#freedBy.set(fromPlace, step);
      }
    }
    if (to !== null) {
      this.#slots.set(to, row);
      if (freedSlotKey !== null && freedSlotKey === this.key(to)) freedSlotKey = null;
    }
    if (row.kind === "folder") {
      this.#paths.clear();
      if (step !== null) this.#movedBy.set(row, step);
      this.#usedBy.delete(row);
    }
    return freedSlotKey;
  }
}
