import { findBodyOffset } from "../outline/outline.ts";
import { mayHaveLinks } from "./candidates.ts";
import { type Destination, normaliseLabel, readDestination, readDestinationParts } from "./destination.ts";
import { parseMarkdown, type ParseOptions } from "./grammar.ts";
import { toWikiDestination, type WikiLink } from "./wiki.ts";

/** Link of a document. A definition is `[label]: destination`. Offsets are in UTF-16 units. */
export type FoundLink = {
  readonly kind: "link" | "image" | "definition" | "wiki";
  /**
   * Start of the destination, after a `<`; for a local wiki link, start of the whole link. A
   * destination has at least one character.
   */
  readonly from: number;
  readonly to: number;
  readonly angle: boolean;
  /** The link as a wiki link; undefined if it is no wiki link. */
  readonly wiki?: WikiLink;
};

export function readLinkDestination(text: string, { from, to, wiki }: FoundLink): Destination {
  if (wiki?.name == null) return readDestinationParts(text.slice(from, to));
  return { kind: "wiki", target: toWikiDestination(wiki.name), inert: false, suffixAt: to - from };
}

/**
 * Returns the links of a document in their order, in time linear in the length of the document.
 * Reads tables and footnotes as GitHub does. Skips code, HTML and front matter. Also skips links
 * without a destination of their own: addresses in `<…>` and references (`[text][label]`).
 */
export function findLinks(text: string, wiki = false): readonly FoundLink[] {
  if (!mayHaveLinks(text, wiki)) return [];
  if (lastDocument?.text !== text || lastDocument.wiki !== wiki)
    lastDocument = { text, wiki, links: parseLinks(text, wiki) };
  return lastDocument.links;
}

/**
 * Links of the last document. Most documents are read twice in a row: first to find the targets of
 * the links, then to replace the destinations.
 */
let lastDocument: { readonly text: string; readonly wiki: boolean; readonly links: readonly FoundLink[] } | null = null;

function parseLinks(text: string, countsWiki: boolean): FoundLink[] {
  const bodyOffset = findBodyOffset(text);
  const body = bodyOffset === 0 ? text : text.slice(bodyOffset);
  const firstReading = collectLinks(body, { definedLabels: NO_LABELS, countsWiki });
  // The first reading of a document collects the definitions, which may be at the end. The second
  // reading uses the definitions to decide which brackets are links.
  const links =
    firstReading.defined.size === 0
      ? firstReading.links
      : collectLinks(body, { definedLabels: firstReading.defined, countsWiki }).links;
  return bodyOffset === 0 ? links : links.map((link) => shiftLink(link, bodyOffset));
}

function shiftLink(link: FoundLink, offset: number): FoundLink {
  const shiftedLink = { ...link, from: link.from + offset, to: link.to + offset };
  return link.wiki === undefined
    ? shiftedLink
    : { ...shiftedLink, wiki: { ...link.wiki, from: link.wiki.from + offset, to: link.wiki.to + offset } };
}

const NO_LABELS: ReadonlySet<string> = new Set();

type LinksAndLabels = { readonly links: FoundLink[]; readonly defined: Set<string> };

function collectLinks(body: string, input: ParseOptions): LinksAndLabels {
  const { tree, links: inline } = parseMarkdown(body, input);
  const linksAndLabels: LinksAndLabels = { links: [], defined: new Set() };
  let tableEnd = -1;
  tree.iterate({
    enter: ({ name, from, to, node }) => {
      if (name === "Table") {
        tableEnd = to;
      } else if (name === "Destination") {
        const { kind, angle, destination, wiki } = inline.get(from)!;
        const wikiMember = wiki === undefined ? {} : { wiki: { ...wiki, inTable: from < tableEnd } };
        linksAndLabels.links.push({ kind, ...destination!, angle, ...wikiMember });
      } else if (name === "FootnoteDefinition") {
        linksAndLabels.defined.add(normaliseLabel(body.slice(from + 1, body.indexOf("]", from))));
      } else if (name === "LinkReference") {
        readDefinition(body, node.getChild("LinkLabel"), node.getChild("URL"), linksAndLabels);
      }
    },
  });
  return linksAndLabels;
}

type NodeRange = { readonly from: number; readonly to: number } | null;

function readDefinition(body: string, label: NodeRange, url: NodeRange, { links, defined }: LinksAndLabels): void {
  if (label === null || url === null) return;
  const hasAngles = body[url.from] === "<";
  const destination = readDestination(body, url.from);
  // The parser also accepts unbalanced parentheses, which CommonMark forbids; such a definition
  // is skipped.
  if (destination === null || destination.to + (hasAngles ? 1 : 0) !== url.to) return;
  defined.add(normaliseLabel(body.slice(label.from + 1, label.to - 1)));
  if (destination.to > destination.from) links.push({ kind: "definition", ...destination, angle: hasAngles });
}
