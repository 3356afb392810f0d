import { describe, it } from "vitest";
import type { Deployment } from "../simulator/rig.ts";
import { checkRow, DEPLOYMENTS, type Row, titled } from "./check-row.ts";

/**
 * Which side wins, case by case, through the whole engine: real planner, client, disk layer, state
 * and service. Only disk, clock and wire are in memory.
 */

const SWAP = "mv a.md t.md; mv b.md a.md; mv t.md b.md";
const CLASH = { blocked: ["name-clash"] };

/** Returns a function that is true for deployments that refuse one of these characters in names. */
function refuses(characters: string): (deployment: Deployment) => boolean {
  return ({ refusedCharacters = "" }) => [...characters].every((each) => refusedCharacters.includes(each));
}

const CONTENT: readonly Row[] = [
  ["a.md=1", "", "", "a.md=1<a.md"],
  ["a.md=1", "write a.md 2", "", "a.md=2<a.md"],
  ["a.md=1", "save a.md 2", "", "a.md=2<a.md"],
  ["a.md=1", "", "edit a.md 2", "a.md=2<a.md"],
  ["", "write n/a.md 1", "", "n/a.md=1"],
  ["", "write a.md $EMPTY", "", "a.md=$EMPTY"],
  ["", "", "new n/a.md 1", "n/a.md=1"],
  ["a.md=1 b.md=2", "rm a.md", "", "b.md=2"],
  ["a.md=1 b.md=2", "", "rm a.md", "b.md=2"],
  ["a.md=1 b.md=2", "rm a.md", "rm a.md", "b.md=2"],
  // Edited on both sides: merged, adopted or a conflict.
  ["a.md=$X", "write a.md $X1", "edit a.md $X10", "a.md=$X1+10<a.md"],
  ["a.md=1", "write a.md 2", "edit a.md 2", "a.md=2<a.md"],
  ["a.md=1", "write a.md 2", "edit a.md 3", "a.md=2 a_(theirs).md=3 / a.md=3<a.md", { blocked: ["conflict"] }],
  // New on both sides with different line ends: they become one document, and each side keeps its
  // bytes.
  ["", "write a.md 1", "new a.md 1", "a.md=1"],
  ["", "write a.md $CRLF", "new a.md $LF", "a.md=$CRLF / a.md=$LF"],
  // Content over the limit.
  ["", "write a.md $LARGE; write b.md 1", "", "a.md=$LARGE b.md=1 / b.md=1", { blocked: ["too-large"] }],
];

const EDIT_BEATS_DELETION: readonly Row[] = [
  ["a.md=1 b.md=2", "rm a.md", "edit a.md 3", "a.md=3<a.md b.md=2"],
  ["a.md=1 b.md=2", "write a.md 3", "rm a.md", "a.md=3 b.md=2"],
  ["f/a.md=1 f/b.md=2 k.md=3", "rm f", "edit f/a.md 4", "f/a.md=4<f/a.md k.md=3"],
];

const FIRST_SYNC: readonly Row[] = [
  ["", "write a.md 1", "new a.md 2", "a.md=1 a_(theirs).md=2 / a.md=2", { blocked: ["conflict"] }],
];

const ROUND_TRIP: readonly Row[] = [
  [
    "",
    "write a.md $ODD",
    "",
    "a.md=$ODD",
    { where: [({ normalise }) => normalise === true, { ends: "a.md=$NORMALISED" }] },
  ],
];

const PLACES: readonly Row[] = [
  ["a.md=1", "mv a.md b.md", "", "b.md=1<a.md"],
  ["a.md=1", "", "mv a.md b.md", "b.md=1<a.md"],
  ["a.md=1 f/b.md=2", "mv a.md f/a.md", "", "f/a.md=1<a.md f/b.md=2"],
  ["a.md=1", "mkdir n; mv a.md n/a.md", "", "n/a.md=1<a.md"],
  [
    "f/a.md=1 f/b.md=2",
    "mv f/a.md a.md",
    "",
    "a.md=1<f/a.md f/b.md=2",
    {
      where: [
        ({ noMoveToRoot }) => noMoveToRoot === true,
        { ends: "a.md=1 f/b.md=2 / f/a.md=1<f/a.md f/b.md=2", blocked: ["no-move-to-root"] },
      ],
    },
  ],
  ["f/a.md=1 g/b.md=2", "mv f/a.md g/c.md", "", "g/b.md=2 g/c.md=1<f/a.md"],
  ["f/a.md=1 g/b.md=2", "", "mv f/a.md g/a.md", "g/a.md=1<f/a.md g/b.md=2"],
  // Chains and swaps of names.
  ["a.md=1 b.md=2", "mv b.md c.md; mv a.md b.md", "", "b.md=1<a.md c.md=2<b.md"],
  ["a.md=1 b.md=2", SWAP, "", "a.md=2<b.md b.md=1<a.md"],
  ["a.md=1 b.md=2", "", SWAP, "a.md=2<b.md b.md=1<a.md"],
  ["a.md=$A b.md=$B", `write a.md $A+; ${SWAP}; write a.md $B+`, "", "a.md=$B+<b.md b.md=$A+<a.md"],
  [
    "a.md=$A d/b.md=$B d/c.md=$C",
    "mv d/c.md d/n.md; mv d/b.md d/c.md; mv a.md d/b.md; write d/n.md $C+; write d/c.md $B+; write d/b.md $A+; write a.md $NEW",
    "",
    "a.md=$NEW d/b.md=$A+<a.md d/c.md=$B+<d/b.md d/n.md=$C+<d/c.md",
  ],
  // A move on one side, something else on the other.
  ["a.md=$X", "mv a.md b.md; save b.md $X1", "", "b.md=$X1<a.md"],
  ["a.md=1", "mv a.md b.md", "edit a.md 2", "b.md=2<a.md"],
  ["a.md=1", "write a.md 2", "mv a.md b.md", "b.md=2<a.md"],
  ["a.md=1 k.md=2", "rm a.md", "mv a.md b.md", "b.md=1<a.md k.md=2"],
  ["a.md=1", "mv a.md b.md", "mv a.md b.md", "b.md=1<a.md"],
  ["a.md=1", "mv a.md h.md", "mv a.md t.md", "t.md=1<a.md"],
  ["a.md=$X", "write b.md $X", "", "a.md=$X<a.md b.md=$X"],
  // Two documents want one path.
  ["a.md=1", "mv a.md n.md", "new n.md 2", "n-2.md=1<a.md n.md=2"],
  // The numbered name may be the former name of the document.
  ["k.md=2 n-2.md=1", "mv n-2.md n.md", "mv k.md n.md", "n-2.md=1<n-2.md n.md=2<k.md"],
  ["k/b.md=2 n-2/a.md=1", "mv n-2 n", "mv k n", "n-2/a.md=1<n-2/a.md n/b.md=2<k/b.md"],
  // Folders.
  ["f/a.md=1 f/g/b.md=2", "mv f h", "", "h/a.md=1<f/a.md h/g/b.md=2<f/g/b.md"],
  ["f/a.md=1 f/g/b.md=2", "", "mv f h", "h/a.md=1<f/a.md h/g/b.md=2<f/g/b.md"],
  ["f/a.md=1 f/b.md=2", "mv f h", "edit f/a.md 3", "h/a.md=3<f/a.md h/b.md=2"],
  ["f/a.md=1 g/b.md=2", "mv f g/f", "", "g/b.md=2 g/f/a.md=1<f/a.md"],
  ["f/a.md=1 g/b.md=2", "mv f t; mv g f; mv t g", "", "f/b.md=2<g/b.md g/a.md=1<f/a.md"],
];

