import { judge } from "./judge.ts";
import type { Answer, Done, Operation } from "./operation.ts";

/** A history written by hand: what tests of the judge stand on. */

/** The text of a document whose paragraphs have these marks. */
export function textOf(...marks: readonly number[]): string {
  return `${marks.map((mark, n) => `Paragraph ${n} <m${mark}>`).join("\n\n")}\n`;
}

type Shown = { readonly parentId?: string | null; readonly protected?: boolean };

/** A document as the service shows it. */
export function file(id: string, path: string, lastChangeId: string, { parentId = null, ...more }: Shown = {}) {
  return { object: "file", id, path, parentId, protected: false, lastChangeId, ...more };
}

export const folder = (id: string, path: string, parentId: string | null = null) => ({
  object: "folder",
  id,
  path,
  parentId,
});

export const page = (data: readonly object[], nextCursor: string | null = null) => ({
  data,
  hasMore: nextCursor !== null,
  nextCursor,
});

export const refusal = (code: string) => ({ code, detail: "refused" });

/** From when to when, the client's operation, and its answer; without one it is unknown. */
type Line = readonly [span: readonly [from: number, to: number], op: Operation, status?: number, json?: object | null];

export function script(...lines: readonly Line[]): Done[] {
  return lines.map(([[from, to], op, status, json], client) => {
    const answer: Answer | null = status === undefined ? null : { status, json: json ?? null };
    return { client, op, from, to: answer === null ? Infinity : to, answer };
  });
}

/** The one document of most histories, and its texts: as it was created, and edited at one end. */
export const OLD = textOf(1, 2, 3);
export const create = (path: string, text = OLD): Operation => ({ kind: "create", place: { path }, text });
export const read = (id: string): Operation => ({ kind: "read", id });
export const edit = (base: string, text: string, id = "doc_a"): Operation => ({ kind: "edit", id, base, text });
export const list = (listing: number, limit = 10, cursor: string | null = null): Operation => ({
  kind: "list",
  of: "files",
  selector: null,
  limit,
  cursor,
  listing,
});

export const A = file("doc_a", "/a.md", "chg_1");
export const made = [[0, 1], create("/a.md"), 201, A] as const;
export const [FIRST, LAST] = [textOf(4, 2, 3), textOf(1, 2, 5)];
export const edited = (change: string, content: string, path = "/a.md") => ({
  file: file("doc_a", path, change),
  content,
});

/** What is broken in a history, in one text. */
export function faultsOf(history: readonly Done[]): string {
  const { broken, undecided } = judge(history);
  return [...broken, ...undecided].join("\n");
}
