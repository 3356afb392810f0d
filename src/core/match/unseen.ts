import { type LocalPath, parentOf } from "../path.ts";
import type { Trees } from "../tree.ts";

/** Whether a linked path is at or below what the walk could not see. */
export function isUnseen(path: LocalPath, trees: Trees): boolean {
  if (trees.local.unseen.size === 0) return false;
  return trees.local.unseen.has("") || whyUnseen(path, trees) !== null;
}

export function whyUnseen(path: LocalPath, trees: Trees): string | null {
  const { unseen } = trees.local;
  if (unseen.size === 0) return null;
  for (let at = path; at !== ""; at = parentOf(at)) {
    const why = unseen.get(at);
    if (why !== undefined) return why;
  }
  return unseen.get("") ?? null;
}
