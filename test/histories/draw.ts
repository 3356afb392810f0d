import { rowsOf, textsOf } from "./facts.ts";
import type { ExecutedOperation, Operation, Place } from "./operation.ts";
import type { Json } from "../../src/conformance/world.ts";
import type { Dice } from "../simulator/dice.ts";

/** A version of a document, as some client read it. */
type Version = { readonly id: string; readonly change: string; readonly text: string };

/** LIMIT: versions of one document on which clients still base edits. */
const MAX_VERSIONS = 4;
const MAX_FOLDERS = 12;
/** LIMIT: deleted documents that clients still request. */
const MAX_GONE = 3;

/**
 * What all clients of a history know of the workspace together, so that they often use the same
 * documents.
 */
export class Known {
  readonly #versions = new Map<string, Version[]>();
  readonly #gone: Version[][] = [];
  readonly #folders = new Map<string, string>();
  readonly #reviews = new Map<string, string>();

  learn(done: ExecutedOperation): void {
    const { op, answer } = done;
    if (answer === null) return;
    for (const row of rowsOf(done))
      if (row.text !== null) this.#keep({ id: row.id, change: row.change, text: row.text });
    if (op.kind === "edit" && answer.status === 202) {
      this.#reviews.set(answer.json.id, op.id);
      for (const [change, text] of textsOf(done)) this.#keep({ id: op.id, change, text });
    }
    this.#learnFolders(done);
    const code = answer.json?.code;
    const isGone = (op.kind === "delete" && answer.status === 204) || code === "file_not_found";
    if (isGone && "id" in op) this.#forget(op.id);
    if ("file" in op && op.kind !== "show-review") this.#reviews.delete(op.id);
  }

  #learnFolders(done: ExecutedOperation): void {
    const { op, answer } = done;
    for (const { path, parent } of rowsOf(done)) if (parent !== null) this.#folders.set(parent, path);
    if (answer!.status < 300 && op.kind === "make-folder") this.#folders.set(answer!.json.id, answer!.json.path);
    if (answer!.status === 200 && op.kind === "list" && op.of === "folders")
      for (const { id, path } of answer!.json.data as Json[]) this.#folders.set(id, path);
    const isGone = answer!.json?.code === "folder_not_found" || (op.kind === "delete-folder" && answer!.status === 204);
    if (!isGone) return;
    if ("parentId" in op && op.parentId !== null) this.#folders.delete(op.parentId);
    if (op.kind.endsWith("-folder") && "id" in op) this.#folders.delete(op.id);
  }

  #keep(version: Version): void {
    const known = this.#versions.get(version.id) ?? [];
    const others = known.filter(({ change }) => change !== version.change);
    this.#versions.set(version.id, [...others, version].slice(-MAX_VERSIONS));
  }

  #forget(id: string): void {
    const known = this.#versions.get(id);
    if (known === undefined) return;
    this.#versions.delete(id);
    this.#gone.push(known);
    if (this.#gone.length > MAX_GONE) this.#gone.shift();
  }

  get documents(): number {
    return this.#versions.size;
  }

  /** Picks a document that exists as far as is known, and sometimes a deleted one. */
  document(dice: Dice): readonly Version[] | null {
    const all = dice.below(15) === 0 ? this.#gone : [...this.#versions.values()];
    return all.length === 0 ? null : dice.pick(all);
  }

  /** Picks a folder. Returns its id; null for the root. */
  folder(dice: Dice): string | null {
    return dice.pick([null, ...this.#folders.keys()]);
  }

  hasManyFolders(): boolean {
    return this.#folders.size >= MAX_FOLDERS;
  }

  /** Picks a change in review. Returns its id and its document's id. */
  review(dice: Dice): readonly [string, string] | null {
    return this.#reviews.size === 0 ? null : dice.pick([...this.#reviews]);
  }
}

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
