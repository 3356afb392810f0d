import { type Facts, folderOf, lastName, type Row, rowsOf } from "./facts.ts";
import { changesNothing, type Done, type Operation } from "./operation.ts";
import type { Entry } from "./search.ts";

/**
 * One place, a name in a folder, as an object of its own: it holds one document at a time. No path
 * is doubled where every place has a history.
 */

/** The document that is there; `?` one whose creation was not answered; null: the place is free. */
export type Holder = string | null;

type Step = (holder: Holder) => readonly Holder[];

export type PlaceKey = { readonly parent: string | null; readonly name: string };

const IMPOSSIBLE: readonly Holder[] = [];
const UNSEEN = "?";
const PLACING: ReadonlySet<Operation["kind"]> = new Set(["create", "rename", "move", "delete", "delete-folder"]);

function keyOfPlace({ parent, name }: PlaceKey): string {
  return `${parent ?? "root"}/${name}`;
}

/** Every place where an answer shows a document. */
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

/** Where folders were seen: by path, all that an answer ever showed there. */
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

/** @param shownHere the documents that an answer shows at that place */
export function entriesOfPlace(
  facts: Facts,
  place: PlaceKey,
  shownHere: ReadonlySet<string>,
  folders: FoldersByPath,
): Entry<Holder>[] {
  const seen = new Set([...shownHere, ...mayHaveBeen(facts, place)]);
  return facts.history.flatMap((done) => {
    const step = done.answer === null ? unknownStep(done.op, place) : stepOf(done, { facts, place, seen, folders });
    const what = `client ${done.client}: ${done.op.kind}`;
    const reads = changesNothing(done) || !PLACING.has(done.op.kind);
    return step === null ? [] : [{ what, from: done.from, to: done.to, reads, apply: step }];
  });
}

/** The documents that lost answers may have brought here, though no answer shows them here. */
function mayHaveBeen({ history, documents, creations }: Facts, { parent, name }: PlaceKey): string[] {
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

function stepOf(done: Done, { facts, place, seen, folders }: PlaceQuestion): Step | null {
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

/** A page shows documents here and elsewhere, all at one moment. */
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

/** Was a creation meant for this place? Not where the path was once that of another folder. */
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

/** What may have happened to a place where an answer was lost. */
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
