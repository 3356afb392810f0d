import { describe, expect, test } from "vitest";
import { judge, tellVerdict } from "./judge.ts";
import type { Done } from "./operation.ts";
import {
  A,
  BOTH,
  create,
  edit,
  edited,
  faultsOf,
  FIRST,
  file,
  folder,
  LAST,
  list,
  made,
  OLD,
  page,
  read,
  refusal,
  script,
  textOf,
} from "./script.ts";

/** Histories written by hand that one service may have. */

describe("holds", () => {
  test.each<[string, Done[]]>([
    [
      "an edit and a read after it",
      script(
        made,
        [[2, 3], edit("chg_1", FIRST), 200, edited("chg_2", FIRST)],
        [[4, 5], read("doc_a"), 200, { ...file("doc_a", "/a.md", "chg_2"), content: FIRST }],
      ),
    ],
    [
      "two edits on one base, combined",
      script(
        made,
        [[2, 9], edit("chg_1", FIRST), 200, edited("chg_2", FIRST)],
        [[3, 8], edit("chg_1", LAST), 200, edited("chg_3", BOTH)],
      ),
    ],
    [
      "an edit that meets another one, in review",
      script(
        made,
        [[2, 3], edit("chg_1", FIRST), 200, edited("chg_2", FIRST)],
        [[4, 5], edit("chg_1", textOf(6, 2, 3)), 202, { id: "chg_3", reason: "conflict" }],
        [[6, 7], { kind: "delete", id: "doc_a" }, 409, refusal("changes_in_review")],
      ),
    ],
    [
      "an edit whose answer was lost, seen later",
      script(
        made,
        [[2, 3], edit("chg_1", FIRST)],
        [[4, 5], read("doc_a"), 200, { ...A, content: OLD }],
        [[6, 7], read("doc_a"), 200, { ...file("doc_a", "/a.md", "chg_9"), content: FIRST }],
      ),
    ],
    [
      "a creation whose answer was lost",
      script(
        [[0, 1], create("/a.md")],
        [[2, 3], create("/a.md", textOf(7)), 409, refusal("path_already_exists")],
        [[4, 5], read("doc_a"), 200, { ...A, content: OLD }],
      ),
    ],
    [
      "a place that is taken again",
      script(
        made,
        [[2, 3], { kind: "rename", id: "doc_a", name: "b.md" }, 200, file("doc_a", "/b.md", "chg_1")],
        [[4, 5], create("/a.md", textOf(7)), 201, file("doc_c", "/a.md", "chg_7")],
      ),
    ],
    ["a listing beside a creation", script([[0, 5], create("/a.md"), 201, A], [[1, 4], list(1), 200, page([])])],
    [
      "a folder with all that is in it, gone",
      script(
        [[0, 1], create("/f/a.md"), 201, file("doc_a", "/f/a.md", "chg_1", { parentId: "dir_f" })],
        [[2, 3], { kind: "delete-folder", id: "dir_f", recursive: true }, 204],
        [[4, 5], read("doc_a"), 404, refusal("file_not_found")],
        [[6, 7], { kind: "read-folder", id: "dir_f" }, 404, refusal("folder_not_found")],
      ),
    ],
    [
      "a path through a folder that moved",
      script(
        [[0, 1], create("/f/a.md"), 201, file("doc_a", "/f/a.md", "chg_1", { parentId: "dir_f" })],
        [[2, 5], { kind: "rename-folder", id: "dir_f", name: "g" }, 200, folder("dir_f", "/g")],
        [[3, 4], read("doc_a"), 200, { ...file("doc_a", "/f/a.md", "chg_1", { parentId: "dir_f" }), content: OLD }],
      ),
    ],
    [
      "a review that was accepted",
      script(
        made,
        [[2, 3], { kind: "protect", id: "doc_a", on: true }, 200, { ...A, protected: true }],
        [[4, 5], edit("chg_1", FIRST), 202, { id: "chg_2", reason: "protected" }],
        [
          [6, 7],
          { kind: "accept", id: "chg_2", file: "doc_a" },
          200,
          file("doc_a", "/a.md", "chg_3", { protected: true }),
        ],
        [[8, 9], read("doc_a"), 200, { ...file("doc_a", "/a.md", "chg_3", { protected: true }), content: FIRST }],
      ),
    ],
  ])("%s", (_, history) => {
    expect(faultsOf(history)).toBe("");
  });
});

test("the verdict tells what was looked at", () => {
  const verdict = judge(
    script(made, [[2, 3], edit("chg_1", FIRST)], [[4, 5], read("doc_a"), 200, { ...A, content: OLD }]),
  );
  expect(tellVerdict(verdict)).toMatch(
    /^3 operations, 2 acknowledged, 1 unknown; 1 documents and 1 places checked, \d+ states searched: holds$/,
  );
});
