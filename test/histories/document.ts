import { mergeText } from "../../src/markdown/merge/merge.ts";
import { type Facts, lastName, type Row, rowsOf } from "./facts.ts";
import { type Answer, type ExecutedOperation, marksOf, type Operation } from "./operation.ts";

/**
 * Model of one document according to the contract. A value that only a lost answer contained stays
 * unknown (`undefined`, or null for an id) until another answer shows it.
 */

type Waiting = {
  /** Id of the change; null if no answer has shown it yet. */
  readonly id: string | null;
  readonly base: string;
  readonly text: string;
  readonly reason: "protected" | "conflict";
};

type Live = {
  /** Id of the folder; null for the root, undefined if no answer has shown it yet. */
  readonly parent: string | null | undefined;
  readonly name: string | undefined;
  readonly change: string | null;
  readonly text: string;
  readonly protected: boolean;
  readonly waiting: readonly Waiting[];
};

/** A document; null before its creation and after its deletion. */
export type Document = Live | null;

export function keyOfDocument(document: Document): string {
  if (document === null) return "absent";
  const { parent, name, change, text, waiting } = document;
  const reviews = waiting.map(({ id, text: sent }) => `${id ?? "?"}:${marksOf(sent)}`);
  const place = `${parent === undefined ? "?" : (parent ?? "root")}/${name ?? "?"}`;
  return `${place} ${change ?? "?"} ${marksOf(text)}${document.protected ? " protected" : ""} [${reviews.join(" ")}]`;
}

type Texts = ReadonlyMap<string, string>;

/**
 * Compares a document with what an answer shows of it. Returns the document with its unknown values
 * filled in; null if the answer contradicts it.
 */
function fillIn(document: Live, row: Omit<Row, "id" | "path">, texts: Texts): Live | null {
  const text = row.text ?? texts.get(row.change);
  const agrees =
    (document.parent === undefined || document.parent === row.parent) &&
    (document.name === undefined || document.name === row.name) &&
    (document.change === null || document.change === row.change) &&
    (text === undefined || document.text === text) &&
    document.protected === row.protected;
  if (!agrees) return null;
  if (document.parent !== undefined && document.name !== undefined && document.change !== null) return document;
  return { ...document, parent: row.parent, name: row.name, change: row.change };
}

const merged = new Map<string, string | null>();

/** Merges like the service. Returns the merged content; null if the two edits conflict. */
function mergeLikeService(base: string, sent: string, live: string): string | null {
  const key = JSON.stringify([base, sent, live]);
  const known = merged.get(key);
  if (known !== undefined) return known;
  const result = mergeText(base, sent, live);
  const text = result.kind === "clean" ? result.text : null;
  merged.set(key, text);
  return text;
}

/**
 * Returns the document after a save. Equal content makes no new change. Returns null if the change
 * id contradicts that.
 */
function afterSave(document: Live, text: string, change: string | null): Live | null {
  if (text === document.text) {
    if (change === null || change === document.change) return document;
    return document.change === null ? { ...document, change } : null;
  }
  return change !== null && change === document.change ? null : { ...document, change, text };
}

/**
 * The states of a document that an operation and its answer allow, given its state before. An empty
 * list means that this answer is impossible.
 */

type Step = (document: Document) => readonly Document[];

const IMPOSSIBLE: readonly Document[] = [];
const only = (document: Document | null | undefined): readonly Document[] =>
  document === undefined ? IMPOSSIBLE : [document];
const legal = (is: boolean, document: Document): readonly Document[] => (is ? [document] : IMPOSSIBLE);

