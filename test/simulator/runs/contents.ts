import { posix } from "node:path";
import { type Digest, digestOf } from "../../../src/contract/digest.ts";
import type { StoredState } from "../../../src/mirror/state/state.ts";

/**
 * Parts of a content in a run: a tag for its document, a mark for each edit, and a form of bytes
 * that programs often change.
 */

const TAG = /^\uFEFF?tag (\d+)/;
const MARK = /mark (\d+);/g;
/** Characters in which the tag fits. */
export const TAG_ROOM = 16;

type Dialect = (text: string) => string;

/** Forms of contents whose bytes must survive an upload and a download (I25). */
export const DIALECTS: readonly Dialect[] = [
  (text) => text,
  (text) => text,
  (text) => text,
  (text) => text.replaceAll("\n", "\r\n"),
  (text) => `\uFEFF${text}`,
  (text) => text.replace(/\n+$/, ""),
  (text) => `${text}cafe\u0301 caf\u00e9 \u{1f44b}\u2028end\n`,
];

export function tagOf(text: string): string | null {
  return TAG.exec(text)?.[1] ?? null;
}

export function marksOf(text: string): Set<string> {
  return new Set(Array.from(text.matchAll(MARK), (found) => found[1]!));
}

/**
 * Returns the same lines with other line ends, which is the same content for a deployment that
 * normalizes.
 */
export function withOtherEnds(text: string): string {
  return text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text.replaceAll("\n", "\r\n");
}

/**
 * Link in the content of a run, read without code of mdmirror. Each link is in a line with a unique
 * mark, and names the tag of its target document.
 */
export type SimulatedLink = {
  /** Mark of the link's line. */
  readonly mark: string;
  /** Tag of the target document. */
  readonly to: string;
  /** Destination without query and fragment. */
  readonly said: string;
};

const LINK = /mark (\d+); see \[document (\d+)\]\(([^)#?\s]*)([^)\s]*)\)/g;

export function linksIn(text: string): SimulatedLink[] {
  return Array.from(text.matchAll(LINK), ([, mark, to, said]) => ({ mark: mark!, to: to!, said: said! }));
}

export function linkLine(mark: string, to: string, said: string, fragment: number): string {
  return `mark ${mark}; see [document ${to}](${said}${fragment === 0 ? "" : `#part-${fragment}`}).`;
}

/**
 * Returns content without the destinations of its links, which is the same locally and on the
 * service.
 */
export function withoutDestinations(text: string): string {
  return text.replace(LINK, (_all, mark: string, to: string) => `mark ${mark}; see [document ${to}]()`);
}

function holdsLinks(text: string): boolean {
  return withoutDestinations(text) !== text;
}

/** Returns a relative path as an editor writes it into a link. */
export function pathBetween(from: string, to: string): string {
  return encodeURI(posix.relative(posix.dirname(from), to));
}

/** Returns the path to which a link leads; null outside of the root. */
export function pathOfDestination(from: string, said: string): string | null {
  const path = posix.join(posix.dirname(from), decodeURI(said));
  return path.startsWith("../") ? null : path;
}

/** Returns the id of a link's target on the service; the destination itself if it has no target. */
export function targetOnService(
  { said }: Pick<SimulatedLink, "said">,
  files: readonly { readonly id: string; readonly path: string }[],
): string {
  return files.find(({ path }) => `/${path}` === decodeURI(said))?.id ?? said;
}

/** The part of the state with contents, in which links have another form than in files. */
type Texts = Pick<StoredState, "text" | "hasText" | "digests">;

/** Returns true if local content has this digest in the state. */
export function isTextOf(state: Texts, digest: Digest, text: string): boolean {
  if (digestOf(text) === digest) return true;
  return holdsLinks(text) && withoutDestinations(state.text(digest) ?? "") === withoutDestinations(text);
}

/**
 * Returns true if the content store has local content, in its local form or that of the service.
 */
export function storeHas(state: Texts, text: string): boolean {
  if (state.hasText(digestOf(text))) return true;
  return holdsLinks(text) && state.digests().some((digest) => isTextOf(state, digest, text));
}
