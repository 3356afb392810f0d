import { type Facts, folderOf, lastName, type Row, rowsOf } from "./facts.ts";
import { changesNothing, type ExecutedOperation, type Operation } from "./operation.ts";
import type { Entry } from "./search.ts";

/**
 * Model of one path: a name in a folder holds one document at a time. If each path has a
 * linearizable history, no two documents ever had the same path.
 */

/**
 * Id of the document at the path; `?` for a document whose creation was not answered; null if the
 * path is free.
 */
export type Holder = string | null;

type Step = (holder: Holder) => readonly Holder[];

export type PlaceKey = { readonly parent: string | null; readonly name: string };

const IMPOSSIBLE: readonly Holder[] = [];
const UNSEEN = "?";
const PLACING: ReadonlySet<Operation["kind"]> = new Set(["create", "rename", "move", "delete", "delete-folder"]);

function keyOfPlace({ parent, name }: PlaceKey): string {
  return `${parent ?? "root"}/${name}`;
}

/** Returns every path at which an answer shows a document, with the documents. */
export function placesOf(facts: Facts): Map<string, { readonly place: PlaceKey; readonly seen: Set<string> }> {
  const places = new Map<string, { readonly place: PlaceKey; readonly seen: Set<string> }>();
  for (const done of facts.history) {
    for (const { id, parent, name } of rowsOf(done)) {
      const key = keyOfPlace({ parent, name });
      const known = places.get(key) ?? { place: { parent, name }, seen: new Set() };
      places.set(key, known);
      known.seen.add(id);
    }
  }
  return places;
}

/** Folders by path: the ids of all folders that any answer showed there. */
export type FoldersByPath = ReadonlyMap<string, ReadonlySet<string | null>>;

export function foldersByPath(facts: Facts): FoldersByPath {
  const folders = new Map<string, Set<string | null>>([["", new Set([null])]]);
  for (const done of facts.history) {
    for (const { path, parent } of rowsOf(done)) {
      const known = folders.get(folderOf(path)) ?? new Set();
      folders.set(folderOf(path), known.add(parent));
    }
  }
  return folders;
}

/** @param shownHere documents that an answer shows at this path */
export function entriesOfPlace(
  facts: Facts,
  place: PlaceKey,
  shownHere: ReadonlySet<string>,
  folders: FoldersByPath,
): Entry<Holder>[] {
  const seen = new Set([...shownHere, ...possibleArrivals(facts, place)]);
  return facts.history.flatMap((done) => {
    const step = done.answer === null ? unknownStep(done.op, place) : stepOf(done, { facts, place, seen, folders });
    const what = `client ${done.client}: ${done.op.kind}`;
    const reads = changesNothing(done) || !PLACING.has(done.op.kind);
    return step === null ? [] : [{ what, from: done.from, to: done.to, reads, apply: step }];
  });
}

/**
 * Returns the documents that operations with lost answers may have brought to this path, though no
 * answer shows them at it.
 */
function possibleArrivals({ history, documents, creations }: Facts, { parent, name }: PlaceKey): string[] {
  const orphans = [...documents].filter((id) => !creations.has(id));
  const moved = history.flatMap(({ op, answer }) => {
    if (answer !== null) return [];
    if (op.kind === "rename") return op.name === name ? [op.id] : [];
    return op.kind === "move" && op.parentId === parent ? [op.id] : [];
  });
  return [...orphans, ...moved];
}

type PlaceQuestion = {
  readonly facts: Facts;
  readonly place: PlaceKey;
  readonly seen: ReadonlySet<string>;
  readonly folders: FoldersByPath;
};

