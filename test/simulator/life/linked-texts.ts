import { posix } from "node:path";

/**
 * Links in the texts of a life, and what they lead to, without any code of what is judged. Each
 * stands on a line that is a mark of its own, and says the tag of the document that it is to lead
 * to.
 */

export type LifeLink = {
  /** Of the line. */
  readonly mark: string;
  /** The tag of the document that it is to lead to. */
  readonly to: string;
  /** Without query and fragment. */
  readonly said: string;
};

const LINK = /mark (\d+); see \[document (\d+)\]\(([^)#?]*)([^)]*)\)/g;

export function linksIn(text: string): LifeLink[] {
  return Array.from(text.matchAll(LINK), ([, mark, to, said]) => ({ mark: mark!, to: to!, said: said! }));
}

export function linkLine(mark: string, to: string, said: string, fragment: number): string {
  return `mark ${mark}; see [document ${to}](${said}${fragment === 0 ? "" : `#part-${fragment}`}).`;
}

/** A text but for what its links say: equal in both of its forms. */
export function essenceOf(text: string): string {
  return text.replace(LINK, (_all, mark: string, to: string) => `mark ${mark}; see [document ${to}]()`);
}

export function holdsLinks(text: string): boolean {
  return essenceOf(text) !== text;
}

/** As an editor writes it. */
export function pathBetween(from: string, to: string): string {
  return encodeURI(posix.relative(posix.dirname(from), to));
}

/** @returns null outside of the root */
export function pathSaid(from: string, said: string): string | null {
  const path = posix.join(posix.dirname(from), decodeURI(said));
  return path.startsWith("../") ? null : path;
}

/** The id of what a link on the service leads to; what it says, where that is nothing. */
export function leadsThere(
  { said }: Pick<LifeLink, "said">,
  files: readonly { readonly id: string; readonly path: string }[],
): string {
  return files.find(({ path }) => `/${path}` === decodeURI(said))?.id ?? said;
}
