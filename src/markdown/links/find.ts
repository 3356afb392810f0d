/** Finds the links of a document, read as Markdown with GitHub's tables and footnotes. */

import { findBodyOffset } from "../outline/front-matter.ts";
import { mayHaveLinks } from "./candidates.ts";
import { type Destination, readDestinationText } from "./destination.ts";
import { type ParseInput, parseWith } from "./grammar.ts";
import { normaliseLabel, readDestination } from "./resource.ts";
import { destinationOfName, type WikiLink } from "./wiki.ts";

/**
 * A link or image with its destination, a link definition (`[label]: destination`), or a wiki link.
 */
export type FoundLink = {
  readonly kind: "link" | "image" | "definition" | "wiki";
  /**
   * Start of the destination, in UTF-16 units, without `<` and `>`; for a wiki link, the start of
   * the link. A destination is never empty.
   */
  readonly from: number;
  readonly to: number;
  /** True if the destination is between `<` and `>`. */
  readonly angle: boolean;
  /**
   * Set for a wiki link in either form; undefined for other links, and if wiki links do not count.
   */
  readonly wiki?: WikiLink;
};

export function readFound(text: string, { from, to, wiki }: FoundLink): Destination {
  if (wiki?.name == null) return readDestinationText(text.slice(from, to));
  return { kind: "wiki", target: destinationOfName(wiki.name), inert: false, suffixAt: to - from };
}

/**
 * Finds links outside of code, HTML and front matter, in the order of the document. Autolinks
 * (`<…>`) and references (`[text][label]`) have no destination of their own. Accepts any string, in
 * time linear in its length.
 * @param wiki true if wiki links count
 */
export function findLinks(text: string, wiki = false): readonly FoundLink[] {
  if (!mayHaveLinks(text, wiki)) return [];
  if (last?.text !== text || last.wiki !== wiki) last = { text, wiki, links: parse(text, wiki) };
  return last.links;
}

/**
 * Links of the last document that was read. A document is often read twice: first for the targets
 * of its links, then to convert them.
 */
let last: { readonly text: string; readonly wiki: boolean; readonly links: readonly FoundLink[] } | null = null;

function parse(text: string, countsWiki: boolean): FoundLink[] {
  const start = findBodyOffset(text);
  const body = start === 0 ? text : text.slice(start);
  const first = collectLinks(body, { defined: NO_LABELS, countsWiki });
  // All definitions decide which brackets are links, even definitions further down. So the document
  // is read twice.
  const links =
    first.defined.size === 0 ? first.links : collectLinks(body, { defined: first.defined, countsWiki }).links;
  return start === 0 ? links : links.map((link) => movedBy(link, start));
}

function movedBy(link: FoundLink, offset: number): FoundLink {
  const moved = { ...link, from: link.from + offset, to: link.to + offset };
  return link.wiki === undefined
    ? moved
    : { ...moved, wiki: { ...link.wiki, from: link.wiki.from + offset, to: link.wiki.to + offset } };
}

const NO_LABELS: ReadonlySet<string> = new Set();

type FoundLinks = { readonly links: FoundLink[]; readonly defined: Set<string> };

function collectLinks(body: string, input: ParseInput): FoundLinks {
  const { tree, links: inline } = parseWith(body, input);
  const found: FoundLinks = { links: [], defined: new Set() };
  let tableEnd = -1;
  tree.iterate({
    enter: ({ name, from, to, node }) => {
      if (name === "Table") {
        tableEnd = to;
      } else if (name === "Destination") {
        const { kind, angle, destination, wiki } = inline.get(from)!;
        const shape = wiki === undefined ? {} : { wiki: { ...wiki, inTable: from < tableEnd } };
        found.links.push({ kind, ...destination!, angle, ...shape });
      } else if (name === "FootnoteDefinition") {
        found.defined.add(normaliseLabel(body.slice(from + 1, body.indexOf("]", from))));
      } else if (name === "LinkReference") {
        readDefinition(body, node.getChild("LinkLabel"), node.getChild("URL"), found);
      }
    },
  });
  return found;
}

type Node = { readonly from: number; readonly to: number } | null;

function readDefinition(body: string, label: Node, url: Node, { links, defined }: FoundLinks): void {
  if (label === null || url === null) return;
  const angle = body[url.from] === "<";
  const destination = readDestination(body, url.from);
  // The parser accepts unbalanced parentheses; CommonMark does not.
  if (destination === null || destination.to + (angle ? 1 : 0) !== url.to) return;
  defined.add(normaliseLabel(body.slice(label.from + 1, label.to - 1)));
  if (destination.to > destination.from) links.push({ kind: "definition", ...destination, angle });
}
