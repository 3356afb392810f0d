import { readMarker } from "../../local/marker.ts";
import { createNodeFs } from "../../local/node-fs.ts";
import { ok, type Result } from "../mirror/trouble.ts";
import { placeOf } from "./gate.ts";
import { listMirrors } from "./registry.ts";

const { existsSync } = process.getBuiltinModule("node:fs");

export type ListedMirror = {
  readonly root: string;
  readonly name: string | null;
  readonly marker: string;
  readonly addresses: readonly string[];
  readonly allowHttp: readonly string[];
  /**
   * `gone`: no folder is there (moved, deleted, or its disk is not mounted); `other`: a folder that
   * is not this mirror any more.
   */
  readonly state: "here" | "gone" | "other";
};

/**
 * This user's mirrors, by path, and what of the registry cannot be believed. Looks at the folders;
 * writes and sends nothing.
 */
export function listOwnMirrors(
  env: Readonly<Record<string, string | undefined>>,
): Result<{ readonly mirrors: readonly ListedMirror[]; readonly notes: readonly string[] }> {
  const place = placeOf(env);
  if (place.kind === "trouble") return place;
  const { mirrors, unfit } = listMirrors(place.value);
  const fs = createNodeFs();
  const rows = mirrors.flatMap(({ roots, ...mirror }) =>
    roots.map((root): ListedMirror => ({ root, ...mirror, state: stateOf(root, readMarker(fs, root), mirror.marker) })),
  );
  const here = new Set(rows.filter(({ state }) => state === "here").map(({ root }) => root));
  return ok({
    // What was linked anew is listed once, as what it is now.
    mirrors: rows.filter(({ root, state }) => state === "here" || !here.has(root)).toSorted(byRoot),
    notes: unfit,
  });
}

function stateOf(root: string, found: string | null, marker: string): ListedMirror["state"] {
  if (found === marker) return "here";
  return existsSync(root) ? "other" : "gone";
}

function byRoot(a: ListedMirror, b: ListedMirror): number {
  return a.root < b.root ? -1 : a.root > b.root ? 1 : 0;
}
