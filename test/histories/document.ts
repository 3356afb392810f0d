import { mergeText } from "../../src/markdown/merge/merge.ts";
import type { Row } from "./facts.ts";
import { marksOf } from "./operation.ts";

/**
 * One document as the contract says that it behaves, step by step. What an unknown answer would
 * have told stays open (`undefined`, or an id of null) until an answer shows it.
 */

export type Waiting = {
  /** null: not shown yet. */
  readonly id: string | null;
  readonly base: string;
  readonly text: string;
  readonly reason: "protected" | "conflict";
};

export type Live = {
  /** Folder; null is the root, undefined not shown yet. */
  readonly parent: string | null | undefined;
  readonly name: string | undefined;
  readonly change: string | null;
  readonly text: string;
  readonly protected: boolean;
  readonly waiting: readonly Waiting[];
};

/** null: not there, before its creation or after its deletion. */
export type Document = Live | null;

export function keyOfDocument(document: Document): string {
  if (document === null) return "absent";
  const { parent, name, change, text, waiting } = document;
  const reviews = waiting.map(({ id, text: sent }) => `${id ?? "?"}:${marksOf(sent)}`);
  const place = `${parent === undefined ? "?" : (parent ?? "root")}/${name ?? "?"}`;
  return `${place} ${change ?? "?"} ${marksOf(text)}${document.protected ? " protected" : ""} [${reviews.join(" ")}]`;
}

export type Texts = ReadonlyMap<string, string>;

/**
 * Can an answer show this of the document?
 * @returns the document, with what was open filled in; null: no
 */
export function meets(document: Live, row: Omit<Row, "id" | "path">, texts: Texts): Live | null {
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

/**
 * Returns the service's result for content on a base with the live content; null: they do not
 * combine.
 */
export function combined(base: string, sent: string, live: string): string | null {
  const key = JSON.stringify([base, sent, live]);
  const known = merged.get(key);
  if (known !== undefined) return known;
  const result = mergeText(base, sent, live);
  const text = result.kind === "clean" ? result.text : null;
  merged.set(key, text);
  return text;
}

/** Returns a document with another live content; equal content makes no new change. */
export function saved(document: Live, text: string, change: string | null): Live | null {
  if (text === document.text) {
    if (change === null || change === document.change) return document;
    return document.change === null ? { ...document, change } : null;
  }
  return change !== null && change === document.change ? null : { ...document, change, text };
}
