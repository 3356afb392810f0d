import { mergeLines } from "./lines.ts";
import { mergeText } from "./merge.ts";
import { newReading } from "./reading.ts";

/** The three texts of a merge. `base` is "" where both sides were new. */
export type ThreeTexts = { readonly base: string; readonly mine: string; readonly theirs: string };

/** How many characters git's markers have, unless it asks for more. */
export const USUAL_MARKERS = 7;

/**
 * The two edits in one text, with git's markers where they meet: what a merge tool starts from.
 * @param markerSize characters of a marker
 */
export function markedMerge({ base, mine, theirs }: ThreeTexts, markerSize: number = USUAL_MARKERS): string {
  const merged = mergeText(base, mine, theirs);
  if (merged.kind === "clean") return merged.text;
  const blocks = mergeLines(base, mine, theirs, newReading());
  // Markers end as the lines around them do.
  const marks = { size: markerSize, feed: /^[^\n]*\r\n/.test(mine) ? "\r\n" : "\n" };
  // What no line conflicts with may still be refused as a whole.
  if (blocks === undefined || blocks.every((block) => block.kind === "settled"))
    return marked(mine, base, theirs, marks);
  return blocks
    .map((block) => {
      if (block.kind === "settled") return block.text;
      return marked(block.local.join(""), block.base.join(""), block.remote.join(""), marks);
    })
    .join("");
}

type Marks = { readonly size: number; readonly feed: string };

function marked(mine: string, base: string, theirs: string, marks: Marks): string {
  return [
    markLine("<", " mine", marks) + endedLine(mine, marks),
    markLine("|", " base", marks) + endedLine(base, marks),
    markLine("=", "", marks) + endedLine(theirs, marks),
    markLine(">", " theirs", marks),
  ].join("");
}

function markLine(character: string, label: string, { size, feed }: Marks): string {
  return `${character.repeat(size)}${label}${feed}`;
}

/** A marker begins a line, so the text before it must end one. */
function endedLine(text: string, { feed }: Marks): string {
  return text === "" || text.endsWith("\n") ? text : text + feed;
}
