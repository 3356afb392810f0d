/**
 * Wiki links. Locally they are `[[Name#Heading|text]]`, by a file's name. On the service they are
 * `[[text]](doc_1#Heading)`, a Markdown link by id whose text is in brackets of its own. The
 * brackets distinguish it from other links, every reader sees its words, and no move changes it.
 */

import { decodePercents, encodeCharacter } from "./destination.ts";

/** Documents by the names of their files, without `.md`; case and normal form do not count. */
export type DocumentNames = {
  /**
   * @param name name of a file, or path from the root
   * @returns the only document with this name; null if none, or more than one, has it
   */
  idOf(name: string): string | null;
  /** Returns the shortest name by which `idOf` finds the document; null if there is none. */
  nameOf(id: string): string | null;
  /** Returns the path of the only file with this name that is not a document yet. */
  pathOf(name: string): string | null;
};

/** A wiki link in either form. */
export type WikiLink = {
  /** Offset of the first bracket; the `!` of an embed is before it. */
  readonly from: number;
  readonly to: number;
  /** Name of the file without `.md`, or its path from the root; null in the service's form. */
  readonly name: string | null;
  /** Heading with its `#`, in the service's form; empty if the link has no heading. */
  readonly heading: string;
  /** Text that readers see. */
  readonly text: string;
  /** True if the link is in a table, where a bare `|` would end the cell. */
  readonly inTable: boolean;
};

const WIKI_LINK = /\[\[([^[\]|#\\<>`\r\n]+)((?:#[^[\]|\\<>`\r\n]*)?)(?:\\?\|([^[\]|\\<>`\r\n]+))?\]\](?![[(])/y;
const BRACKETED_TEXT = /^\[([^[\]|\\<>`\r\n]+)\]$/;

/** Returns the local wiki link that begins at `offset`. Its offsets count from `offset`. */
export function readWikiLink(text: string, offset: number): WikiLink | null {
  WIKI_LINK.lastIndex = offset;
  const found = WIKI_LINK.exec(text);
  if (found === null) return null;
  const [whole, name, heading, alias] = found as unknown as [string, string, string, string | undefined];
  if (!whole.isWellFormed()) return null;
  return { from: offset, to: offset + whole.length, name, heading, text: alias ?? name + heading, inTable: false };
}

/**
 * @param inner content of a link's brackets
 * @returns the words that the service's form shows; null for a link of another form
 */
export function wordsOf(inner: string): string | null {
  return BRACKETED_TEXT.exec(inner)?.[1] ?? null;
}

/** Returns the destination of a wiki link, as `TargetLookup` and `LinkTarget` have it. */
export function destinationOfName(name: string): string {
  return `[[${name}]]`;
}

/** Returns the name in a destination; null if the destination does not belong to a wiki link. */
export function nameOfDestination(text: string): string | null {
  return text.startsWith("[[") && text.endsWith("]]") && !text.includes("\n") ? text.slice(2, -2) : null;
}

/** Returns the service's form of a wiki link. */
export function wikiServiceForm(id: string, heading: string, text: string): string {
  return `[[${text}]](${id}${encoded(heading)})`;
}

function encoded(heading: string): string {
  return heading.replace(UNSAFE_IN_HEADING, encodeCharacter);
}

const UNSAFE_IN_HEADING = /[\p{Cc}\s<>\\%|`"&()[\]\u200b\u2060\ufeff]/gu;

/** Returns the heading in the suffix of a link; null if the suffix is not that of a wiki link. */
export function headingOf(suffix: string): string | null {
  if (suffix === "") return "";
  if (!suffix.startsWith("#") || !suffix.isWellFormed()) return null;
  const heading = decodePercents(suffix);
  return heading !== null && encoded(heading) === suffix ? heading : null;
}

/**
 * Returns the local form of a link: only the words if they are the target's name, otherwise the
 * target's name before the words.
 * @returns null if no wiki link would lead to the target
 */
export function wikiLocalForm(
  id: string,
  heading: string,
  { text, inTable }: WikiLink,
  names: DocumentNames,
): string | null {
  const name = names.nameOf(id);
  const bar = inTable ? "\\|" : "|";
  const forms = [`[[${text}]]`, ...(name === null ? [] : [`[[${name}${heading}${bar}${text}]]`])];
  return forms.find((form) => leadsTo(form, id, heading, text, names)) ?? null;
}

function leadsTo(form: string, id: string, heading: string, text: string, names: DocumentNames): boolean {
  const read = readWikiLink(form, 0);
  if (read === null || read.to !== form.length || read.heading !== heading || read.text !== text) return false;
  return names.idOf(read.name!) === id;
}
