import { mergeText } from "../merge/merge.ts";
import type { Combine } from "./context.ts";

/** Three-way merge as the engine does it; null where it is a conflict. */
export const combineByMerge: Combine = (base, local, remote) => {
  const merged = mergeText(base, local, remote);
  return merged.kind === "clean" ? merged.text : null;
};
