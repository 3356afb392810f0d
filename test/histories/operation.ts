import { FILES, FOLDERS } from "../../src/contract/resources.ts";
import type { Json } from "../../src/conformance/world.ts";

/** The operations of clients, and the record of each with its answer. */

export type Place =
  | { readonly path: string }
  /** By folder and name; a `parentId` of null is the root. */
  | { readonly parentId: string | null; readonly name: string };

export type Selector = { readonly path_prefix: string } | { readonly parent_id: string } | { readonly path: string };

export type Operation =
  | { readonly kind: "read"; readonly id: string }
  | { readonly kind: "edit"; readonly id: string; readonly base: string; readonly text: string }
  | { readonly kind: "create"; readonly place: Place; readonly text: string }
  | { readonly kind: "rename"; readonly id: string; readonly name: string }
  | { readonly kind: "rename-folder"; readonly id: string; readonly name: string }
  | { readonly kind: "move"; readonly id: string; readonly parentId: string | null }
  | { readonly kind: "move-folder"; readonly id: string; readonly parentId: string | null }
  | { readonly kind: "protect"; readonly id: string; readonly on: boolean }
  | { readonly kind: "delete"; readonly id: string }
  | { readonly kind: "read-folder"; readonly id: string }
  | { readonly kind: "make-folder"; readonly place: Place }
  | { readonly kind: "delete-folder"; readonly id: string; readonly recursive: boolean }
  | {
      readonly kind: "list";
      readonly of: "files" | "folders";
      readonly selector: Selector | null;
      readonly limit: number;
      readonly cursor: string | null;
      /** Number of the listing, the same for all its pages. */
      readonly listing: number;
    }
  /** `id` is the change's id, `file` its document's id. */
  | { readonly kind: "accept" | "reject" | "show-review"; readonly id: string; readonly file: string };

export type Answer = { readonly status: number; readonly json: Json };

/** An executed operation of one client. */
export type ExecutedOperation = {
  readonly client: number;
  readonly op: Operation;
  /** Logical time of the request: the recorder counts requests and answers, so no two are equal. */
  readonly from: number;
  /**
   * Logical time of the answer; Infinity if it was lost, because the operation may still happen.
   */
  readonly to: number;
  /** Null if it was lost. */
  readonly answer: Answer | null;
};

type RequestFacts = { readonly method: string; readonly path: string; readonly body: object | null };

/** Returns true for an operation that needs the admin key. */
function isOfAdmin({ kind }: Operation): boolean {
  return kind === "accept" || kind === "reject" || kind === "show-review";
}

const READS: ReadonlySet<Operation["kind"]> = new Set(["read", "read-folder", "list", "show-review"]);

function isReading({ kind }: Operation): boolean {
  return READS.has(kind);
}

/** Returns true if the operation changed nothing: it only reads, or it was refused. */
export function changesNothing({ op, answer }: ExecutedOperation): boolean {
  return isReading(op) || (answer !== null && answer.status >= 400);
}

function requestOf(op: Operation): RequestFacts {
  switch (op.kind) {
    case "read":
      return ask("GET", `${FILES}/${op.id}`);
    case "edit":
      return ask("PUT", `${FILES}/${op.id}/content`, { baseChangeId: op.base, content: op.text });
    case "create":
      return ask("POST", FILES, { ...op.place, content: op.text });
    case "rename":
      return ask("PATCH", `${FILES}/${op.id}`, { name: op.name });
    case "move":
      return ask("PATCH", `${FILES}/${op.id}`, { parentId: op.parentId });
    case "protect":
      return ask("PATCH", `${FILES}/${op.id}`, { protected: op.on });
    case "delete":
      return ask("DELETE", `${FILES}/${op.id}`);
    case "list":
      return ask("GET", `/v1/${op.of}?${queryOf(op)}`);
    case "accept":
    case "reject":
      return ask("POST", `/admin/reviews/${op.id}/${op.kind}`);
    case "show-review":
      return ask("GET", `/admin/reviews/${op.id}`);
    default:
      return requestOfFolder(op);
  }
}