/** Returns the step of an operation for a document; null if the operation does not concern it. */
export function stepOfDocument(done: ExecutedOperation, id: string, facts: Facts): Step | null {
  const { op, answer } = done;
  if (op.kind === "list") return rowStep(done, id, facts);
  if (op.kind === "create") return createStep(done, id, facts);
  if (op.kind === "delete-folder")
    return answer === null || answer.status === 204 ? stepOfRemovedFolder(op.id, op.recursive) : null;
  if ("file" in op) return op.file === id ? reviewStep(op, answer, facts) : null;
  if (op.kind.endsWith("-folder") || !("id" in op) || op.id !== id) return null;
  if (answer?.status === 404 && answer.json.code === "file_not_found")
    return (document) => legal(document === null, document);
  switch (op.kind) {
    case "read":
      return rowStep(done, id, facts);
    case "edit":
      return editStep(op, answer, facts.texts);
    case "delete":
      return deleteStep(answer);
    default:
      return placeStep(op as Placing, done, facts);
  }
}

function rowStep(done: ExecutedOperation, id: string, { texts }: Facts): Step | null {
  const rows = rowsOf(done).filter((row) => row.id === id);
  if (rows.length === 0) return null;
  return (document) => {
    let met: Live | null = document;
    for (const row of rows) met = met === null ? null : fillIn(met, row, texts);
    return met === null ? IMPOSSIBLE : [met];
  };
}

function createStep({ op, answer }: ExecutedOperation, id: string, facts: Facts): Step | null {
  if (op.kind !== "create") return null;
  if (answer === null) return facts.creations.has(id) ? null : stepOfLostCreation(op);
  if (answer.status !== 201 || answer.json.id !== id) return null;
  const { parentId: parent, path, lastChangeId: change, protected: isProtected } = answer.json;
  const made = { parent, name: lastName(path), change, text: op.text, protected: isProtected, waiting: [] };
  return (document) => (document === null && !isProtected ? [made] : IMPOSSIBLE);
}

/**
 * Returns the step of a creation whose answer was lost. It may have created any document that no
 * answer to a creation contains.
 */
function stepOfLostCreation({ place, text }: Extract<Operation, { kind: "create" }>): Step {
  const parent = "path" in place ? (place.path.lastIndexOf("/") <= 0 ? null : undefined) : place.parentId;
  const name = "path" in place ? lastName(place.path) : place.name;
  const made: Live = { parent, name, change: null, text, protected: false, waiting: [] };
  return (document) => (document === null ? [made] : IMPOSSIBLE);
}

/**
 * Returns the step of a removed folder. A document in another folder may be below the removed one;
 * only the tree of folders knows that.
 */
function stepOfRemovedFolder(folder: string, recursive: boolean): Step {
  return (document) => {
    if (document === null || document.parent === null) return [document];
    const mayGo = recursive && !document.protected && document.waiting.length === 0;
    if (document.parent === folder) return mayGo ? [null] : IMPOSSIBLE;
    return mayGo ? [document, null] : [document];
  };
}

type Edit = Extract<Operation, { kind: "edit" }>;

function editStep(op: Edit, answer: Answer | null, texts: Texts): Step {
  const base = texts.get(op.base);
  return (document) => {
    if (document === null || base === undefined) return IMPOSSIBLE;
    if (document.protected) return only(submitted(document, op, "protected", answer));
    const text = document.change === op.base ? op.text : mergeLikeService(base, op.text, document.text);
    if (text === null) return only(submitted(document, op, "conflict", answer));
    if (answer === null) return only(afterSave(document, text, null) ?? undefined);
    return answer.status === 200 ? only(shownEdit(document, answer, text, texts)) : IMPOSSIBLE;
  };
}

/** Returns the document with the edit in review; undefined if the answer is impossible. */
function submitted(
  document: Live,
  { base, text }: Edit,
  reason: Waiting["reason"],
  answer: Answer | null,
): Live | undefined {
  if (answer !== null && (answer.status !== 202 || answer.json.reason !== reason)) return undefined;
  const id = answer === null ? null : answer.json.id;
  return { ...document, waiting: [...document.waiting, { id, base, text, reason }] };
}

