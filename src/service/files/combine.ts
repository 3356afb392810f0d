import { mergeText } from "../../markdown/merge/merge.ts";
import type { CombineContents } from "../requests/context.ts";

/** Merges three versions of a content with mdmirror's merge. Returns null for a conflict. */
export const combineByMerge: CombineContents = (base, local, remote) => {
  const merged = mergeText(base, local, remote);
  return merged.kind === "clean" ? merged.text : null;
};
