import { FILES, FOLDERS } from "../../src/contract/routes.ts";
import type { Json } from "../../src/conformance/world.ts";

/** What clients ask in a history, and what is kept of each question and its answer. */

export type Place =
  | { readonly path: string }
  /** A `parentId` of null is the root. */
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
      /** The pages of one listing have one number. */
      readonly listing: number;
    }
  /** `id` is the change, `file` the document that it is of. */
  | { readonly kind: "accept" | "reject" | "show-review"; readonly id: string; readonly file: string };

export type Answer = { readonly status: number; readonly json: Json };

/** One operation of one client. */
export type Done = {
  readonly client: number;
  readonly op: Operation;
  /** The recorder's clock counts invocations and answers, so that no two are at once. */
  readonly from: number;
  /** Infinity: it is unknown whether it happened. */
  readonly to: number;
  /** null: unknown. */
  readonly answer: Answer | null;
};

export type RequestFacts = { readonly method: string; readonly path: string; readonly body: object | null };

/** @returns whether only the service's administrator may ask that */
export function isOfAdmin({ kind }: Operation): boolean {
  return kind === "accept" || kind === "reject" || kind === "show-review";
}

const READS: ReadonlySet<Operation["kind"]> = new Set(["read", "read-folder", "list", "show-review"]);

export function isReading({ kind }: Operation): boolean {
  return READS.has(kind);
}

/** @returns whether it changed nothing: it only reads, or was refused */
export function changesNothing({ op, answer }: Done): boolean {
  return isReading(op) || (answer !== null && answer.status >= 400);
}

export function requestOf(op: Operation): RequestFacts {
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

/** The marks in a text. */
export function marksIn(text: string): readonly string[] {
  return text.match(/<m\d+>/g) ?? [];
}

/** A text by the marks in it, which tell it from every other. */
export function marksOf(text: string): string {
  return marksIn(text).join("");
}

/** In a few words, for a report: what was asked and what was answered. */
export function tell({ client, op, answer }: Done): string {
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
