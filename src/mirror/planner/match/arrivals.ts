import type { DocId } from "../../../contract/ids.ts";
import { isTemporaryName, isUnsafeName, toLocalName } from "../../model/local-name.ts";
import { joinPath } from "../../../contract/path.ts";
import type { Policy } from "../../model/policy.ts";
import type { RemoteFile, Trees } from "../../model/tree.ts";
import { isJudged, type JudgedDocuments } from "./at-rest.ts";
import { type FolderForest, toPlace } from "./forest.ts";
import type { FolderRow, Place } from "./row.ts";
import { type SlotOccupancy, SlotMap } from "./slots.ts";

/**
 * New documents of the service that only have to be created locally. They have no rows in the plan:
 * a first sync may have so many of them that rows would need too much memory.
 */
export class Arrivals {
  readonly all: RemoteFile[] = [];
  readonly #trees: Trees;
  readonly #forest: FolderForest;
  readonly #occupancy: SlotOccupancy;
  readonly #byPlace: SlotMap<DocId>;

  constructor(trees: Trees, forest: FolderForest, occupancy: SlotOccupancy) {
    this.#trees = trees;
    this.#forest = forest;
    this.#occupancy = occupancy;
    this.#byPlace = new SlotMap(trees.local.disk);
  }

  /**
   * Adds the new documents that only have to be created locally.
   * @param judged documents about which the plan must decide, even if they only have to be created
   * @returns all other documents: those about which the plan has to decide
   */
  take(files: readonly RemoteFile[], { direction }: Policy, judged: JudgedDocuments): readonly RemoteFile[] {
    if (direction === "push" || this.#trees.local.unseen.size > 0) return files;
    return files.filter((file) => isJudged(judged, file.id) || !this.#addIfPlain(file));
  }

  idAt(place: Place): DocId | undefined {
    return this.#byPlace.get(place);
  }

  placeOf({ path }: RemoteFile): Place {
    return toPlace(this.#forest, "remote", path);
  }

  #addIfPlain(file: RemoteFile): boolean {
    const { id } = file;
    const { maxNameBytes } = this.#trees.local.disk;
    const place = this.placeOf(file);
    if (
      !canReceiveArrivals(place.parent) ||
      !hasOwnName(place.name, id, maxNameBytes) ||
      !this.#isUnknown(id) ||
      !this.#isFree(place)
    )
      return false;
    this.#byPlace.set(place, id);
    this.all.push(file);
    return true;
  }

  #isUnknown(id: DocId): boolean {
    const { tombstones, conflicts, blocks } = this.#trees.base;
    return !tombstones.has(id) && !conflicts.has(id) && !blocks.has(id);
  }

  #isFree(place: Place): boolean {
    const path = joinPath(place.parent.localPath ?? place.parent.remotePath!, place.name);
    if (this.#trees.local.ignores(path, "file") || this.#byPlace.get(place) !== undefined) return false;
    return this.#occupancy.occupantOf("local", place).kind === "free";
  }
}

function canReceiveArrivals({ localSeen, remoteSeen, record }: FolderRow): boolean {
  return localSeen === "present" || (localSeen === "absent" && remoteSeen === "listed" && record === null);
}

function hasOwnName(name: string, id: DocId, maxNameBytes: number): boolean {
  return !isUnsafeName(name, "file") && !isTemporaryName(name) && toLocalName(name, "file", id, maxNameBytes) === name;
}
