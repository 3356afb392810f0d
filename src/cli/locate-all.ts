import { ok, type Result, trouble } from "../common/trouble.ts";
import type { LocalPath } from "../contract/path.ts";
import type { Io } from "./command.ts";
import { findMirror } from "./find-mirror.ts";
import { locateAny } from "./locate-document.ts";

/**
 * Finds the one linked folder of all paths or ids, and the paths in that folder. Without paths: the
 * nearest linked folder with everything in it.
 */
export function locateAll(
  io: Io,
  names: readonly string[],
): Result<{ readonly root: string; readonly paths: readonly LocalPath[] }> {
  if (names.length === 0) {
    const root = findMirror(io, undefined);
    return root.kind === "trouble" ? root : ok({ root: root.value, paths: [""] });
  }
  const roots = new Set<string>();
  const paths: LocalPath[] = [];
  for (const name of names) {
    const place = locateAny(io, name);
    if (place.kind === "trouble") return place;
    roots.add(place.value.root);
    paths.push(place.value.name);
  }
  const [root, second] = roots;
  if (second === undefined) return ok({ root: root!, paths });
  return trouble(
    "usage",
    `the paths are in several linked folders: ${root} and ${second}`,
    "run the command for each folder separately",
  );
}
