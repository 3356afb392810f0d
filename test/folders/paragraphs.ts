import { CREATED, SEEDED } from "./history.ts";

/** Contents of paragraphs that the test recognizes everywhere: each has its own mark and words. */

export const DOCS = [...SEEDED, ...CREATED];

const WORDS = "amber birch cedar dune elm fern gorse heath iris juniper kelp larch moss nettle oak pine".split(" ");

/** Returns the mark of the nth paragraph that users write. It also names the document. */
export const markOf = (doc: string, n: number) => `<m${DOCS.indexOf(doc) + 1}${String(n).padStart(3, "0")}>`;

export function paragraph(doc: string, n: number): string {
  const words = [1, 2, 3, 4, 5, 6].map((k) => `${WORDS[(n * 7 + k * (n + 3)) % WORDS.length]}${n}`);
  return `${markOf(doc, n)} ${words.join(" ")}\n`;
}

export function withParagraph(content: string, added: string, n: number): string {
  const paragraphs = content.split("\n\n").map((one) => `${one.trim()}\n`);
  return paragraphs.toSpliced(n % (paragraphs.length + 1), 0, added).join("\n");
}

/** Returns the sorted marks of one document, or of all documents. */
export function marksIn(content: string, doc?: string): string[] {
  const marks = new Set(content.match(/<m\d+>/g) ?? []);
  return [...marks].filter((mark) => doc === undefined || DOCS[Number(mark[2]) - 1] === doc).toSorted();
}
