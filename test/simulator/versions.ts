import { findVersion } from "../../src/mirror/operations/history/history.ts";
import type { Digest } from "../../src/contract/digest.ts";
import type { LocalPath } from "../../src/contract/path.ts";
import type { StoredState } from "../../src/mirror/state/state.ts";
import type { OpenedMirror } from "../../src/mirror/folder/open-mirror.ts";
import { restore } from "../../src/mirror/operations/history/restore.ts";
import { carryOut } from "../../src/mirror/operations/run-operation.ts";

/** Returns the contents that `history PATH` lists and `show PATH@N` prints. */
export function textsOf(state: StoredState, path: LocalPath): string[] {
  const found = findVersion({ state }, path, null);
  if (found.kind === "trouble") return [];
  return found.value.entries.flatMap(({ digest, n }) => {
    const shown = findVersion({ state }, path, n);
    if (shown.kind === "trouble" || shown.value.entry.digest !== digest)
      throw new Error(`${path}@${n} is another text`);
    return state.text(digest) ?? [];
  });
}

/** Returns contents of the store that are no base and that no `history` lists. */
export function unreachableTexts(state: StoredState): string[] {
  const { records } = state.load();
  const bases = new Set<Digest>();
  for (const { digest, localDigest } of records.values()) bases.add(digest).add(localDigest);
  const paths = new Set(state.storedOrigins({}).map(({ path }) => path));
  const listed = new Set([...paths].flatMap((path) => textsOf(state, path)));
  return state.digests().flatMap((digest) => {
    const text = state.text(digest);
    return text === null || bases.has(digest) || listed.has(text) ? [] : [text];
  });
}

/**
 * Restores a version of one document, without a sync.
 * @param n null for the version before the present one
 */
export function restoreVersion(world: OpenedMirror["world"], path: string, n: number | null) {
  const input = { paths: [path], noSync: true, ...(n === null ? {} : { n }) };
  return carryOut(restore, { world } as OpenedMirror, input);
}
