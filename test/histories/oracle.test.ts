import { describe, expect, test } from "vitest";
import { checkHistory } from "./oracle.ts";
import type { Answer, ExecutedOperation, Operation } from "./operation.ts";

/** Returns the content of a document whose paragraphs have these marks. */
function textOf(...marks: readonly number[]): string {
  return `${marks.map((mark, n) => `Paragraph ${n} <m${mark}>`).join("\n\n")}\n`;
}

type Shown = { readonly parentId?: string | null; readonly protected?: boolean };

/** Returns a document as the service shows it. */
function file(id: string, path: string, lastChangeId: string, { parentId = null, ...more }: Shown = {}) {
  return { object: "file", id, path, parentId, protected: false, lastChangeId, ...more };
}

const folder = (id: string, path: string, parentId: string | null = null) => ({
  object: "folder",
  id,
  path,
  parentId,
});

const page = (data: readonly object[], nextCursor: string | null = null) => ({
  data,
  hasMore: nextCursor !== null,
  nextCursor,
});

const refusal = (code: string) => ({ code, detail: "refused" });

/**
 * Start and end of an operation, the operation, and its answer, which is missing if it was lost.
 */
type Line = readonly [span: readonly [from: number, to: number], op: Operation, status?: number, json?: object | null];

function script(...lines: readonly Line[]): ExecutedOperation[] {
  return lines.map(([[from, to], op, status, json], client) => {
    const answer: Answer | null = status === undefined ? null : { status, json: json ?? null };
    return { client, op, from, to: answer === null ? Infinity : to, answer };
  });
}

/** The document of most histories: its content at creation, and two edits of it. */
const OLD = textOf(1, 2, 3);
const create = (path: string, text = OLD): Operation => ({ kind: "create", place: { path }, text });
const read = (id: string): Operation => ({ kind: "read", id });
const edit = (base: string, text: string, id = "doc_a"): Operation => ({ kind: "edit", id, base, text });
const list = (listing: number, limit = 10, cursor: string | null = null): Operation => ({
  kind: "list",
  of: "files",
  selector: null,
  limit,
  cursor,
  listing,
});

const A = file("doc_a", "/a.md", "chg_1");
const made = [[0, 1], create("/a.md"), 201, A] as const;
const [FIRST, LAST] = [textOf(4, 2, 3), textOf(1, 2, 5)];
const edited = (change: string, content: string, path = "/a.md") => ({
  file: file("doc_a", path, change),
  content,
});

/** Returns all broken rules of a history. */
function faultsOf(history: readonly ExecutedOperation[]): string {
  const { broken, undecided } = checkHistory(history);
  return [...broken, ...undecided].join("\n");
}

/** Handwritten histories, each with one fault that the checker must find. */

