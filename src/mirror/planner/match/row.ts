/**
 * Rows: the documents and folders of one plan. A row's place on each side consists of a parent
 * folder and a name. If a folder moves, the places of the rows in it stay the same, unlike their
 * paths.
 */
import type { DirId, DocId } from "../../../contract/ids.ts";
import type { DocumentRecord, FolderRecord, Tombstone } from "../../model/record.ts";
import {
  type DiskFolding,
  foldsNames,
  joinPath,
  type LocalPath,
  pathKey,
  type RemotePath,
} from "../../../contract/path.ts";
import type { LocalFile, Observation, RemoteFile, Trees } from "../../model/tree.ts";
import type { Policy } from "../../model/policy.ts";
import { generateLocalPaths, generateRemotePaths, hasFileAt } from "../../model/left-out.ts";
import { once } from "../../../common/once.ts";

export type Side = "local" | "remote";

export const SIDES = ["local", "remote"] as const;

export function otherSide(side: Side): Side {
  return side === "local" ? "remote" : "local";
}

export type Place = { readonly parent: FolderRow; readonly name: string };

/**
 * Places of a row on one side, before and after the plan; null if the row is not on that side. Only
 * `setGoal` sets `goal`.
 */
type RowPlaces = { now: Place | null; readonly goal: Place | null };

type CommonRow = {
  /** Id of the row, unique in the plan. Equal trees give equal ids. */
  readonly key: number;
  readonly local: RowPlaces;
  readonly remote: RowPlaces;
};

export type FolderRow = CommonRow & {
  readonly kind: "folder";
  record: FolderRecord | null;
  /** Id of the folder; null if the service does not have the folder, or did not show it. */
  dirId: DirId | null;
  /** Path before the plan; null for a folder that is not on disk. */
  localPath: LocalPath | null;
  remotePath: RemotePath | null;
  localSeen: "present" | "absent" | "unknown";
  /**
   * State on the service.
   * - `implied`: not listed, but part of the path of a listed document
   * - `gone`: the absence is proven
   * - `unknown`: recorded, but not listed in this cycle
   */
  remoteSeen: "listed" | "implied" | "gone" | "unknown" | "absent";
  /**
   * Recorded id of a folder that was created again on the service, with a new id; otherwise null.
   */
  replaced: DirId | null;
  /**
   * True for the old local folder of a merged folder (`isMerged`). The documents in the old local
   * folder move to the other local folder. The old local folder is then empty, and is removed.
   */
  isVacated: boolean;
  /**
   * True if the folder was removed locally, the service cannot delete it, and another local folder
   * has its path now.
   */
  isPathTaken: boolean;
  /** True if this folder was moved on the service to the path of a new local folder. */
  isMerged: boolean;
};

export type RemoteSeen =
  | { readonly kind: "present"; readonly file: RemoteFile }
  | { readonly kind: "gone" }
  | { readonly kind: "outside" }
  | { readonly kind: "unseen"; readonly why: string }
  | { readonly kind: "never" };

export type DocumentRow = CommonRow & {
  readonly kind: "document";
  readonly id: DocId | null;
  readonly record: DocumentRecord | null;
  readonly tombstone: Tombstone | null;
  readonly local: RowPlaces & { readonly seen: Observation<LocalFile> };
  readonly remote: RowPlaces & { readonly seen: RemoteSeen };
};

export type PlanRow = FolderRow | DocumentRow;

/** Sets the planned place; null if the plan removes the row from this side. */
export function setGoal(row: PlanRow, side: Side, place: Place | null): void {
  const mutablePlaces: { goal: Place | null } = row[side];
  mutablePlaces.goal = place;
}

export function setGoalToCurrent(row: PlanRow): void {
  for (const side of SIDES) setGoal(row, side, row[side].now);
}

export function isSamePlace(a: Place | null, b: Place | null): boolean {
  return a === b || (a !== null && b !== null && a.parent === b.parent && a.name === b.name);
}

export function isMoving(row: PlanRow, side: Side): boolean {
  return row[side].goal !== null && !isSamePlace(row[side].goal, row[side].now);
}

export function getNameKind(row: PlanRow): "file" | "folder" {
  return row.kind === "document" ? "file" : "folder";
}

/**
 * Returns the text that makes a converted name unique: the id; for a folder without an id, the
 * path; for a document without an id, "".
 */
export function toUniqueId(row: PlanRow): string {
  return (row.kind === "document" ? row.id : row.dirId) ?? (row.kind === "folder" ? (row.remotePath ?? "") : "");
}

export function getPathOnSide<P>(record: { readonly localPath: P; readonly remotePath: P }, side: Side): P {
  return side === "local" ? record.localPath : record.remotePath;
}

