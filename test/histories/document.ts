import { mergeText } from "../../src/markdown/merge/merge.ts";
import type { Row } from "./facts.ts";
import { marksOf } from "./operation.ts";

/**
 * Model of one document according to the contract. A value that only a lost answer contained stays
 * unknown (`undefined`, or null for an id) until another answer shows it.
 */

export type Waiting = {
  /** Id of the change; null if no answer has shown it yet. */
  readonly id: string | null;
  readonly base: string;
  readonly text: string;
  readonly reason: "protected" | "conflict";
};

export type Live = {
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

export type Texts = ReadonlyMap<string, string>;

/**
 * Compares a document with what an answer shows of it. Returns the document with its unknown values
 * filled in; null if the answer contradicts it.
 */
export function fillIn(document: Live, row: Omit<Row, "id" | "path">, texts: Texts): Live | null {
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
export function mergeLikeService(base: string, sent: string, live: string): string | null {
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
export function afterSave(document: Live, text: string, change: string | null): Live | null {
  if (text === document.text) {
    if (change === null || change === document.change) return document;
    return document.change === null ? { ...document, change } : null;
  }
  return change !== null && change === document.change ? null : { ...document, change, text };
}
