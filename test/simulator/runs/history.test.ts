import { describe, expect, it } from "vitest";
import { History } from "./history.ts";

const [A, B] = ["tag 1\n\na\n", "tag 2\n\nb\n"];

/**
 * Renames `b.md` to `a.md` and saves it again with the same content.
 * @param a present path of the document that was at `a.md`; null: the document was removed
 * @returns tags of documents whose ids may go
 */
function afterRename(history: History, a: string | null): Set<string> {
  history.lookedAt(
    0,
    new Map([
      ["a.md", A],
      ["b.md", B],
    ]),
    true,
  );
  history.renamedHere(0, B);
  history.rewrittenHere(0, B);
  history.weighPaths(0, () => new Map([["a.md", B], ...(a === null ? [] : ([[a, A]] as const))]));
  return history.mayVanish;
}

it("I09 a document that was renamed and written anew must keep its id", () => {
  expect(afterRename(new History(), "b.md")).toEqual(new Set());
});

it("I09 its id may go where its path is that of a document that was removed", () => {
  expect(afterRename(new History(), null)).toEqual(new Set(["2"]));
});

it("I09 its id may go where its path is that of a document that was edited elsewhere", () => {
  const history = new History();
  history.editedHere(0, A);
  history.renamedHere(0, B);
  history.rewrittenHere(0, B);
  history.lookedAt(0, new Map([["a.md", A]]), false);
  history.weighPaths(
    0,
    () =>
      new Map([
        ["a.md", B],
        ["c.md", A],
      ]),
  );
  expect(history.mayVanish).toEqual(new Set(["2"]));
});

describe.each(["d", "other"])(
  "I09 b.md, written anew and moved to d/a.md, and then the folder %s is renamed",
  (renamed) => {
    const vanishing = (a: string | null): Set<string> => {
      const history = new History();
      history.lookedAt(
        0,
        new Map([
          ["d/a.md", A],
          ["b.md", B],
        ]),
        true,
      );
      history.rewrittenHere(0, B);
      history.renamedHere(0, B);
      history.folderMovedHere(0, renamed, "e");
      history.weighPaths(0, () => new Map([["e/a.md", B], ...(a === null ? [] : ([[a, A]] as const))]));
      return history.mayVanish;
    };

    it("its id may go only where that is the folder of a document that was removed", () => {
      expect(vanishing(null)).toEqual(new Set(renamed === "d" ? ["2"] : []));
    });

    it("it must keep its id where that document is elsewhere", () => {
      expect(vanishing("b.md")).toEqual(new Set());
    });
  },
);

it("I09 a document that was written anew where it was must keep its id", () => {
  const history = new History();
  history.lookedAt(0, new Map([["a.md", A]]), true);
  history.rewrittenHere(0, A);
  history.weighPaths(0, () => new Map([["a.md", A]]));
  expect(history.mayVanish).toEqual(new Set());
});

/**
 * `b.md` was renamed in step 2, the mirror scanned in `looked`, and then the file was saved with
 * other content.
 */
function editedAfter(looked: number): Set<string> {
  const history = new History();
  history.step = 2;
  history.renamedHere(0, B);
  history.step = looked;
  history.lookedAt(0, new Map([["a.md", B]]), true);
  history.step = 4;
  history.editedHere(0, B);
  return history.mayVanish;
}

it("I09 a document whose rename the mirror has seen must keep its id when it is edited", () => {
  expect(editedAfter(3)).toEqual(new Set());
});

it("I09 its id may go where it was renamed within the run that looked, and edited before the next", () => {
  expect(editedAfter(2)).toEqual(new Set(["2"]));
});

/**
 * Renames B after a conflict of two new documents at `a.md`, in which B was kept.
 * @param isSent true if the mirror sent B before the rename
 * @returns tags of documents whose ids may go
 */
function renamedAfterKept(isSent: boolean): Set<string> {
  const history = new History();
  history.step = 2;
  history.keptHere(0, B, A);
  history.step = 3;
  history.lookedAt(0, new Map([["a.md", B]]), isSent);
  history.step = 4;
  history.renamedHere(0, B);
  return history.mayVanish;
}

it("I09 the text that was kept of a conflict, and sent, must keep its document's id when it is renamed", () => {
  expect(renamedAfterKept(true)).toEqual(new Set());
});

it("I09 that id may go where it is renamed before it was sent: base has the other text alone", () => {
  expect(renamedAfterKept(false)).toEqual(new Set(["1", "2"]));
});

it("I01 the other version of a conflict is the document's where it is moved over that one's file", () => {
  const history = new History();
  history.takenHere(0, A, B);
  expect(history.mayVanish).toEqual(new Set(["1"]));
});

it("I01 it is a new document where it is moved over a file that was moved there", () => {
  const history = new History();
  history.renamedHere(0, A);
  history.takenHere(0, A, B);
  expect(history.mayVanish).toEqual(new Set(["1", "2"]));
});
