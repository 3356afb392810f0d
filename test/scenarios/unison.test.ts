import { describe, it } from "vitest";
import { checkRow, type Row, titled } from "../engine/check-row.ts";
import type { Deployment } from "../simulator/rig.ts";
import { DEPLOYMENTS } from "../engine/deployments.ts";

/**
 * Unison's self test (`src/test.ml`): changes of two replicas, of which one is the service.
 * Users expect each move to be a move, and no text to end anywhere else. mdmirror moves documents
 * by their ids. Moves of one file that are rows of `engine/who-wins.test.ts` are not repeated.
 */

const NO_FOLDER_ROUTE = (deployment: Deployment): boolean => deployment.noFolderPatchOrDelete !== undefined;

const MOVES: readonly Row[] = [
  // Moves 1, "multi-rename": three files and a folder, and a copy of one that stayed.
  [
    "x.md=foo y.md=bar z.md=bah c/b.md=quu d/a.md=barr",
    "mv x.md c/x.md; mv z.md o.md; mv d e; write c/z.md bar",
    "",
    "c/b.md=quu<c/b.md c/x.md=foo<x.md c/z.md=bar e/a.md=barr<d/a.md o.md=bah<z.md y.md=bar<y.md",
  ],
  // Moves 1, "non-rename": a file goes, and another one comes.
  ["k.md=1 y.md=bar", "rm y.md; write x.md bah", "", "k.md=1<k.md x.md=bah"],
  // Moves 5: a file is renamed over another one, which the other side deletes.
  ["x.md=foo y.md=bar", "rm y.md; mv x.md y.md", "rm y.md", "y.md=foo<x.md"],
  // Moves 5: a folder is renamed, and the file in it gets another name on the other side.
  [
    "d/a.md=barr k.md=1",
    "mv d e",
    "mv d/a.md d/b.md",
    "e/b.md=barr<d/a.md k.md=1",
    // Where a folder has no route for its name, the document has moved on both sides.
    { where: [NO_FOLDER_ROUTE, { ends: "d/b.md=barr<d/a.md k.md=1" }] },
  ],
  // Moves 5: a folder and a file, or two folders, want one name.
  [
    "c/b.md=quu",
    "mv c z",
    "mkdir z; new z/k.md fooz",
    "z-2/b.md=quu<c/b.md z/k.md=fooz",
    { where: [NO_FOLDER_ROUTE, { ends: "z/b.md=quu<c/b.md z/k.md=fooz" }] },
  ],
  // Moves 6: two files, and two folders, are renamed to one name, one on each side.
  ["x.md=foo y.md=bar", "mv x.md z.md", "mv y.md z.md", "z-2.md=foo<x.md z.md=bar<y.md"],
  [
    "c/b.md=quu d/a.md=barr",
    "mv c z",
    "mv d z",
    "z-2/b.md=quu<c/b.md z/a.md=barr<d/a.md",
    { where: [NO_FOLDER_ROUTE, { ends: "z/a.md=barr<d/a.md z/b.md=quu<c/b.md" }] },
  ],
];

const CONTENTS: readonly Row[] = [
  // "Propagation": a tree on each side becomes one.
  [
    "",
    "write a.md a; write b.md b; write d1/a.md a1; write d1/b.md b1",
    "new x.md x; new y.md y; new d2/x.md x2; new d2/y.md y2",
    "a.md=a b.md=b d1/a.md=a1 d1/b.md=b1 d2/x.md=x2 d2/y.md=y2 x.md=x y.md=y",
  ],
  // "Atomicity" 1: parts of one folder change on both sides.
  [
    "g/a.md=foo g/b.md=bar g/c.md=baz",
    "write g/a.md one; write g/c.md one",
    "edit g/b.md two; edit g/c.md two",
    "g/a.md=one g/b.md=two g/c.md=one g/c_(theirs).md=two / g/a.md=one g/b.md=two g/c.md=two",
    { blocked: ["conflict"] },
  ],
  // "Fastercheck": the new text is as long as the old one.
  ["x.md=foo", "write x.md f00", "", "x.md=f00<x.md"],
];

describe.each(DEPLOYMENTS)("Unison's self test, on a deployment: %s", (_, deployment) => {
  it.each(titled(MOVES))("I09 moves: %s", (_, row) => checkRow(row, deployment));
  it.each(titled(CONTENTS))("contents: %s", (_, row) => checkRow(row, deployment));
});
