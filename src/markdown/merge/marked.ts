import { mergeLines } from "./lines.ts";
import { mergeText } from "./merge.ts";
import { createReading } from "./reading.ts";

/** Three versions of a document. `base` is an empty string if both sides are new. */
export type ThreeVersions = { readonly base: string; readonly mine: string; readonly theirs: string };

export const DEFAULT_MARKER_SIZE = 7;

/**
 * Returns a document with both versions between git's conflict markers, as merge tools expect it.
 * If the versions can be merged, returns the merged version without markers.
 * @param markerSize length of a marker in characters
 */
export function markConflicts({ base, mine, theirs }: ThreeVersions, markerSize: number = DEFAULT_MARKER_SIZE): string {
  const mergeResult = mergeText(base, mine, theirs);
  if (mergeResult.kind === "clean") return mergeResult.text;
  const blocks = mergeLines(base, mine, theirs, createReading());
  const markVersions = (texts: ThreeVersions) => markConflict(texts, mine, markerSize);
  // A merge can be a conflict although a merge by whole lines succeeds. The markers then enclose
  // the whole versions.
  if (blocks === undefined || blocks.every((block) => block.kind === "settled"))
    return markVersions({ base, mine, theirs });
  return blocks
    .map((block) => {
      if (block.kind === "settled") return block.text;
      return markVersions({ mine: block.local.join(""), base: block.base.join(""), theirs: block.remote.join("") });
    })
    .join("");
}

type MarkerStyle = { readonly size: number; readonly feed: string };

/** @param document the whole local version; the markers get the line end of its first line */
export function markConflict(
  { base, mine, theirs }: ThreeVersions,
  document: string,
  size: number = DEFAULT_MARKER_SIZE,
): string {
  const markerStyle = { size, feed: /^[^\n]*\r\n/.test(document) ? "\r\n" : "\n" };
  return [
    writeMarkerLine("<", " mine", markerStyle) + endWithLineEnd(mine, markerStyle),
    writeMarkerLine("|", " base", markerStyle) + endWithLineEnd(base, markerStyle),
    writeMarkerLine("=", "", markerStyle) + endWithLineEnd(theirs, markerStyle),
    writeMarkerLine(">", " theirs", markerStyle),
  ].join("");
}

function writeMarkerLine(character: string, label: string, { size, feed }: MarkerStyle): string {
  return `${character.repeat(size)}${label}${feed}`;
}

function endWithLineEnd(text: string, { feed }: MarkerStyle): string {
  return text === "" || text.endsWith("\n") ? text : text + feed;
}