function stepOf(done: ExecutedOperation, { facts, place, seen, folders }: PlaceQuestion): Step | null {
  const { op, answer } = done;
  if (op.kind === "delete-folder") return answer!.status === 204 ? treeGone(op, place) : null;
  if (op.kind === "create" && answer!.status === 409) return isFor(op.place, place, folders) ? isTaken : null;
  if (op.kind === "delete" && answer!.status === 204) return seen.has(op.id) ? leaving(op.id, facts) : null;
  if (op.kind === "read" && answer!.status === 404) return seen.has(op.id) ? isNot(op.id) : null;
  const rows = rowsOf(done).filter(({ id }) => seen.has(id));
  if (rows.length === 0) return null;
  const [row] = rows;
  if (op.kind === "create") return isAt(row!, place) ? (holder) => (holder === null ? [row!.id] : IMPOSSIBLE) : null;
  if (op.kind === "rename" || op.kind === "move")
    return isAt(row!, place) ? arriving(row!.id, facts) : leaving(row!.id, facts);
  return shown(rows, place, facts);
}

const isTaken: Step = (holder) => (holder === null ? IMPOSSIBLE : [holder]);
const isNot =
  (id: string): Step =>
  (holder) =>
    holder === id ? IMPOSSIBLE : [holder];
const isAt = (row: Row, { parent, name }: PlaceKey) => row.parent === parent && row.name === name;
const isOrphan = (id: string, { creations }: Facts) => !creations.has(id);

function arriving(id: string, facts: Facts): Step {
  return (holder) => {
    if (holder === id) return [holder];
    return holder === null || (holder === UNSEEN && isOrphan(id, facts)) ? [id] : IMPOSSIBLE;
  };
}

function leaving(id: string, facts: Facts): Step {
  return (holder) => {
    if (holder === id) return [null];
    return holder === UNSEEN && isOrphan(id, facts) ? [holder, null] : [holder];
  };
}

/**
 * Returns the step of a page, which shows documents at this path and at others, all at one moment.
 */
function shown(rows: readonly Row[], place: PlaceKey, facts: Facts): Step {
  const here = rows.filter((row) => isAt(row, place)).map(({ id }) => id);
  const elsewhere = new Set(rows.map(({ id }) => id));
  for (const id of here) elsewhere.delete(id);
  return (holder) => {
    if (holder !== null && elsewhere.has(holder)) return IMPOSSIBLE;
    if (here.length === 0 || (here.length === 1 && here[0] === holder)) return [holder];
    return here.length === 1 && holder === UNSEEN && isOrphan(here[0]!, facts) ? [here[0]!] : IMPOSSIBLE;
  };
}

/**
 * Returns true if a creation was meant for this path. A path whose folder was replaced by another
 * one does not count.
 */
function isFor(
  sent: Extract<Operation, { kind: "create" }>["place"],
  { parent, name }: PlaceKey,
  folders: FoldersByPath,
): boolean {
  if (!("path" in sent)) return sent.parentId === parent && sent.name === name;
  const known = folders.get(folderOf(sent.path));
  return lastName(sent.path) === name && known?.size === 1 && known.has(parent);
}

function treeGone(op: Extract<Operation, { kind: "delete-folder" }>, { parent }: PlaceKey): Step {
  return (holder) => {
    if (holder === null || parent === null) return [holder];
    if (parent === op.id) return op.recursive ? [null] : IMPOSSIBLE;
    return op.recursive ? [holder, null] : [holder];
  };
}

/** Returns the step of an operation with a lost answer. */
function unknownStep(op: Operation, { parent, name }: PlaceKey): Step | null {
  switch (op.kind) {
    case "create": {
      const sent = op.place;
      const may = "path" in sent ? lastName(sent.path) === name : sent.parentId === parent && sent.name === name;
      return may ? (holder) => [holder ?? UNSEEN] : null;
    }
    case "rename":
      return placedUnseen(op.id, op.name === name);
    case "move":
      return placedUnseen(op.id, op.parentId === parent);
    case "delete":
      return (holder) => [holder === op.id || holder === UNSEEN ? null : holder];
    case "delete-folder":
      return op.recursive && parent !== null ? () => [null] : null;
    default:
      return null;
  }
}

function placedUnseen(id: string, mayArrive: boolean): Step {
  return (holder) => {
    if (mayArrive) return holder === null ? [id] : [holder];
    return holder === id || holder === UNSEEN ? [null] : [holder];
  };
}
