import type { DirId, DocId } from "../../contract/ids.ts";
import type { LinkTarget } from "../../contract/spelling.ts";
import { type Destination, isId } from "./destination.ts";
import { findLinks, readFound } from "./find.ts";
import { type Place, pathTo, resolveDestination } from "./place.ts";
import { type TargetLookup, resolveInOrder } from "./translate.ts";

/**
 * Returns the targets of a local document's links, each once.
 * @param place place of the document
 * @param sources lookups of targets; the first that knows a target decides
 */
export function linkTargetsOf(text: string, place: Place, sources: readonly (TargetLookup | Place)[]): LinkTarget[] {
  const targets = new Map<string, LinkTarget>();
  for (const link of findLinks(text, place.names !== undefined)) {
    const read = readFound(text, link);
    if (read.kind === "foreign" || targets.has(read.target)) continue;
    const target = linkTargetOf(read, place, sources);
    if (target !== null) targets.set(read.target, target);
  }
  return [...targets.values()];
}

/**
 * Returns the target of a link to record; null if the destination is the id of a known item,
 * because no move changes an id.
 */
function linkTargetOf(read: Destination, place: Place, sources: readonly (TargetLookup | Place)[]): LinkTarget | null {
  const { target, kind } = read;
  const known = resolveInOrder(read, sources) as DocId | DirId | null;
  // The destination is an id. It is recorded only if no item is known to have this id.
  if (isId(target) && (known === null || known === target))
    return resolveDestination(read, place) === null
      ? { destination: target, at: null, to: target as DocId | DirId }
      : null;
  const at = kind === "wiki" && known !== null ? place.pathOf(known) : null;
  return { destination: target, at: at ?? pathOf(place, known, pathTo(read, place)), to: known };
}

/** Returns the destinations of a document's links, without query and fragment. */
export function destinationsOf(text: string, wiki: boolean): string[] {
  return findLinks(text, wiki).map((link) => readFound(text, link).target);
}

/**
 * Returns a document without the destinations of its links. The local form and the service's form
 * give the same text.
 */
export function withoutDestinations(text: string, wiki: boolean): string {
  let result = "";
  let end = 0;
  for (const { from, to, wiki: named } of findLinks(text, wiki)) {
    result += text.slice(end, named?.from ?? from) + (named?.text ?? "");
    end = named?.to ?? to;
  }
  return result + text.slice(end);
}

/**
 * Returns the targets of the links of `text`. `other` is the other form of the same document, whose
 * links are ids. Both have the same number of links.
 */
export function targetsByIdsOf(otherForm: string, text: string, wiki: boolean): TargetLookup {
  const ids = findLinks(otherForm, wiki).map((link) => readFound(otherForm, link));
  const texts = destinationsOf(text, wiki);
  if (texts.length !== ids.length) return () => null;
  const targets = new Map<string, string>();
  for (const [n, { kind, inert, target: id }] of ids.entries()) if (kind === "id" && !inert) targets.set(texts[n]!, id);
  return (destination) => targets.get(destination) ?? null;
}

/** Returns the destinations that begin with `ref://` on the service: links without a target. */
export function inertDestinationsIn(text: string, wiki: boolean): string[] {
  const read = findLinks(text, wiki).map((link) => readFound(text, link));
  return read.flatMap(({ inert, target }) => (inert ? [target] : []));
}

/**
 * Returns the path of the target `id` if it equals the literal path of the link, apart from the
 * Unicode normal form. Otherwise returns the literal path.
 */
function pathOf(place: Place, id: string | null, literal: string | null): string | null {
  const path = id === null ? null : place.pathOf(id);
  return path !== null && literal !== null && path.normalize() === literal.normalize() ? path : literal;
}

/**
 * Returns a lookup by the destination of a link in earlier bytes of the file. The lookup returns
 * the id of the document to which that link led.
 */
export function targetLookup(targets: Iterable<LinkTarget>): TargetLookup {
  const bySaid = new Map<string, string>();
  for (const { destination, to } of targets) if (to !== null && !bySaid.has(destination)) bySaid.set(destination, to);
  return (destination) => bySaid.get(destination) ?? null;
}
