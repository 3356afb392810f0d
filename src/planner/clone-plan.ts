import type { DirId } from "../contract/ids.ts";
import type { Step } from "../model/action.ts";
import { compareStrings } from "../model/by-path.ts";
import { isTemporaryName, isUnsafeName, localNameFor } from "../model/local-name.ts";
import { depthOf, type LocalPath, nameOf, parentOf, pathKey } from "../model/path.ts";
import type { Policy } from "../model/policy.ts";
import {
  type BaseTree,
  isComplete,
  type LocalTree,
  type RemoteFile,
  type RemoteTree,
  type Trees,
} from "../model/tree.ts";
import type { Plan, Signals } from "./plan-types.ts";
import { judge } from "./verdict/verdict.ts";

/**
 * The plan of a clone: base knows nothing, nothing is here, and each folder and document of the
 * service can have its own name here. It equals that of `makePlan` (a property test compares them).
 * There each document has a row, places, a drift and proposals, which take ten times the memory of
 * its step: that of 100,000 documents was half of all that a clone held.
 * @returns null where there is something to decide
 */
export function planClone(trees: Trees, policy: Policy, signals: Signals): Plan | null {
  const { base, local, remote } = trees;
  if (policy.direction === "push-only" || !isBlank(base) || !isEmpty(local) || !showedAll(remote)) return null;
  const steps = new Arrivals(local).all(remote);
  return steps === null
    ? null
    : { steps, holds: [], verdict: judge(trees, policy, signals, steps, NONE_KNOWN).verdict };
}

const NONE_KNOWN = { known: 0, hereNow: 0, absentHere: 0, shownThere: 0, goneThere: 0 } as const;

function isBlank({ links, dirs, tombstones, conflicts, holds }: BaseTree): boolean {
  return links.size + dirs.size + tombstones.size + conflicts.size + holds.size === 0;
}

/** What the mirror leaves alone may be here, if nothing is to come to where it is. */
function isEmpty({ files, folders, unseen }: LocalTree): boolean {
  return files.size + folders.size + unseen.size === 0;
}

function showedAll(remote: RemoteTree): boolean {
  return isComplete(remote) && remote.foldersComplete && remote.outside.size === 0;
}

const WHY = "new on the service";
const NOTHING: readonly number[] = [];

/** The steps that make everything, each after those that make the folders above. */
class Arrivals {
  readonly #local: LocalTree;
  readonly #steps: Step[] = [];
  /** Paths that are taken, as the disk compares them. */
  readonly #taken = new Set<string>();
  /** What a step in a folder comes after, by the folder's path: an array that all in it share. */
  readonly #after = new Map<LocalPath, readonly number[]>([["", NOTHING]]);

  constructor(local: LocalTree) {
    this.#local = local;
    for (const path of local.others.keys()) this.#take(path);
  }

  /** @returns null where something cannot simply be made at its own path */
  all({ folders, files }: RemoteTree): readonly Step[] | null {
    const above = [...folders.values()].sort((a, b) => depthOf(a.path) - depthOf(b.path) || byPath(a, b));
    for (const { id, path } of above) if (!this.#addFolder(id, path)) return null;
    for (const file of [...files.values()].sort(byPath)) if (!this.#addDocument(file)) return null;
    return this.#steps;
  }

  #addFolder(dirId: DirId, path: string): boolean {
    const after = this.#mayStand(path, "folder", dirId);
    if (after === null) return false;
    this.#after.set(path, [...after, this.#steps.length]);
    const action = { kind: "make-folder-local", why: WHY, dirId, localPath: path, remotePath: path } as const;
    this.#steps.push({ action, after });
    return true;
  }

  #addDocument({ id, path, changeId }: RemoteFile): boolean {
    const after = this.#mayStand(path, "file", id);
    if (after === null) return false;
    const action = { kind: "create-local", why: WHY, id, localPath: path, remotePath: path, changeId } as const;
    this.#steps.push({ action, after });
    return true;
  }

  /** @returns the steps before it; null: it cannot stand at the service's path, or may not */
  #mayStand(path: string, kind: "file" | "folder", id: string): readonly number[] | null {
    const name = nameOf(path);
    if (isUnsafeName(name, kind) || isTemporaryName(name) || localNameFor(name, kind, id) !== name) return null;
    if (this.#local.ignores(path, kind) || !this.#take(path)) return null;
    return this.#after.get(parentOf(path)) ?? null;
  }

  #take(path: LocalPath): boolean {
    const size = this.#taken.size;
    return this.#taken.add(pathKey(path, this.#local.disk)).size > size;
  }
}

function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return compareStrings(a.path, b.path);
}
