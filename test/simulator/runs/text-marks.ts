/**
 * Parts of a content in a run: a tag for its document, a mark for each edit, and a form of bytes
 * that programs often change.
 */

const TAG = /^\uFEFF?tag (\d+)/;
const MARK = /mark (\d+);/g;
/** Characters in which the tag fits. */
export const TAG_ROOM = 16;

export type Dialect = (text: string) => string;

/** Forms of contents whose bytes must survive an upload and a download (I25). */
export const DIALECTS: readonly Dialect[] = [
  (text) => text,
  (text) => text,
  (text) => text,
  (text) => text.replaceAll("\n", "\r\n"),
  (text) => `\uFEFF${text}`,
  (text) => text.replace(/\n+$/, ""),
  (text) => `${text}cafe\u0301 caf\u00e9 \u{1f44b}\u2028end\n`,
];

export function tagOf(text: string): string | null {
  return TAG.exec(text)?.[1] ?? null;
}

export function marksOf(text: string): Set<string> {
  return new Set(Array.from(text.matchAll(MARK), (found) => found[1]!));
}

/**
 * Returns the same lines with other line ends, which is the same content for a deployment that
 * normalizes.
 */
export function withOtherEnds(text: string): string {
  return text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text.replaceAll("\n", "\r\n");
}
