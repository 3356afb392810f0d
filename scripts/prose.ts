/**
 * Checks texts for users by the rules of style: words for which there is a plainer one, long
 * sentences, and links that lead nowhere. Other sources of text (help, messages) call
 * `proseFaults`.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

type Word = readonly [word: string, instead: string];

/** Patterns of words that are used nowhere, each with the word to use instead. */
export const UNUSED_WORDS: readonly Word[] = [
  ["(?<!\\b(?:is|are|was|were) )anew", "again, as new"],
  ["mend(?:s|ed|ing)?", "fix"],
  ["be had", "is available"],
  ["no other than|lest", "plain words"],
  ["sightings?", "scan; observation"],
  ["sidecars?", "conflict copy"],
  ["parked", "set aside; off-thread"],
  ["halt(?:s|ed)?", "stopped by a safety check"],
  ["come(?:s)? home|ma[dk]es? way", "plain words"],
  ["the (?:house|rooms?|doors?|net)", "architecture; module; entry point"],
];

/** Patterns of words that comments may use, but texts for users may not. */
const WORDS: readonly Word[] = [
  ...UNUSED_WORDS,
  ["here", "local"],
  ["there(?! (?:is|are|was|were)\\b)", "on the service"],
  ["tells?|told|telling", "report, say"],
  ["at once", "immediately"],
  ["(?<!-)as of", "since, at"],
  ["so many", "a number"],
  ["looks? at both sides", "scan; observation"],
  ["guards?", "stopped by a safety check"],
  ["let(?:s|ting)? go", "approve"],
  ["bring(?:s|ing)? back|brought back", "restore, reject"],
  ["needs? you|what waits", "action required; pending"],
  ["held", "blocked"],
  ["(?<!set[- ])aside", "set aside; off-thread"],
  ["standing", "state, status"],
  ["news", "events"],
  ["quiet", "unchanged"],
  ["by hand", "manual, manually"],
  ["texts", "contents, versions, files"],
  ["planted faults?|drills?|lives", "mutants; simulation runs"],
  ["house|rooms?|doors?", "architecture; module; entry point"],
  ["hand(?:s|ed)? over", "plain words"],
];
const BANNED = WORDS.map(([word, instead]) => [new RegExp(`\\b(?:${word})\\b`, "gi"), instead] as const);

/**
 * LIMIT: words of a sentence. An item of a list may have more, because it is often a sentence and
 * its reason.
 */
const LONGEST = { sentence: 25, item: 30 } as const;

/** Returns a line for each fault: the number of the line, and what is wrong. */
export function proseFaults(text: string): string[] {
  return paragraphs(text).flatMap(({ line, words, isItem }) => [
    ...BANNED.flatMap(([pattern, instead]) =>
      [...words.matchAll(pattern)].map((match) => `${line}: "${match[0]}": write: ${instead}`),
    ),
    ...sentences(words)
      .filter((count) => count > (isItem ? LONGEST.item : LONGEST.sentence))
      .map((count) => `${line}: a sentence of ${count} words`),
  ]);
}

type Paragraph = { readonly line: number; readonly words: string; readonly isItem: boolean };

/**
 * Joins the lines of each paragraph, list item and table cell. Drops code, addresses, HTML
 * comments, and headings that are codes.
 */
function paragraphs(text: string): Paragraph[] {
  const blank = (code: string) => code.replace(/[^\n]/g, "");
  const lines = text
    .replace(/^```[\s\S]*?^```$/gm, blank)
    .replace(/<!--[\s\S]*?-->/g, blank)
    .replace(/^#+ [a-z-]+$/gm, blank)
    .replace(/`[^`]+`/g, (code) => `CODE${blank(code)}`)
    .replace(/\]\([^)\s]*\)/g, "]")
    .split("\n");
  const found: { line: number; words: string; isItem: boolean }[] = [];
  let isOpen = false;
  for (const [index, line] of lines.entries()) {
    const row = line.startsWith("|");
    const isItem = /^\s*(?:[-*]|\d+\.)\s/.test(line);
    if (row) for (const cell of line.split("|")) found.push({ line: index + 1, words: cell, isItem: true });
    else if (isOpen && !isItem && line.trim() !== "") found.at(-1)!.words += ` ${line.trim()}`;
    else if (line.trim() !== "") found.push({ line: index + 1, words: line.trim(), isItem });
    isOpen = !row && line.trim() !== "" && !line.startsWith("#");
  }
  return found;
}

/** Returns the number of words of each sentence. */
function sentences(text: string): number[] {
  return text
    .split(/(?<=[.!?:;])\**\s+(?=[A-Z*[`(]|CODE|\d)/)
    .map((one) => (one.match(/[\p{L}\d][\p{L}\d'’.-]*/gu) ?? []).length);
}

/**
 * Returns the links of a Markdown file that lead to no file of the checkout, or to no heading.
 * @param root absolute path of the checkout
 * @param file path in the checkout
 */
export function deadLinks(root: string, file: string): string[] {
  const text = readFileSync(join(root, file), "utf8").replace(/^```[\s\S]*?^```$/gm, "");
  return [...text.matchAll(/\]\((?![a-z]+:)([^)\s#]*)(?:#([^)\s]+))?\)/g)]
    .filter(([, path = "", anchor]) => {
      const target = path === "" ? file : normalize(join(dirname(file), path));
      if (!existsSync(join(root, target))) return true;
      return anchor !== undefined && !anchorsOf(readFileSync(join(root, target), "utf8")).has(anchor);
    })
    .map(([link]) => link.slice(2, -1));
}

/** Returns the headings in the form of GitHub's anchors. */
function anchorsOf(text: string): Set<string> {
  const headings = [...text.replace(/^```[\s\S]*?^```$/gm, "").matchAll(/^#+ (.+)$/gm)];
  return new Set(
    headings.map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\d\s_-]/gu, "")
        .replace(/\s/g, "-"),
    ),
  );
}
