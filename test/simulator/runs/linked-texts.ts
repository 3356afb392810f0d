import { posix } from "node:path";

/**
 * Links in the contents of a run, and their targets, without any code of the program under test.
 * Each link is in a line that is a unique mark, and names the tag of its target document.
 */

export type SimulatedLink = {
  /** Mark of the line. */
  readonly mark: string;
  /** The tag of the target document. */
  readonly to: string;
  /** Without query and fragment. */
  readonly said: string;
};

const LINK = /mark (\d+); see \[document (\d+)\]\(([^)#?]*)([^)]*)\)/g;

export function linksIn(text: string): SimulatedLink[] {
  return Array.from(text.matchAll(LINK), ([, mark, to, said]) => ({ mark: mark!, to: to!, said: said! }));
}

export function linkLine(mark: string, to: string, said: string, fragment: number): string {
  return `mark ${mark}; see [document ${to}](${said}${fragment === 0 ? "" : `#part-${fragment}`}).`;
}

/** Returns content without the targets of its links: equal in both forms. */
export function essenceOf(text: string): string {
  return text.replace(LINK, (_all, mark: string, to: string) => `mark ${mark}; see [document ${to}]()`);
}

export function holdsLinks(text: string): boolean {
  return essenceOf(text) !== text;
}

/** Returns a path as an editor writes it. */
export function pathBetween(from: string, to: string): string {
  return encodeURI(posix.relative(posix.dirname(from), to));
}

/** @returns null outside of the root */
export function pathSaid(from: string, said: string): string | null {
  const path = posix.join(posix.dirname(from), decodeURI(said));
  return path.startsWith("../") ? null : path;
}

/**
 * Returns the id of a link's target on the service; the destination itself if there is no target.
 */
export function leadsThere(
  { said }: Pick<SimulatedLink, "said">,
  files: readonly { readonly id: string; readonly path: string }[],
): string {
  return files.find(({ path }) => `/${path}` === decodeURI(said))?.id ?? said;
}
