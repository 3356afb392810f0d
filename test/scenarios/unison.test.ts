import { describe, it } from "vitest";
import { checkRow, DEPLOYMENTS, type Row, titled } from "../engine/check-row.ts";
import type { Deployment } from "../simulator/rig.ts";

/**
 * Unison's self test (`src/test.ml`). The service is one of the two replicas. Users expect that a
 * move stays a move, and that no content ends at another path. mdmirror moves documents by their
 * ids. Moves of one file are in `engine/who-wins.test.ts`.
 */

const NO_FOLDER_ROUTE = (deployment: Deployment): boolean => deployment.noFolderPatchOrDelete !== undefined;

const MOVES: readonly Row[] = [
  // Moves 1, "multi-rename": files and a folder are renamed, and a file that stays is copied.
  [
    "x.md=one y.md=two z.md=three c/b.md=four d/a.md=five",
    "mv x.md c/x.md; mv z.md o.md; mv d e; write c/z.md two",
    "",
    "c/b.md=four<c/b.md c/x.md=one<x.md c/z.md=two e/a.md=five<d/a.md o.md=three<z.md y.md=two<y.md",
  ],
  // Moves 1, "non-rename": one file is removed, another one created.
  ["k.md=1 y.md=two", "rm y.md; write x.md three", "", "k.md=1<k.md x.md=three"],
  // Moves 5: a file is renamed to the path of another one, which the other side deletes.
  ["x.md=one y.md=two", "rm y.md; mv x.md y.md", "rm y.md", "y.md=one<x.md"],
  // Moves 5: one side renames a folder, the other a file in it.
  [
    "d/a.md=five k.md=1",
    "mv d e",
    "mv d/a.md d/b.md",
    "e/b.md=five<d/a.md k.md=1",
    // If the service cannot change folders, both sides move the document, and the service's path
    // wins.
    { where: [NO_FOLDER_ROUTE, { ends: "d/b.md=five<d/a.md k.md=1" }] },
  ],
  // Moves 5: a folder and a file, or two folders, want one name.
  [
    "c/b.md=four",
    "mv c z",
    "mkdir z; new z/k.md six",
    "z-2/b.md=four<c/b.md z/k.md=six",
    { where: [NO_FOLDER_ROUTE, { ends: "z/b.md=four<c/b.md z/k.md=six" }] },
  ],
  // Moves 6: each side renames another file, or another folder, to the same name.
  ["x.md=one y.md=two", "mv x.md z.md", "mv y.md z.md", "z-2.md=one<x.md z.md=two<y.md"],
  [
    "c/b.md=four d/a.md=five",
    "mv c z",
    "mv d z",
    "z-2/b.md=four<c/b.md z/a.md=five<d/a.md",
    { where: [NO_FOLDER_ROUTE, { ends: "z/a.md=five<d/a.md z/b.md=four<c/b.md" }] },
  ],
];

const CONTENTS: readonly Row[] = [
  // "Propagation": each side has a tree, and the two become one.
  [
    "",
    "write a.md a; write b.md b; write d1/a.md a1; write d1/b.md b1",
    "new x.md x; new y.md y; new d2/x.md x2; new d2/y.md y2",
    "a.md=a b.md=b d1/a.md=a1 d1/b.md=b1 d2/x.md=x2 d2/y.md=y2 x.md=x y.md=y",
  ],
  // "Atomicity" 1: both sides change parts of one folder.
  [
    "g/a.md=one g/b.md=two g/c.md=three",
    "write g/a.md L; write g/c.md L",
    "edit g/b.md R; edit g/c.md R",
    "g/a.md=L g/b.md=R g/c.md=L g/c_(theirs).md=R / g/a.md=L g/b.md=R g/c.md=R",
    { blocked: ["conflict"] },
  ],
  // "Fastercheck": the new content has the same length as the old one.
  ["x.md=old", "write x.md new", "", "x.md=new<x.md"],
];

describe.each(DEPLOYMENTS)("Unison's self test, on a deployment: %s", (_, deployment) => {
  it.each(titled(MOVES))("I09 moves: %s", (_, row) => checkRow(row, deployment));
  it.each(titled(CONTENTS))("contents: %s", (_, row) => checkRow(row, deployment));
});
