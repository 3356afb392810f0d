import { findCounterparts } from "./edits.ts";
import { diffStrings } from "./diff.ts";

/**
 * Format of a document besides its content. `hasMark`: true if the document has a byte order mark.
 * `feed`: line end of the document; `mixed` if both kinds of line ends occur; undefined if no line
 * end occurs. `hasLastBreak`: true if a line break ends the last line.
 */
type TextStyle = {
  readonly hasMark: boolean;
  readonly feed: "\n" | "\r\n" | "mixed" | undefined;
  readonly hasLastBreak: boolean;
};

const BYTE_ORDER_MARK = "\uFEFF";

export function readStyle(text: string): TextStyle {
  const [lineFeeds, pairs] = [text.split("\n").length - 1, text.split("\r\n").length - 1];
  const feed = lineFeeds === 0 ? undefined : pairs === 0 ? "\n" : pairs === lineFeeds ? "\r\n" : "mixed";
  return { hasMark: text.startsWith(BYTE_ORDER_MARK), feed, hasLastBreak: text.endsWith("\n") };
}

/**
 * Returns a document without byte order mark, with line feeds only, and with a line break at its
 * end.
 * @param mixed true to keep all line ends, because the document has both kinds
 */
export function normaliseText(text: string, mixed: boolean): string {
  const withoutMark = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  const withLineFeeds = mixed ? withoutMark : withoutMark.replaceAll("\r\n", "\n");
  return withLineFeeds === "" || withLineFeeds.endsWith("\n") ? withLineFeeds : `${withLineFeeds}\n`;
}

export function applyStyle(text: string, style: TextStyle): string {
  const completeText = style.hasLastBreak || !text.endsWith("\n") ? text : text.slice(0, -1);
  return (
    (style.hasMark ? BYTE_ORDER_MARK : "") +
    (style.feed === "\r\n" ? completeText.replaceAll("\n", "\r\n") : completeText)
  );
}

/**
 * Merges each property of the format. If only one side changed a property, its value is used. If
 * both sides changed a property, their values are equal, because a property has only two values.
 * The caller handles mixed line ends.
 */
export function mergeStyle(base: TextStyle, local: TextStyle, remote: TextStyle): TextStyle {
  const knownFeed = base.feed ?? local.feed ?? remote.feed;
  return {
    hasMark: pickChanged(base.hasMark, local.hasMark, remote.hasMark),
    feed: pickChanged(knownFeed, local.feed ?? knownFeed, remote.feed ?? knownFeed),
    hasLastBreak: pickChanged(base.hasLastBreak, local.hasLastBreak, remote.hasLastBreak),
  };
}

function pickChanged<T>(base: T, local: T, remote: T): T {
  return local === base ? remote : local;
}

type LineWithEnd = { readonly text: string; readonly end: string };

/**
 * Restores the line ends of a document after an editor changed all of them, as a web form does.
 * Unchanged lines get their old line ends; new lines get the most frequent line end.
 */
export function restoreLineEnds(edited: string, original: string): string {
  const [before, after] = [splitLinesAndEnds(original), splitLinesAndEnds(edited)];
  const texts = (lines: readonly LineWithEnd[]) => lines.map(({ text }) => text);
  const defaultEnd = findUsualEnd(before);
  const lineEnds = after.map(({ end }) => (end === "" ? "" : defaultEnd));
  const counterparts = findCounterparts(before.length, diffStrings(texts(before), texts(after)));
  for (const [from, { end }] of before.entries()) {
    const to = counterparts[from] as number;
    if (end !== "" && to >= 0 && lineEnds[to] !== "") lineEnds[to] = end;
  }
  return after.map(({ text }, index) => text + lineEnds[index]!).join("");
}

function splitLinesAndEnds(text: string): LineWithEnd[] {
  const parts = text.split(/(\r\n|\r|\n)/);
  return Array.from({ length: Math.ceil(parts.length / 2) }, (_, index) => ({
    text: parts[2 * index]!,
    end: parts[2 * index + 1] ?? "",
  }));
}

function findUsualEnd(lines: readonly LineWithEnd[]): string {
  const counts = Map.groupBy(lines, ({ end }) => end);
  counts.delete("");
  const [most = ["\n"]] = [...counts].toSorted(([, a], [, b]) => b.length - a.length);
  return most[0];
}
