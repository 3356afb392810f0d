import type { DirId, DocId } from "../../contract/ids.ts";
import type { LinkTarget } from "../../contract/spelling.ts";
import { type Destination, isId } from "./destination.ts";
import { findLinks, readLinkDestination } from "./find.ts";
import { type Place, resolveToPath, resolveDestination } from "./place.ts";
import { type TargetLookup, resolveByFirstSource } from "./translate.ts";

/**
 * Returns the targets of a local document's links, one for each destination.
 * @param place path of the document, and the paths and ids of all other documents
 * @param sources lookups from destination to id, in order of priority
 */
export function readLinkTargets(text: string, place: Place, sources: readonly (TargetLookup | Place)[]): LinkTarget[] {
  const targets = new Map<string, LinkTarget>();
  for (const link of findLinks(text, place.names !== undefined)) {
    const destination = readLinkDestination(text, link);
    if (destination.kind === "foreign" || targets.has(destination.target)) continue;
    const target = readLinkTarget(destination, place, sources);
    if (target !== null) targets.set(destination.target, target);
  }
  return [...targets.values()];
}

/**
 * Returns the target to remember for a destination. Returns null if the destination is the id of a
 * known document or folder, because a move cannot break such a link.
 */
function readLinkTarget(
  read: Destination,
  place: Place,
  sources: readonly (TargetLookup | Place)[],
): LinkTarget | null {
  const { target, kind } = read;
  const knownId = resolveByFirstSource(read, sources) as DocId | DirId | null;
  // A destination that is an id is remembered only while no document or folder has that id.
  if (isId(target) && (knownId === null || knownId === target))
    return resolveDestination(read, place) === null
      ? { destination: target, at: null, to: target as DocId | DirId }
      : null;
  const localPath = kind === "wiki" && knownId !== null ? place.pathOf(knownId) : null;
  return {
    destination: target,
    at: localPath ?? choosePathSpelling(place, knownId, resolveToPath(read, place)),
    to: knownId,
  };
}

export function readDestinations(text: string, wiki: boolean): string[] {
  return findLinks(text, wiki).map((link) => readLinkDestination(text, link).target);
}

/**
 * Returns a document without the destinations of its links. The result is the same for the local
 * form and for the form of the service. So the result changes only if something other than a
 * destination changes.
 */
export function removeDestinations(text: string, wiki: boolean): string {
  let result = "";
  let copiedUpTo = 0;
  for (const { from, to, wiki: named } of findLinks(text, wiki)) {
    result += text.slice(copiedUpTo, named?.from ?? from) + (named?.text ?? "");
    copiedUpTo = named?.to ?? to;
  }
  return result + text.slice(copiedUpTo);
}

/**
 * Returns a lookup from destinations in `text` to ids. `otherForm` is the same document in the form
 * of the service, in which links contain ids. Each link in `text` is paired with the link at the
 * same index in `otherForm`. If the two forms have different numbers of links, the lookup always
 * returns null.
 */
export function createLookupByOtherForm(otherForm: string, text: string, wiki: boolean): TargetLookup {
  const ids = findLinks(otherForm, wiki).map((link) => readLinkDestination(otherForm, link));
  const texts = readDestinations(text, wiki);
  if (texts.length !== ids.length) return () => null;
  const targets = new Map<string, string>();
  for (const [n, { kind, inert, target: id }] of ids.entries()) if (kind === "id" && !inert) targets.set(texts[n]!, id);
  return (destination) => targets.get(destination) ?? null;
}

/**
 * Returns the destinations that begin with `ref://` in the form of the service. Such destinations
 * have no target.
 */
export function readInertDestinations(text: string, wiki: boolean): string[] {
  const destinations = findLinks(text, wiki).map((link) => readLinkDestination(text, link));
  return destinations.flatMap(({ inert, target }) => (inert ? [target] : []));
}

/**
 * Returns `literal`, the path that a destination names. If the path of the target differs only in
 * its Unicode normal form, returns the path of the target instead.
 */
function choosePathSpelling(place: Place, id: string | null, literal: string | null): string | null {
  const path = id === null ? null : place.pathOf(id);
  return path !== null && literal !== null && path.normalize() === literal.normalize() ? path : literal;
}

export function createTargetLookup(targets: Iterable<LinkTarget>): TargetLookup {
  const idByDestination = new Map<string, string>();
  for (const { destination, to } of targets)
    if (to !== null && !idByDestination.has(destination)) idByDestination.set(destination, to);
  return (destination) => idByDestination.get(destination) ?? null;
}
