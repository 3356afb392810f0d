/**
 * Reads and writes wiki links. Locally, a wiki link names a file: `[[Name#Heading|text]]`. On the
 * service, a wiki link is a Markdown link with an id: `[[text]](doc_1#Heading)`. The double
 * brackets distinguish wiki links from other links. Readers see only the text, and a move does not
 * break a link with an id.
 */
import { encodeCharacter } from "./destination.ts";
import { isDocId } from "../../contract/ids.ts";
import { decodePercents, nameOf } from "../../contract/path.ts";

/**
 * Lookups between documents and their file names without `.md`. The lookups ignore case and Unicode
 * normal forms.
 */
export type DocumentNames = {
  /**
   * Returns the id of the document with a name. Returns null if no document has the name, or more
   * than one.
   * @param name file name, or path from the root
   */
  idOf(name: string): string | null;
  /** Returns the shortest name with which `idOf` finds a document; null if no such name exists. */
  nameOf(id: string): string | null;
  /**
   * Returns the path of a file that has the name and is not a document yet. Returns null if no such
   * file has the name, or more than one.
   */
  pathOf(name: string): string | null;
};

export type WikiLink = {
  /** Offset of the first bracket. For an embedded file, a `!` is before this bracket. */
  readonly from: number;
  readonly to: number;
  /** Name of a file or its path from the root; null in the form of the service. */
  readonly name: string | null;
  /**
   * Heading with its `#`, from a local wiki link. Empty in the form of the service, and if the link
   * has no heading.
   */
  readonly heading: string;
  readonly text: string;
  /** True if the link is in a table, where an unescaped `|` would end the cell. */
  readonly inTable: boolean;
};

const WIKI_LINK = /\[\[([^[\]|#\\<>`\r\n]+)((?:#[^[\]|\\<>`\r\n]*)?)(?:\\?\|([^[\]|\\<>`\r\n]+))?\]\](?![[(])/y;
const BRACKETED_TEXT = /^\[([^[\]|\\<>`\r\n]+)\]$/;

export function readWikiLink(text: string, offset: number): WikiLink | null {
  WIKI_LINK.lastIndex = offset;
  const linkMatch = WIKI_LINK.exec(text);
  if (linkMatch === null) return null;
  const [whole, name, heading, alias] = linkMatch as unknown as [string, string, string, string | undefined];
  if (!whole.isWellFormed()) return null;
  return { from: offset, to: offset + whole.length, name, heading, text: alias ?? name + heading, inTable: false };
}

/** @param inner text between the outer brackets of the link */
export function readBracketedWords(inner: string): string | null {
  return BRACKETED_TEXT.exec(inner)?.[1] ?? null;
}

export function toWikiDestination(name: string): string {
  return `[[${name}]]`;
}

export function readNameOfDestination(text: string): string | null {
  return text.startsWith("[[") && text.endsWith("]]") && !text.includes("\n") ? text.slice(2, -2) : null;
}

/** @param id id or path of the target */
export function writeServiceWikiLink(id: string, heading: string, text: string): string {
  return `[[${text}]](${id}${encodeHeading(heading)})`;
}

function encodeHeading(heading: string): string {
  return heading.replace(UNSAFE_IN_HEADING, encodeCharacter);
}

const UNSAFE_IN_HEADING = /[\p{Cc}\s<>\\%|`"&()[\]\u200b\u2060\ufeff]/gu;

/**
 * Returns the heading from the suffix of a link's destination; an empty string if the suffix is
 * empty. Returns null if no wiki link could have this suffix.
 */
export function readWikiHeading(suffix: string): string | null {
  if (suffix === "") return "";
  if (!suffix.startsWith("#") || !suffix.isWellFormed()) return null;
  const heading = decodePercents(suffix);
  return heading !== null && encodeHeading(heading) === suffix ? heading : null;
}

/**
 * Returns `[[text]]` if the text is the name of the target; otherwise `[[name#heading|text]]`.
 * Returns null if no name leads to the target.
 */
export function writeLocalWikiLink(
  id: string,
  heading: string,
  { text, inTable }: WikiLink,
  names: DocumentNames,
): string | null {
  const name = names.nameOf(id);
  const separator = inTable ? "\\|" : "|";
  const forms = [`[[${text}]]`, ...(name === null ? [] : [`[[${name}${heading}${separator}${text}]]`])];
  return forms.find((form) => isLinkTo(form, id, heading, text, names)) ?? null;
}

function isLinkTo(form: string, id: string, heading: string, text: string, names: DocumentNames): boolean {
  const wikiLink = readWikiLink(form, 0);
  if (wikiLink === null || wikiLink.to !== form.length || wikiLink.heading !== heading || wikiLink.text !== text)
    return false;
  return names.idOf(wikiLink.name!) === id;
}

/**
 * Finds paths by their file name, for wiki links. Paths of removed files stay in the index, so
 * callers must check whether a document still exists.
 */
export class NameIndex {
  readonly #paths = new Map<string, Set<string>>();

  add(path: string): void {
    if (!path.endsWith(MARKDOWN_ENDING)) return;
    const key = foldName(nameOf(path).slice(0, -MARKDOWN_ENDING.length));
    const pathsOfName = this.#paths.get(key);
    if (pathsOfName === undefined) this.#paths.set(key, new Set([path]));
    else pathsOfName.add(path);
  }

  named(name: string): Iterable<string> {
    return this.#paths.get(foldName(name)) ?? [];
  }
}

type NameLookups = {
  readonly index: () => NameIndex;
  readonly idAt: (path: string) => string | null;
  readonly pathOf: (id: string) => string | null;
  /** Returns true if a local file at the path is not a document yet. */
  readonly isWaiting: (path: string) => boolean;
};

export function createDocumentNames({ index, idAt, pathOf, isWaiting }: NameLookups): DocumentNames {
  const pathsOfStem = (stem: string) => (stem.includes("/") ? [stem + MARKDOWN_ENDING] : index().named(stem));
  const pathsOf = (name: string) => listPossibleStems(name).flatMap((stem) => [...pathsOfStem(stem)]);
  const idOf = (name: string): string | null => {
    const ids = Iterator.from(pathsOf(name)).map(idAt).filter(isDocId);
    // Two ids are enough to show that a name is ambiguous. A name such as `index` may have
    // thousands of files.
    const [id, ...more] = ids.take(2);
    return id !== undefined && more.length === 0 ? id : null;
  };
  return {
    idOf,
    nameOf: (id) => {
      const path = pathOf(id)?.slice(0, -MARKDOWN_ENDING.length) ?? "";
      return [nameOf(path), ...(path.includes("/") ? [path] : [])].find((name) => idOf(name) === id) ?? null;
    },
    pathOf: (name) => {
      const existingPaths = Iterator.from(pathsOf(name)).filter((path) => idAt(path) !== null || isWaiting(path));
      const [path, ...more] = existingPaths.take(2);
      return path !== undefined && more.length === 0 && idAt(path) === null ? path : null;
    },
  };
}

const MARKDOWN_ENDING = ".md";

/**
 * Returns the file names without `.md` that a wiki link may mean. `[[Name.md]]` may mean `Name.md`
 * or `Name.md.md`.
 */
function listPossibleStems(name: string): string[] {
  return foldName(name).endsWith(MARKDOWN_ENDING) ? [name, name.slice(0, -MARKDOWN_ENDING.length)] : [name];
}

/**
 * Returns a name in the form in which names are compared. Editors ignore case and Unicode forms in
 * wiki links.
 */
function foldName(name: string): string {
  return name.normalize("NFC").toLowerCase();
}