function shownEdit(document: Live, answer: Answer, text: string, texts: Texts): Live | undefined {
  const { file, content } = answer.json;
  if (content !== text) return undefined;
  const after = afterSave(document, content, file.lastChangeId);
  return after === null ? undefined : (shown(after, file, texts) ?? undefined);
}

/**
 * Returns the document with what an answer to a write shows of it; null if the two contradict each
 * other.
 */
function shown(document: Live, file: Answer["json"], texts: Texts): Live | null {
  const { parentId: parent, path, lastChangeId: change } = file;
  const row: Omit<Row, "id" | "path"> = { parent, name: lastName(path), protected: file.protected, change, text: null };
  return fillIn(document, row, texts);
}

type Placing = Extract<Operation, { kind: "rename" | "move" | "protect" }>;

function placeStep(op: Placing, { answer }: ExecutedOperation, { texts }: Facts): Step {
  return (document) => {
    if (document === null) return IMPOSSIBLE;
    // The path was taken or the target folder is gone, so the document is unchanged.
    if (answer !== null && answer.status >= 300) return [document];
    const after = placed(document, op);
    return answer === null ? [after] : only(shown(after, answer.json, texts) ?? undefined);
  };
}

/**
 * Returns the same object if nothing changes, so that the search can treat the operation as a read.
 */
function placed(document: Live, op: Placing): Live {
  switch (op.kind) {
    case "rename":
      return document.name === op.name ? document : { ...document, name: op.name };
    case "move":
      return document.parent === op.parentId ? document : { ...document, parent: op.parentId };
    case "protect":
      return document.protected === op.on ? document : { ...document, protected: op.on };
  }
}

function deleteStep(answer: Answer | null): Step {
  return (document) => {
    if (document === null) return IMPOSSIBLE;
    const code = document.protected ? "file_protected" : document.waiting.length > 0 ? "changes_in_review" : null;
    if (code !== null) return legal(answer === null || answer.json?.code === code, document);
    return answer === null || answer.status === 204 ? [null] : IMPOSSIBLE;
  };
}

type OfReview = Extract<Operation, { file: string }>;

function reviewStep(op: OfReview, answer: Answer | null, { texts }: Facts): Step | null {
  if (op.kind === "show-review") return answer?.status === 200 ? showStep(op.id, answer, texts) : null;
  return (document) => {
    const at = document?.waiting.findIndex((each) => isThat(each, op.id, texts)) ?? -1;
    if (document === null || at < 0) return legal(answer === null || answer.status === 404, document);
    const change = document.waiting[at]!;
    const left: Live = { ...document, waiting: document.waiting.toSpliced(at, 1) };
    if (op.kind === "reject") return legal(answer === null || answer.status === 200, left);
    const text = acceptedText(document, change, texts);
    if (text === null) return legal(answer === null || answer.json.code === "edit_conflict", document);
    if (answer === null) return only(afterSave(left, text, null) ?? undefined);
    const after = answer.status === 200 ? afterSave(left, text, answer.json.lastChangeId) : null;
    return only((after === null ? null : shown(after, answer.json, texts)) ?? undefined);
  };
}

function isThat({ id, text }: Waiting, wanted: string, texts: Texts): boolean {
  return id === null ? texts.get(wanted) === text : id === wanted;
}

/** Returns the live content after a review is accepted; null if the service must refuse that. */
function acceptedText(
  { change: live, text }: Live,
  { base, text: sent, reason }: Waiting,
  texts: Texts,
): string | null {
  const made = base === live ? sent : mergeLikeService(texts.get(base)!, sent, text);
  return made ?? (reason === "conflict" ? sent : null);
}

function showStep(id: string, { json }: Answer, texts: Texts): Step {
  return (document) => {
    const waits = document?.waiting.some((each) => isThat(each, id, texts)) ?? false;
    if (document === null || waits !== (json.status === "in_review")) return IMPOSSIBLE;
    const isLive =
      (document.change === null || document.change === json.liveChangeId) && document.text === json.liveContent;
    return legal(isLive, document);
  };
}
