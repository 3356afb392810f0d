import type { OpenedMirror } from "../mirror/folder/open-mirror.ts";
import { errorOf, unwrap } from "./with-errors.ts";
import type { Difference, TwoTexts } from "./types.ts";

/** Reads versions of one document, for the calls `differences` and `diff`. */

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
