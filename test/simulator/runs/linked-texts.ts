import { posix } from "node:path";

/**
 * Reads and resolves links in contents of a run, without code of mdmirror. Each link is in a line
 * with a unique mark, and names the tag of its target document.
 */

export type SimulatedLink = {
  /** Mark of the link's line. */
  readonly mark: string;
  /** Tag of the target document. */
  readonly to: string;
  /** Destination without query and fragment. */
  readonly said: string;
};

const LINK = /mark (\d+); see \[document (\d+)\]\(([^)#?]*)([^)]*)\)/g;

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

export function holdsLinks(text: string): boolean {
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
