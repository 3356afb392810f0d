import type { LocalMirror } from "../mirror/folder/open-local.ts";
import type { OpenedMirror } from "../mirror/folder/open-mirror.ts";
import { trouble } from "../common/trouble.ts";
import { errorOf, unwrap } from "./with-errors.ts";
import type { Difference, History, TwoTexts, Version } from "./types.ts";

/** Reads versions of one document, for the calls `history`, `show` and `diff`. */

export async function readHistoryOf({ state }: LocalMirror, path: string): Promise<History> {
  const { findVersion } = await import("../mirror/operations/history/find-version.ts");
  const { document, entries } = unwrap(findVersion({ state }, path, null), path);
  const versions = entries.map((entry): Version => {
    const { n, at, from, digest: sha256, size, what, changeId } = entry;
    return { n, at: Math.max(0, at), from, sha256, size, what, changeId };
  });
  return { id: document.id, path: document.path, gone: document.link === null, versions };
}

export async function readVersion({ state, disk }: LocalMirror, path: string, n: number | null): Promise<string> {
  const { findVersion } = await import("../mirror/operations/history/find-version.ts");
  const { entry, document } = unwrap(findVersion({ state }, path, n), path);
  const text = state.text(entry.digest);
  if (text !== null) return disk.shown?.(document.path, text) ?? text;
  const gone = trouble(
    "usage",
    `the content of version ${entry.n} of ${path} is no longer in the history`,
    "history() lists the remaining versions",
  );
  return unwrap<string>(gone, path);
}

export async function readDifferences(mirror: OpenedMirror): Promise<readonly Difference[]> {
  const { listDifferences } = await import("../mirror/operations/history/diff.ts");
  const { faultTrouble } = await import("../mirror/folder/fault-trouble.ts");
  const found = await listDifferences(mirror);
  if (found.kind === "offline") throw errorOf(faultTrouble(found.fault, mirror.url), mirror.root);
  return found.rows;
}

export async function readTexts(mirror: OpenedMirror, path: string): Promise<TwoTexts> {
  const { readBothSides } = await import("../mirror/operations/history/diff.ts");
  const { path: at, live, local } = unwrap(await readBothSides(mirror, path), path);
  const { disk } = mirror.world;
  const shown = (text: string | null) => (text === null ? null : (disk.shown?.(at, text) ?? text));
  return { path: at, live: shown(live), local: shown(local) };
}