/**
 * Comparison of names on each side. mdmirror tests the disk, and learns the service's comparison
 * from answers.
 */
type NameFoldings = Readonly<Record<Side, DiskFolding>>;

/**
 * Returns the key of a slot: a name in a folder. Names that the side treats as equal have one key
 * (I11).
 */
export function toSlotKey(place: Place, folding: DiskFolding): string {
  return `${place.parent.key}/${pathKey(place.name, folding)}`;
}

/**
 * A map by slot. Each folder has a map of its own, because a combined key of folder and name would
 * be slow.
 */
export class SlotMap<T> {
  readonly #folding: DiskFolding;
  readonly #inside = new Map<FolderRow, Map<string, T>>();

  constructor(folding: DiskFolding) {
    this.#folding = folding;
  }

  get(place: Place): T | undefined {
    return this.#inside.get(place.parent)?.get(this.#name(place));
  }

  set(place: Place, value: T): void {
    const valuesByName = this.#inside.get(place.parent);
    if (valuesByName === undefined) this.#inside.set(place.parent, new Map([[this.#name(place), value]]));
    else valuesByName.set(this.#name(place), value);
  }

  delete(place: Place): void {
    this.#inside.get(place.parent)?.delete(this.#name(place));
  }

  #name({ name }: Place): string {
    return pathKey(name, this.#folding);
  }
}

/**
 * Occupant of a slot before the plan. `foreign`: a file or folder that is not
 * synced.
 */
type SlotOccupant =
  | { readonly kind: "free" }
  | { readonly kind: "mirrored"; readonly path: string }
  | { readonly kind: "foreign"; readonly path: string };

const FREE_SLOT = { kind: "free" } as const;

/**
 * Finds the row in a slot before the plan. Builds the indexes at their first use, because a plan
 * without moves needs no index.
 */
export class SlotOccupancy {
  readonly foldings: NameFoldings;
  readonly #trees: Trees;
  readonly #foldedLocal = once(() => this.#foldLocal());
  readonly #foldedRemote = once(() => this.#foldRemote());

  constructor(trees: Trees, { remoteFolding }: Policy) {
    this.#trees = trees;
    this.foldings = { local: trees.local.disk, remote: remoteFolding };
  }

  occupantOf(side: Side, { parent, name }: Place): SlotOccupant {
    const parentPath = getPathOnSide(parent, side);
    if (parentPath === null) return FREE_SLOT;
    const path = joinPath(parentPath, name);
    return side === "local" ? this.onDisk(path) : this.#onService(path);
  }

  onDisk(path: LocalPath): SlotOccupant {
    const { disk, folders, others } = this.#trees.local;
    if (hasFileAt(this.#trees, path) || folders.has(path)) return { kind: "mirrored", path };
    if (others.has(path)) return { kind: "foreign", path };
    return foldsNames(disk) ? (this.#foldedLocal().get(pathKey(path, disk)) ?? FREE_SLOT) : FREE_SLOT;
  }

  #onService(path: string): SlotOccupant {
    const occupantPath = this.#foldedRemote().get(pathKey(path, this.foldings.remote));
    return occupantPath === undefined ? FREE_SLOT : { kind: "mirrored", path: occupantPath };
  }

  #foldLocal(): ReadonlyMap<string, SlotOccupant> {
    const { disk, folders, others } = this.#trees.local;
    const occupantsByKey = new Map<string, SlotOccupant>();
    for (const path of others.keys()) occupantsByKey.set(pathKey(path, disk), { kind: "foreign", path });
    for (const paths of [generateLocalPaths(this.#trees), folders.keys()])
      for (const path of paths) occupantsByKey.set(pathKey(path, disk), { kind: "mirrored", path });
    return occupantsByKey;
  }

  #foldRemote(): ReadonlyMap<string, string> {
    const pathsByKey = new Map<string, string>();
    for (const path of generateRemotePaths(this.#trees)) pathsByKey.set(pathKey(path, this.foldings.remote), path);
    for (const { path } of this.#trees.remote.folders.values())
      pathsByKey.set(pathKey(path, this.foldings.remote), path);
    return pathsByKey;
  }
}

/**
 * Lists the owners of each slot. A slot may have several owners, at different moments of the plan.
 */
export function indexRowsBySlot(rows: Iterable<PlanRow>, disk: DiskFolding): SlotMap<readonly PlanRow[]> {
  const rowsBySlot = new SlotMap<readonly PlanRow[]>(disk);
  for (const row of rows)
    for (const place of new Set([row.local.goal, row.local.now]))
      if (place !== null) rowsBySlot.set(place, [...(rowsBySlot.get(place) ?? []), row]);
  return rowsBySlot;
}
