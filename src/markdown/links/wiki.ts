/**
 * Reads and writes wiki links. Locally they name a file: `[[Name#Heading|text]]`. On the service
 * they are Markdown links with an id: `[[text]](doc_1#Heading)`. The double brackets distinguish
 * them from other links. Readers see only the text, and a move does not break the id.
 */

import { decodePercents, encodeCharacter } from "./destination.ts";

/**
 * Lookups between documents and their file names without `.md`. Case and Unicode normal forms are
 * ignored.
 */
export type DocumentNames = {
  /**
   * Returns the id of the document with this name; null if no document or more than one has it.
   * @param name file name, or path from the root
   */
  idOf(name: string): string | null;
  /** Returns the shortest name with which `idOf` finds the document; null if there is none. */
  nameOf(id: string): string | null;
  /**
   * Returns the path of a file with this name that is not a document yet; null if there is no such
   * file, or more than one.
   */
  pathOf(name: string): string | null;
};

/** A wiki link in either form. */
export type WikiLink = {
  /** Offset of the first bracket. An embedded file has a `!` before it. */
  readonly from: number;
  readonly to: number;
  /** File name without `.md`, or path from the root; null in the form of the service. */
  readonly name: string | null;
  /**
   * Heading with its `#`, from a local wiki link. Empty if it has none, and in the form of the
   * service.
   */
  readonly heading: string;
  /** Words that a reader sees. */
  readonly text: string;
  /** True if the link is in a table, where an unescaped `|` would end the cell. */
  readonly inTable: boolean;
};

const WIKI_LINK = /\[\[([^[\]|#\\<>`\r\n]+)((?:#[^[\]|\\<>`\r\n]*)?)(?:\\?\|([^[\]|\\<>`\r\n]+))?\]\](?![[(])/y;
const BRACKETED_TEXT = /^\[([^[\]|\\<>`\r\n]+)\]$/;

/** Reads the local wiki link at `offset`. Returns null if there is none. */
export function readWikiLink(text: string, offset: number): WikiLink | null {
  WIKI_LINK.lastIndex = offset;
  const found = WIKI_LINK.exec(text);
  if (found === null) return null;
  const [whole, name, heading, alias] = found as unknown as [string, string, string, string | undefined];
  if (!whole.isWellFormed()) return null;
  return { from: offset, to: offset + whole.length, name, heading, text: alias ?? name + heading, inTable: false };
}

/**
 * Returns the words of a wiki link in the form of the service; null if the link is an ordinary one.
 * @param inner text between the outer brackets of the link
 */
export function readBracketedWords(inner: string): string | null {
  return BRACKETED_TEXT.exec(inner)?.[1] ?? null;
}

/** Returns the destination under which the target of a wiki link is looked up and recorded. */
export function toWikiDestination(name: string): string {
  return `[[${name}]]`;
}

/**
 * Returns the name in a destination such as `[[Name]]`; null if the destination is no wiki link.
 */
export function readNameOfDestination(text: string): string | null {
  return text.startsWith("[[") && text.endsWith("]]") && !text.includes("\n") ? text.slice(2, -2) : null;
}

/** Returns a wiki link in the form of the service. `id` may also be a path. */
export function writeServiceWikiLink(id: string, heading: string, text: string): string {
  return `[[${text}]](${id}${encodeHeading(heading)})`;
}

function encodeHeading(heading: string): string {
  return heading.replace(UNSAFE_IN_HEADING, encodeCharacter);
}

const UNSAFE_IN_HEADING = /[\p{Cc}\s<>\\%|`"&()[\]\u200b\u2060\ufeff]/gu;

/**
 * Returns the heading from the end of a link's destination; an empty string if there is none.
 * Returns null if the end is not what a wiki link would have.
 */
export function readWikiHeading(suffix: string): string | null {
  if (suffix === "") return "";
  if (!suffix.startsWith("#") || !suffix.isWellFormed()) return null;
  const heading = decodePercents(suffix);
  return heading !== null && encodeHeading(heading) === suffix ? heading : null;
}

/**
 * Returns a wiki link in the local form. It is `[[text]]` if the text is the target's name,
 * otherwise `[[name#heading|text]]`. Returns null if no name leads to the target.
 */
export function writeLocalWikiLink(
  id: string,
  heading: string,
  { text, inTable }: WikiLink,
  names: DocumentNames,
): string | null {
  const name = names.nameOf(id);
  const bar = inTable ? "\\|" : "|";
  const forms = [`[[${text}]]`, ...(name === null ? [] : [`[[${name}${heading}${bar}${text}]]`])];
  return forms.find((form) => isLinkTo(form, id, heading, text, names)) ?? null;
}

function isLinkTo(form: string, id: string, heading: string, text: string, names: DocumentNames): boolean {
  const read = readWikiLink(form, 0);
  if (read === null || read.to !== form.length || read.heading !== heading || read.text !== text) return false;
  return names.idOf(read.name!) === id;
}