type OfFolder = Extract<
  Operation,
  { kind: "read-folder" | "make-folder" | "rename-folder" | "move-folder" | "delete-folder" }
>;

function requestOfFolder(op: OfFolder): RequestFacts {
  switch (op.kind) {
    case "read-folder":
      return ask("GET", `${FOLDERS}/${op.id}`);
    case "make-folder":
      return ask("POST", FOLDERS, op.place);
    case "rename-folder":
      return ask("PATCH", `${FOLDERS}/${op.id}`, { name: op.name });
    case "move-folder":
      return ask("PATCH", `${FOLDERS}/${op.id}`, { parentId: op.parentId });
    case "delete-folder":
      return ask("DELETE", `${FOLDERS}/${op.id}${op.recursive ? "?recursive=true" : ""}`);
  }
}

function ask(method: string, path: string, body: object | null = null): RequestFacts {
  return { method, path, body };
}

function queryOf({ selector, limit, cursor }: Extract<Operation, { kind: "list" }>): string {
  const query = new URLSearchParams({ ...selector, limit: String(limit) });
  if (cursor !== null) query.set("cursor", cursor);
  return query.toString();
}

/** Returns the marks in a content. */
export function marksIn(text: string): readonly string[] {
  return text.match(/<m\d+>/g) ?? [];
}

/** Returns a content's marks as one string, which identifies the content. */
export function marksOf(text: string): string {
  return marksIn(text).join("");
}

/** Returns the operation and its answer in a few words, for a report. */
export function describeOperation({ client, op, answer }: ExecutedOperation): string {
  const { kind, ...members } = op;
  const asked = Object.entries(members)
    .map(([name, value]) => `${name} ${short(value)}`)
    .join(", ");
  return `client ${client}: ${kind} ${asked} → ${answer === null ? "unknown" : `${answer.status} ${shortAnswer(answer.json)}`}`;
}

function shortAnswer(json: Json): string {
  if (json === null) return "";
  if (json.code !== undefined) return json.code;
  const { path, lastChangeId, content, id } = json.file ?? json;
  return [path, lastChangeId ?? id, content ?? json.content]
    .filter((part) => part !== undefined)
    .map(short)
    .join(" ");
}

function short(value: unknown): string {
  return typeof value === "string" && value.includes("\n") ? `text ${marksOf(value)}` : JSON.stringify(value);
}

/**
 * Result of a request. `unknown`: it may have arrived. `unsent`: it did not arrive, because no
 * connection was established.
 */
export type Sent = Answer | "unknown" | "unsent";

/** Sends a request on one connection of a client to a process of the service. */
export type Send = (method: string, path: string, body: object | null, by: "user" | "admin") => Promise<Sent>;

/** The operations and answers of all clients, on one logical clock. */
export class Recorder {
  readonly #done: ExecutedOperation[] = [];
  #clock = 0;
  #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  /** Sends an operation and records it. Returns the answer; null if it was lost. */
  async ask(client: number, op: Operation, send: Send): Promise<Answer | null> {
    const from = this.#clock++;
    const { method, path, body } = requestOf(op);
    const sent = await send(method, path, body, isOfAdmin(op) ? "admin" : "user");
    const to = this.#clock++;
    if (sent === "unsent") return null;
    if (sent !== "unknown" && sent.status !== 500 && sent.status !== 503) {
      this.#add({ client, op, from, to, answer: sent });
      return sent;
    }
    // A read whose answer was lost proves nothing, so it is not recorded.
    if (!isReading(op)) this.#add({ client, op, from, to: Infinity, answer: null });
    return null;
  }

  #add(done: ExecutedOperation): void {
    this.#done.push(done);
    for (const { count, resolve } of this.#waiting) if (count <= this.count) resolve();
    this.#waiting = this.#waiting.filter(({ count }) => count > this.count);
  }

  /** Resolves when that many operations have ended. */
  reached(count: number): Promise<void> {
    if (count <= this.count) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ count, resolve });
    return promise;
  }

  get history(): readonly ExecutedOperation[] {
    return this.#done;
  }

  /** Number of operations that have ended. */
  get count(): number {
    return this.#done.length;
  }
}
