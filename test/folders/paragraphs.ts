import { CREATED, SEEDED } from "./history.ts";

/** Contents whose paragraphs are known wherever they go: each has a mark and words of its own. */

export const DOCS = [...SEEDED, ...CREATED];

const WORDS = "amber birch cedar dune elm fern gorse heath iris juniper kelp larch moss nettle oak pine".split(" ");

/** Returns the mark of the nth paragraph that users wrote, which belongs to the document. */
export const markOf = (doc: string, n: number) => `<m${DOCS.indexOf(doc) + 1}${String(n).padStart(3, "0")}>`;

export function paragraph(doc: string, n: number): string {
  const words = [1, 2, 3, 4, 5, 6].map((k) => `${WORDS[(n * 7 + k * (n + 3)) % WORDS.length]}${n}`);
  return `${markOf(doc, n)} ${words.join(" ")}\n`;
}

export function withParagraph(content: string, added: string, n: number): string {
  const paragraphs = content.split("\n\n").map((one) => `${one.trim()}\n`);
  return paragraphs.toSpliced(n % (paragraphs.length + 1), 0, added).join("\n");
}

/** Returns the marks of one document, or all marks, sorted. */
export function marksIn(content: string, doc?: string): string[] {
  const marks = new Set(content.match(/<m\d+>/g) ?? []);
  return [...marks].filter((mark) => doc === undefined || DOCS[Number(mark[2]) - 1] === doc).toSorted();
}