describe("finds", () => {
  test.each<[string, RegExp, ExecutedOperation[]]>([
    [
      "a stale read",
      /^document doc_a: /,
      script(
        made,
        [[2, 3], edit("chg_1", FIRST), 200, edited("chg_2", FIRST)],
        [[4, 5], read("doc_a"), 200, { ...A, content: OLD }],
      ),
    ],
    [
      "a stale row in a list",
      /^document doc_a: /,
      script(made, [[2, 3], edit("chg_1", FIRST), 200, edited("chg_2", FIRST)], [[4, 5], list(1), 200, page([A])]),
    ],
    [
      "an update that is lost",
      /^document doc_a: /,
      script(
        made,
        [[2, 5], edit("chg_1", FIRST), 200, edited("chg_2", FIRST)],
        [[3, 4], edit("chg_1", LAST), 200, edited("chg_3", LAST)],
        [[6, 7], read("doc_a"), 200, { ...file("doc_a", "/a.md", "chg_3"), content: LAST }],
      ),
    ],
    [
      "a merge that leaves one side out",
      /^document doc_a: /,
      script(
        made,
        [[2, 3], edit("chg_1", FIRST), 200, edited("chg_2", FIRST)],
        [[4, 5], edit("chg_1", LAST), 200, edited("chg_3", LAST)],
      ),
    ],
    [
      "a review where the two combine",
      /^document doc_a: /,
      script(
        made,
        [[2, 3], edit("chg_1", FIRST), 200, edited("chg_2", FIRST)],
        [[4, 5], edit("chg_1", LAST), 202, { id: "chg_3", reason: "conflict" }],
      ),
    ],
    [
      "a path that is held twice",
      /^place root\/b.md: /,
      script(
        made,
        [[2, 3], create("/b.md", textOf(7)), 201, file("doc_b", "/b.md", "chg_7")],
        [[4, 5], { kind: "rename", id: "doc_a", name: "b.md" }, 200, file("doc_a", "/b.md", "chg_1")],
      ),
    ],
    [
      "a path that is free and refused",
      /^place root\/b.md: /,
      script(
        made,
        [[2, 3], create("/b.md", textOf(7)), 409, refusal("path_already_exists")],
        [[4, 5], create("/b.md", textOf(8)), 201, file("doc_b", "/b.md", "chg_7")],
      ),
    ],
    [
      "a path twice in a page",
      /path \/a.md is twice in one page/,
      script(
        made,
        [[2, 9], create("/b.md", textOf(7)), 201, file("doc_b", "/b.md", "chg_7")],
        [[3, 8], list(1), 200, page([A, file("doc_b", "/a.md", "chg_7")])],
      ),
    ],
    [
      "a document on two pages of a listing",
      /doc_a is twice in the pages of listing 1/,
      script(made, [[2, 3], list(1, 1), 200, page([A], "cur")], [[4, 5], list(1, 1, "cur"), 200, page([A])]),
    ],
    ["a row that a listing skipped", /a listing without it/, script(made, [[2, 3], list(1), 200, page([])])],
    [
      "a row that a listing skipped between its pages",
      /a listing without it/,
      script(
        made,
        [[2, 3], create("/b.md", textOf(7)), 201, file("doc_b", "/b.md", "chg_7")],
        [[4, 5], list(1, 1), 200, page([A], "cur")],
        [[6, 7], list(1, 1, "cur"), 200, page([])],
      ),
    ],
    [
      "a document that came back",
      /^document doc_a: /,
      script(
        made,
        [[2, 3], { kind: "delete", id: "doc_a" }, 204],
        [[4, 5], read("doc_a"), 200, { ...A, content: OLD }],
      ),
    ],
    [
      "a document that went by itself",
      /^document doc_a: /,
      script(made, [[2, 3], read("doc_a"), 404, refusal("file_not_found")]),
    ],
    [
      "a document that nobody made",
      /^document doc_z: /,
      script([[0, 1], read("doc_z"), 200, { ...file("doc_z", "/z.md", "chg_1"), content: OLD }]),
    ],
    [
      "a creation that was done twice",
      /one creation made doc_a and doc_b/,
      script(
        [[0, 1], create("/a.md")],
        [[2, 3], read("doc_a"), 200, { ...A, content: OLD }],
        [[4, 5], read("doc_b"), 200, { ...file("doc_b", "/b.md", "chg_5"), content: OLD }],
      ),
    ],
    [
      "a change id that is used again",
      /chg_1 is of doc_a and of doc_b/,
      script(made, [[2, 3], create("/b.md", textOf(7)), 201, file("doc_b", "/b.md", "chg_1")]),
    ],
    [
      "a version that is another text later",
      /chg_1 has two texts/,
      script(made, [[2, 3], read("doc_a"), 200, { ...A, content: FIRST }]),
    ],
    [
      "a version that the service forgot",
      /invalid_base_change/,
      script(made, [[2, 3], edit("chg_1", OLD), 400, refusal("invalid_base_change")]),
    ],
    [
      "a deletion of what is in review",
      /^document doc_a: /,
      script(
        made,
        [[2, 3], { kind: "protect", id: "doc_a", on: true }, 200, { ...A, protected: true }],
        [[4, 5], edit("chg_1", FIRST), 202, { id: "chg_2", reason: "protected" }],
        [[6, 7], { kind: "delete", id: "doc_a" }, 204],
      ),
    ],
    [
      "an edit of a protected document that went live",
      /^document doc_a: /,
      script(
        made,
        [[2, 3], { kind: "protect", id: "doc_a", on: true }, 200, { ...A, protected: true }],
        [[4, 5], edit("chg_1", FIRST), 200, edited("chg_2", FIRST)],
      ),
    ],
    [
      "a review that was decided twice",
      /^document doc_a: /,
      script(
        made,
        [[2, 3], { kind: "protect", id: "doc_a", on: true }, 200, { ...A, protected: true }],
        [[4, 5], edit("chg_1", FIRST), 202, { id: "chg_2", reason: "protected" }],
        [[6, 7], { kind: "reject", id: "chg_2", file: "doc_a" }, 200, {}],
        [
          [8, 9],
          { kind: "accept", id: "chg_2", file: "doc_a" },
          200,
          file("doc_a", "/a.md", "chg_3", { protected: true }),
        ],
      ),
    ],
    [
      "a document in a folder that is gone",
      /^document doc_a: /,
      script(
        [[0, 1], create("/f/a.md"), 201, file("doc_a", "/f/a.md", "chg_1", { parentId: "dir_f" })],
        [[2, 3], { kind: "delete-folder", id: "dir_f", recursive: true }, 204],
        [[4, 5], read("doc_a"), 200, { ...file("doc_a", "/f/a.md", "chg_1", { parentId: "dir_f" }), content: OLD }],
      ),
    ],
    [
      "folders that hold each other",
      /^folders: /,
      script(
        [[0, 1], { kind: "make-folder", place: { path: "/f" } }, 201, folder("dir_f", "/f")],
        [[2, 3], { kind: "make-folder", place: { path: "/g" } }, 201, folder("dir_g", "/g")],
        [[4, 9], { kind: "move-folder", id: "dir_f", parentId: "dir_g" }, 200, folder("dir_f", "/g/f", "dir_g")],
        [[5, 8], { kind: "move-folder", id: "dir_g", parentId: "dir_f" }, 200, folder("dir_g", "/f/g", "dir_f")],
      ),
    ],
    [
      "two folders at one path",
      /^folders: /,
      script(
        [[0, 9], { kind: "make-folder", place: { path: "/f" } }, 201, folder("dir_f", "/f")],
        [[1, 8], { kind: "make-folder", place: { path: "/f" } }, 201, folder("dir_g", "/f")],
      ),
    ],
    [
      "an old path of a folder",
      /^folders: /,
      script(
        [[0, 1], create("/f/a.md"), 201, file("doc_a", "/f/a.md", "chg_1", { parentId: "dir_f" })],
        [[2, 3], { kind: "rename-folder", id: "dir_f", name: "g" }, 200, folder("dir_f", "/g")],
        [[4, 5], read("doc_a"), 200, { ...file("doc_a", "/f/a.md", "chg_1", { parentId: "dir_f" }), content: OLD }],
      ),
    ],
    ["a 500", /not to be answered so/, script([[0, 1], create("/a.md"), 500, refusal("internal_error")])],
    [
      "a refusal that nothing justifies",
      /not to be answered so/,
      script(made, [[2, 3], read("doc_a"), 403, refusal("forbidden")]),
    ],
  ])("%s", (_, expected, history) => {
    expect(faultsOf(history)).toMatch(expected);
  });
});
