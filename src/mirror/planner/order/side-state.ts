import { type FolderRow, pathOn, type Place, type Row, type Side } from "../match/row.ts";
import { type Occupancy, SlotMap, slotKey } from "../match/slots.ts";
import { type DiskFolding, joinPath } from "../../../contract/path.ts";

/**
 * One side while the plan is laid out step by step: the place of each row after the steps so far,
 * and the step that moved the row to this place. The state gives an action its paths, and the steps
 * that must come before it: the last step that moved a folder on its path, the step that freed its
 * slot, and the last step on its own row. A folder's move also comes after the steps that used its
 * old path.
 */
export class SideState {
  readonly side: Side;
  readonly #folding: DiskFolding;
  readonly #occupancy: Occupancy;
  readonly #at = new Map<Row, Place | null>();
  readonly #slots: SlotMap<Row | null>;
  readonly #freedBy: SlotMap<number>;
  /** Current paths of folders. */
  readonly #paths = new Map<FolderRow, string>();
  readonly #movedBy = new Map<FolderRow, number>();
  readonly #usedBy = new Map<FolderRow, number[]>();
  /**
   * Folders that a later step will move or remove. That step waits for the steps below its folder,
   * so uses are recorded for these folders only.
   */
  readonly #moving: ReadonlySet<FolderRow>;

  constructor(side: Side, occupancy: Occupancy, moving: ReadonlySet<FolderRow>) {
    this.side = side;
    this.#folding = occupancy.foldings[side];
    this.#occupancy = occupancy;
    this.#slots = new SlotMap(this.#folding);
    this.#freedBy = new SlotMap(this.#folding);
    this.#moving = moving;
  }

  placeOf(row: Row): Place | null {
    const moved = this.#at.get(row);
    return moved === undefined ? row[this.side].now : moved;
  }

  key(place: Place): string {
    return slotKey(place, this.#folding);
  }

  isFree(place: Place, row: Row): boolean {
    const holder = this.#slots.get(place);
    if (holder !== undefined) return holder === null || holder === row;
    const current = row[this.side].now;
    // The row's own entry occupies the slot: the rename only changes case.
    if (current !== null && this.key(current) === this.key(place)) return true;
    return this.#occupancy.occupantOf(this.side, place).kind === "free";
  }

  exists(folder: FolderRow): boolean {
    for (let above: FolderRow | undefined = folder; above !== undefined; above = this.placeOf(above)?.parent) {
      if (pathOn(above, this.side) === "") return true;
      if (this.placeOf(above) === null) return false;
    }
    return false;
  }

  pathOf(place: Place): string {
    return joinPath(this.#pathOfFolder(place.parent), place.name);
  }

  #pathOfFolder(folder: FolderRow): string {
    const known = this.#paths.get(folder);
    if (known !== undefined) return known;
    const place = this.placeOf(folder);
    const path = place === null ? "" : this.pathOf(place);
    this.#paths.set(folder, path);
    return path;
  }

  /** Adds the steps that must come before a step at `place`. */
  addPrerequisites(place: Place, prerequisites: Set<number>): void {
    if (this.#movedBy.size === 0) return;
    for (let above: FolderRow | undefined = place.parent; above !== undefined; above = this.placeOf(above)?.parent) {
      const step = this.#movedBy.get(above);
      if (step !== undefined) prerequisites.add(step);
    }
  }

  /** Records that a step uses the path of `place`. */
  use(place: Place, step: number): void {
    if (this.#moving.size === 0) return;
    for (let above: FolderRow | undefined = place.parent; above !== undefined; above = this.placeOf(above)?.parent) {
      if (!this.#moving.has(above)) continue;
      const uses = this.#usedBy.get(above);
      if (uses === undefined) this.#usedBy.set(above, [step]);
      else uses.push(step);
    }
  }

  freedBy(place: Place): number | undefined {
    return this.#freedBy.get(place);
  }

  usesOf(folder: FolderRow): readonly number[] {
    return this.#usedBy.get(folder) ?? [];
  }

  /**
   * Moves a row to a place, or removes it from this side.
   * @param step the step that does this; null for a folder that is created together with its
   * content, because no other step has to wait for it
   * @returns the key of the slot that became free, or null
   */
  move(row: Row, to: Place | null, step: number | null): string | null {
    const from = this.placeOf(row);
    this.#at.set(row, to);
    let freed: string | null = null;
    if (from !== null) {
      const holder = this.#slots.get(from);
      if (holder === undefined || holder === row || holder === null) {
        freed = this.key(from);
        this.#slots.set(from, null);
        if (step !== null) this.#freedBy.set(from, step);
      }
    }
    if (to !== null) {
      this.#slots.set(to, row);
      if (freed !== null && freed === this.key(to)) freed = null;
    }
    if (row.kind === "folder") {
      this.#paths.clear();
      if (step !== null) this.#movedBy.set(row, step);
      this.#usedBy.delete(row);
    }
    return freed;
  }
}
