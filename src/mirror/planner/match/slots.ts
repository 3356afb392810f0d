import { type FolderRow, getPathOnSide, type Place, type PlanRow, type Side } from "./row.ts";
import { type DiskFolding, foldsNames, joinPath, type LocalPath, pathKey } from "../../../contract/path.ts";
import type { Policy } from "../../model/policy.ts";
import { hasFileAt, generateLocalPaths, generateRemotePaths } from "../../model/left-out.ts";
import type { Trees } from "../../model/tree.ts";
import { once } from "../../../common/once.ts";

/**
 * Comparison of names on each side. mdmirror tests the disk's comparison, and learns the service's
 * from its answers.
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
 * A map by slot (a name in a folder). Each folder has a map of its own, because building a combined
 * key for each access would be slow.
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
 * Occupant of a slot (a name in a folder) before the plan. `foreign`: a file or folder that is not
 * synced.
 */
type SlotOccupant =
  | { readonly kind: "free" }
  | { readonly kind: "mirrored"; readonly path: string }
  | { readonly kind: "foreign"; readonly path: string };

const FREE_SLOT = { kind: "free" } as const;

/**
 * Finds what is in a slot (a name in a folder) before the plan. Builds its indexes when they are
 * first needed, because a plan without moves needs none.
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
    for (const mirrored of [generateLocalPaths(this.#trees), folders.keys()])
      for (const path of mirrored) occupantsByKey.set(pathKey(path, disk), { kind: "mirrored", path });
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
 * Lists the owners of each slot (a name in a folder). A slot may have several owners, at different
 * moments of the plan.
 */
export function indexRowsBySlot(rows: Iterable<PlanRow>, disk: DiskFolding): SlotMap<readonly PlanRow[]> {
  const rowsBySlot = new SlotMap<readonly PlanRow[]>(disk);
  for (const row of rows)
    for (const place of new Set([row.local.goal, row.local.now]))
      if (place !== null) rowsBySlot.set(place, [...(rowsBySlot.get(place) ?? []), row]);
  return rowsBySlot;
}
