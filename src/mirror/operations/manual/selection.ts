import { createMatcher } from "../../local/ignore.ts";
import { patternFault } from "../../local/pattern-fault.ts";
import { ancestorsOf, isBelow, type LocalPath } from "../../../contract/path.ts";
import type { BaseTree } from "../../model/tree.ts";
import { WHOLE_FOLDER } from "../../model/mirror-folder.ts";
import type { Disk } from "../../ports/disk.ts";
import { ok, type Result, trouble } from "../../../common/trouble.ts";

/**
 * Documents that the operands of a command select: paths, folders with their contents, and patterns
 * in the syntax of the ignore rules. A shell expands a pattern, so there may be thousands of
 * operands.
 */
type Selection = { readonly takes: (path: LocalPath) => boolean };

/** Returns true if a name that is not a path may be a pattern. */
function isPattern(name: string): boolean {
  return /[*?[]/.test(name);
}

/** Returns true if a name means several documents: the whole folder, a folder or a pattern. */
export function namesSeveral({ links, tombstones }: BaseTree, name: string): boolean {
  if (name === WHOLE_FOLDER || isPattern(name)) return true;
  return [...links.values(), ...tombstones.values()].some(({ localPath }) => isBelow(localPath, name));
}

/**
 * @param names paths below the root; "" is the whole folder
 * @param known paths that can be selected. A name that selects none of them is trouble, unless a
 * file with this name exists: a shell's `*` also yields pictures and `(theirs)` files
 */
export function selectPaths(
  names: readonly string[],
  known: Iterable<LocalPath>,
  disk: Pick<Disk, "look">,
): Result<Selection> {
  const paths = new Set(known);
  const folders = new Set<LocalPath>([""]);
  for (const path of paths) for (const above of ancestorsOf(path)) folders.add(above);
  const patterns: ((path: LocalPath) => boolean)[] = [];
  for (const name of names) {
    if (paths.has(name) || folders.has(name) || (names.length > 1 && existsLocally(disk, name))) continue;
    const fault = patternFault(name);
    if (fault !== null) return trouble("usage", `${name}: the pattern ${fault}`, "give a folder, or a simpler pattern");
    const matches = createMatcher(`/${name}`);
    if (!isPattern(name) || !paths.values().some(matches)) return namesNothing(name);
    patterns.push(matches);
  }
  const named = new Set(names);
  const takes = (path: LocalPath) =>
    named.has("") ||
    named.has(path) ||
    ancestorsOf(path).some((above) => named.has(above)) ||
    patterns.some((matches) => matches(path));
  return ok({ takes });
}

function existsLocally(disk: Pick<Disk, "look">, name: string): boolean {
  const { kind } = disk.look(name);
  return kind === "file" || kind === "folder" || kind === "other";
}

function namesNothing(name: string): Result<never> {
  const what = isPattern(name) ? `no synced document matches ${name}` : `${name} is not a synced document`;
  const next = "give paths and patterns below the linked folder; quote a pattern; ** stands for any folder";
  return trouble("usage", what, next);
}