const FOLDERS: readonly Row[] = [
  ["a.md=1", "mkdir empty", "", "a.md=1 empty/"],
  ["a.md=1", "", "mkdir empty/in", "a.md=1 empty/in/"],
  ["f/a.md=1 f/g/b.md=2 k.md=3", "rm f", "", "k.md=3"],
  ["f/a.md=1 f/g/b.md=2 k.md=3", "", "rm f", "k.md=3"],
  ["f/a.md=1 k.md=2", "write f/new.md 3", "rm f", "f/new.md=3 k.md=2"],
  // The path of a new folder is taken by a local file that is not synced.
  ["", "write k.md 1; write x 2", "mkdir x", "k.md=1 x=2 / k.md=1", { blocked: ["path-taken"] }],
];

const NAMES: readonly Row[] = [
  // A name with a space gets another name on the service, and keeps its local name.
  ["", "write My_notes.md 1", "", "My_notes.md=1 / My-notes.md=1"],
  ["", "write My_notes/a_b.md 1", "", "My_notes/a_b.md=1 / My-notes/a-b.md=1"],
  ["", "write a_b.md 1; write a-b.md 2", "", "a-b.md=2 a_b.md=1 / a-b.md=2", CLASH],
  // Letters that some deployments take for the same letter.
  [
    "",
    "write Note.md 1; write note.md 2",
    "",
    "Note.md=1 note.md=2",
    { where: [({ foldsCase }) => foldsCase === true, { ends: "Note.md=1 note.md=2 / Note.md=1", ...CLASH }] },
  ],
  [
    "\u00e9.md=1",
    "write e\u0301.md 2",
    "",
    "\u00e9.md=1 e\u0301.md=2",
    {
      where: [
        ({ foldsUnicode }) => foldsUnicode === true,
        { ends: "\u00e9.md=1 e\u0301.md=2 / \u00e9.md=1", ...CLASH },
      ],
    },
  ],
  ["Note.md=1", "mv Note.md note.md", "", "note.md=1<Note.md"],
  // Characters that some deployments refuse.
  ["", "write a=b.md 1", "", "a=b.md=1", { where: [refuses("="), { ends: "a=b.md=1 / a-b.md=1" }] }],
  ["", "write a!b.md 1", "", "a!b.md=1", { where: [refuses("!"), { ends: "a!b.md=1 / a-b.md=1" }] }],
  [
    "x.md=1 f/y.md=2",
    "mv x.md a=b.md; mv f f+g",
    "",
    "a=b.md=1<x.md f+g/y.md=2<f/y.md",
    { where: [refuses("=+"), { ends: "a=b.md=1 f+g/y.md=2 / a-b.md=1<x.md f-g/y.md=2<f/y.md" }] },
  ],
];

describe.each(DEPLOYMENTS)("on a deployment: %s", (_, deployment) => {
  const check = (_: string, row: Row): Promise<void> => checkRow(row, deployment);
  it.each(titled(CONTENT))("contents: %s", check);
  it.each(titled(EDIT_BEATS_DELETION))("I06 an edit beats a deletion: %s", check);
  it.each(titled(FIRST_SYNC))("I05 a first sync deletes nothing: %s", check);
  it.each(titled(ROUND_TRIP))("I25 bytes stay as they are: %s", check);
  it.each(titled(PLACES))("I09 a document keeps its id wherever it moves: %s", check);
  it.each(titled(FOLDERS))("folders: %s", check);
  it.each(titled(NAMES))("I09 names: %s", check);
});
