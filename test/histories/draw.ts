import type { Dice } from "../simulator/dice.ts";
import type { Known, Version } from "./known.ts";
import type { Operation, Place } from "./operation.ts";

/**
 * Draws a client's next operation. There are few documents, names and folders, so that clients
 * often meet. Each content that is sent has its own mark.
 */

const NAMES = ["one.md", "two.md", "three.md", "vier.md", "été.md", "Ünïcode-六.md"];
const FOLDER_NAMES = ["a", "b", "c", "Ä"];
const PARAGRAPHS = 5;
/** LIMIT: at this number of documents, no client creates one. */
const MAX_DOCUMENTS = 12;

/** Next unused number of marks and listings; all clients share it. */
export type Counter = { next: number };

export type Drawn = { readonly dice: Dice; readonly known: Known; readonly marks: Counter };

type Draw = (drawn: Drawn) => Operation | null;

/**
 * Relative frequency of each operation. An operation that is not possible yet, for want of
 * documents, becomes a creation.
 */
const WEIGHTS: readonly (readonly [number, Draw])[] = [
  [26, edit],
  [14, read],
  [8, create],
  [7, rename],
  [6, move],
  [5, remove],
  [12, list],
  [4, protect],
  [5, review],
  [3, makeFolder],
  [4, placeFolder],
  [2, removeFolder],
  [4, readFolder],
];
const TOTAL = WEIGHTS.reduce((sum, [weight]) => sum + weight, 0);

export function draw(drawn: Drawn): Operation {
  let roll = drawn.dice.below(TOTAL);
  for (const [weight, make] of WEIGHTS) {
    if (roll < weight) return make(drawn) ?? create(drawn) ?? list(drawn);
    roll -= weight;
  }
  throw new Error("the weights do not add up");
}

const mark = ({ marks }: Drawn) => `<m${marks.next++}>`;

function newText(drawn: Drawn): string {
  const body = Array.from({ length: PARAGRAPHS }, (_, n) => `Paragraph ${n} as it was made.`);
  return `${[`# Made ${mark(drawn)}`, ...body].join("\n\n")}\n`;
}

/** Replaces one paragraph. Sometimes sends the content of the base unchanged. */
function edit(drawn: Drawn): Operation | null {
  const { dice } = drawn;
  const versions = drawn.known.document(dice);
  if (versions === null) return null;
  const { id, change, text } = pickVersion(dice, versions);
  if (dice.below(30) === 0) return { kind: "edit", id, base: change, text };
  const parts = text.split("\n\n");
  const n = 1 + dice.below(parts.length - 1);
  parts[n] = `Paragraph ${n - 1} of ${mark(drawn)}.${n === parts.length - 1 ? "\n" : ""}`;
  return { kind: "edit", id, base: change, text: parts.join("\n\n") };
}

/** Mostly picks the newest version that any client has read. */
function pickVersion(dice: Dice, versions: readonly Version[]): Version {
  return dice.below(4) > 0 ? versions.at(-1)! : dice.pick(versions);
}

function ofDocument({ known, dice }: Drawn, make: (id: string) => Operation): Operation | null {
  const versions = known.document(dice);
  return versions === null ? null : make(versions[0]!.id);
}

function ofFolder({ known, dice }: Drawn, make: (id: string) => Operation): Operation | null {
  const id = known.folder(dice);
  return id === null ? null : make(id);
}

function read(drawn: Drawn): Operation | null {
  return ofDocument(drawn, (id) => ({ kind: "read", id }));
}

function create(drawn: Drawn): Operation | null {
  if (drawn.known.documents >= MAX_DOCUMENTS) return null;
  return { kind: "create", place: placeFor(drawn, NAMES), text: newText(drawn) };
}

function placeFor({ dice, known }: Drawn, names: readonly string[]): Place {
  const name = dice.pick(names);
  if (dice.below(2) === 0) return { parentId: known.folder(dice), name };
  // If there are many folders, the path creates no further one.
  const depth = known.hasManyFolders() ? 0 : dice.below(3);
  return { path: `/${[...Array.from({ length: depth }, () => dice.pick(FOLDER_NAMES)), name].join("/")}` };
}

function rename(drawn: Drawn): Operation | null {
  return ofDocument(drawn, (id) => ({ kind: "rename", id, name: drawn.dice.pick(NAMES) }));
}

function move(drawn: Drawn): Operation | null {
  return ofDocument(drawn, (id) => ({ kind: "move", id, parentId: drawn.known.folder(drawn.dice) }));
}

function remove(drawn: Drawn): Operation | null {
  return ofDocument(drawn, (id) => ({ kind: "delete", id }));
}

function protect(drawn: Drawn): Operation | null {
  return ofDocument(drawn, (id) => ({ kind: "protect", id, on: drawn.dice.below(3) === 0 }));
}

/** Requests the first page of a listing; the client then follows it to the end. */
function list({ dice, known, marks }: Drawn): Operation {
  const listing = marks.next++;
  const limit = dice.pick([2, 5, 1_000]);
  const folder = known.folder(dice);
  const of = dice.below(4) === 0 ? "folders" : "files";
  if (of === "files" && folder !== null && dice.below(2) === 0) {
    return { kind: "list", of, selector: { parent_id: folder }, limit, cursor: null, listing };
  }
  const selector = of === "folders" || dice.below(2) === 0 ? { path_prefix: "/" } : null;
  return { kind: "list", of, selector, limit, cursor: null, listing };
}

/** Shows, accepts or rejects a change in review. */
function review({ dice, known }: Drawn): Operation | null {
  const waiting = known.review(dice);
  if (waiting === null) return null;
  const [id, file] = waiting;
  return { kind: dice.pick(["show-review", "accept", "accept", "reject"] as const), id, file };
}

function makeFolder(drawn: Drawn): Operation | null {
  return drawn.known.hasManyFolders() ? null : { kind: "make-folder", place: placeFor(drawn, FOLDER_NAMES) };
}

function placeFolder(drawn: Drawn): Operation | null {
  const { dice, known } = drawn;
  return ofFolder(drawn, (id) =>
    dice.below(2) === 0
      ? { kind: "rename-folder", id, name: dice.pick(FOLDER_NAMES) }
      : { kind: "move-folder", id, parentId: known.folder(dice) },
  );
}

function removeFolder(drawn: Drawn): Operation | null {
  return ofFolder(drawn, (id) => ({ kind: "delete-folder", id, recursive: drawn.dice.below(4) > 0 }));
}

function readFolder(drawn: Drawn): Operation | null {
  return ofFolder(drawn, (id) => ({ kind: "read-folder", id }));
}
