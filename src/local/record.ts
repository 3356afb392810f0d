import { joinPath } from "../model/path.ts";
import type { FsStat } from "../ports/fs.ts";
import { errnoOf } from "./errno.ts";
import { linkedPaths } from "./linked-paths.ts";
import { type Listed, PortionWriter, type Portion } from "./recorded.ts";
import type { RootGuard } from "./root-guard.ts";
import { UnfitRules } from "./rules.ts";
import {
  excludedFolder,
  isMirror,
  isTooDeep,
  listNames,
  readRules,
  type RulesWork,
  statEntry,
  type Subfolder,
} from "./walk-folder.ts";

export type RecordOptions = {
  /** As of a walk. */
  readonly ignore: readonly string[];
  /** Whether `.gitignore` files are followed. */
  readonly gitignore: boolean;
};

/**
 * Reads the folders of a tree as a walk does, in the same order by the same calls, and hands over
 * what it saw. It may leave out any: the walk reads those itself.
 */
export function* recordTree(
  guard: RootGuard,
  { ignore, gitignore }: RecordOptions,
  writer = new PortionWriter(),
): Generator<Portion, void> {
  const root = guard.root();
  if (root === null) return;
  const work: RulesWork = {
    fs: guard.fs,
    hold: guard.walkHold(),
    dev: root.stat.dev,
    rules: new Map(),
    extraPatterns: ignore,
    // What is linked in a folder that git would leave out is for the walk to read.
    linked: gitignore ? linkedPaths(() => []) : null,
    kept: new Set(),
    foldsCase: false,
  };
  try {
    for (const _ of recordFolder(work, { abs: root.real, path: "", stat: root.stat }, writer))
      if (writer.isFull()) yield writer.take();
  } finally {
    work.hold.close();
  }
  yield writer.take();
}

/** Pauses after each folder. */
function* recordFolder(work: RulesWork, folder: Subfolder, writer: PortionWriter): Generator<void, void> {
  const listed = readNames(work, folder);
  if (listed === null) return;
  const isRead = !isInnerMirror(work, folder, listed);
  const below: Subfolder[] = [];
  writer.addFolder(folder.abs, folder.stat, listed);
  for (const { name, kind } of listed) {
    const stat = statOf(work, folder, name, kind);
    writer.addEntry(kind, stat);
    if (isRead && stat?.kind === "folder") addSubfolder(below, work, folder, name, stat);
  }
  yield;
  for (const one of below) yield* recordFolder(work, one, writer);
}

/** @returns null where the walk is to find out why it cannot be read */
function readNames(work: RulesWork, folder: Subfolder): readonly Listed[] | null {
  try {
    const listed = listNames(work, folder);
    readRules(work, folder, listed);
    return listed;
  } catch (error) {
    if (!(error instanceof UnfitRules) && errnoOf(error) === null) throw error;
    return null;
  }
}

/** One of which it cannot be said is for the walk to read. */
function isInnerMirror(work: RulesWork, folder: Subfolder, listed: readonly Listed[]): boolean {
  try {
    return isMirror(work, folder, listed);
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return true;
  }
}

function statOf(work: RulesWork, folder: Subfolder, name: string, kind: Listed["kind"]): FsStat | null {
  if (kind !== "file" && kind !== "folder") return null;
  try {
    return statEntry(work, folder, name, `${folder.abs}/${name}`);
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return null;
  }
}

/** Only what a walk would read. */
function addSubfolder(to: Subfolder[], work: RulesWork, above: Subfolder, name: string, stat: FsStat): void {
  const path = joinPath(above.path, name);
  if (stat.dev !== work.dev || name.startsWith(".") || isTooDeep(path) || excludedFolder(work, path) !== null) return;
  to.push({ abs: `${above.abs}/${name}`, path, stat });
}
