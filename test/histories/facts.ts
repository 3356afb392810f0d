import type { Json } from "../../src/conformance/world.ts";
import type { ExecutedOperation, Operation, Selector } from "./operation.ts";

/** What the answers of a history contain: rows of documents and folders, contents, listings. */

/** A document in an answer. */
export type Row = {
  readonly id: string;
  readonly path: string;
  readonly parent: string | null;
  readonly name: string;
  readonly protected: boolean;
  readonly change: string;
  /** Content; null if the answer does not contain it. */
  readonly text: string | null;
};

/** Path and id of a folder in an answer. The root has the path "" and the id null. */
export type FolderAt = { readonly path: string; readonly id: string | null };

/** A listing whose pages were all requested. */
export type Listing = {
  readonly of: "files" | "folders";
  readonly selector: Selector | null;
  readonly from: number;
  readonly to: number;
  readonly ids: ReadonlySet<string>;
};

export type Facts = {
  readonly history: readonly ExecutedOperation[];
  /** Change id → content. */
  readonly texts: ReadonlyMap<string, string>;
  /** Id of a document → the operation that created it, if it was answered. */
  readonly creations: ReadonlyMap<string, ExecutedOperation>;
  /** Ids of the documents in any answer. */
  readonly documents: ReadonlySet<string>;
  readonly listings: readonly Listing[];
};

export function gatherFacts(history: readonly ExecutedOperation[]): Facts {
  const texts = new Map<string, string>();
  const creations = new Map<string, ExecutedOperation>();
  const documents = new Set<string>();
  for (const done of history) {
    for (const [change, text] of textsOf(done)) if (!texts.has(change)) texts.set(change, text);
    for (const { id } of rowsOf(done)) documents.add(id);
    if (done.op.kind === "create" && done.answer?.status === 201) creations.set(done.answer.json.id, done);
  }
  return { history, texts, creations, documents, listings: listingsOf(history) };
}

/** Returns the documents in an answer. */
export function rowsOf({ op, answer }: ExecutedOperation): Row[] {
  if (answer === null || answer.status >= 300) return [];
  const { json } = answer;
  switch (op.kind) {
    case "read":
      return [rowOf(json, json.content)];
    case "create":
      return [rowOf(json, op.text)];
    case "edit":
      return answer.status === 200 ? [rowOf(json.file, json.content)] : [];
    case "rename":
    case "move":
    case "protect":
    case "accept":
      return [rowOf(json, null)];
    case "list":
      return op.of === "files" ? json.data.map((item: Json) => rowOf(item, null)) : [];
    default:
      return [];
  }
}

function rowOf(item: Json, text: string | null): Row {
  const { id, path, parentId, lastChangeId } = item;
  return { id, path, parent: parentId, name: lastName(path), protected: item.protected, change: lastChangeId, text };
}

/** Returns the folders in an answer, and the parent folders of all that it contains. */
export function foldersShown(done: ExecutedOperation): FolderAt[] {
  const { op, answer } = done;
  const holders = rowsOf(done).map(({ path, parent }) => ({ path: folderOf(path), id: parent }));
  if (answer === null || answer.status >= 300 || answer.json === null) return holders;
  const isList = op.kind === "list" && op.of === "folders";
  const items: Json[] = isList ? answer.json.data : op.kind.endsWith("-folder") ? [answer.json] : [];
  const own = items.flatMap(({ id, path, parentId }) => [
    { path, id },
    { path: folderOf(path), id: parentId },
  ]);
  return [...holders, ...own];
}

/** Returns the contents in an answer, as pairs of change id and content. */
export function textsOf(done: ExecutedOperation): [string, string][] {
  const { op, answer } = done;
  const shown = rowsOf(done).flatMap(({ change, text }): [string, string][] => (text === null ? [] : [[change, text]]));
  if (op.kind === "edit" && answer?.status === 202) return [[answer.json.id, op.text]];
  if (op.kind !== "show-review" || answer?.status !== 200) return shown;
  const { id, content, liveChangeId, liveContent } = answer.json;
  return [
    [id, content],
    [liveChangeId, liveContent],
  ];
}

type Page = ExecutedOperation & { readonly op: Extract<Operation, { kind: "list" }> };

function listingsOf(history: readonly ExecutedOperation[]): Listing[] {
  const pages = history.filter((done): done is Page => done.op.kind === "list" && done.answer?.status === 200);
  const whole = [...Map.groupBy(pages, ({ op }) => op.listing).values()].filter(
    (own) => own[0]!.op.cursor === null && own.at(-1)!.answer!.json.hasMore === false,
  );
  return whole.map((own) => ({
    of: own[0]!.op.of,
    selector: own[0]!.op.selector,
    from: own[0]!.from,
    to: own.at(-1)!.to,
    ids: new Set(own.flatMap(({ answer }) => answer!.json.data.map(({ id }: Json) => id))),
  }));
}

/** Returns the last name of a path. */
export function lastName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Returns the path of the parent folder; "" is the root. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}
