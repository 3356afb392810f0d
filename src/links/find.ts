import { bodyStart } from "./body.ts";
import { mayHoldLinks } from "./candidates.ts";
import { parseWith } from "./grammar.ts";
import { normaliseLabel, readDestination } from "./resource.ts";

/** Finds the links of a text, read as Markdown with GitHub's tables and footnotes. */

/** A link or image with its destination, or a definition of one (`[label]: destination`). */
export type FoundLink = {
  readonly kind: "link" | "image" | "definition";
  /** Where the destination stands, in UTF-16 units, without `<` and `>`. It is never empty. */
  readonly from: number;
  readonly to: number;
  /** Whether the destination stands between `<` and `>`. */
  readonly angle: boolean;
};

/**
 * Finds links outside of code, HTML and front matter, in the order of the text. Autolinks (`<…>`)
 * and references (`[text][label]`) have no destination of their own. Takes any string, in time
 * linear in its length.
 */
export function findLinks(text: string): FoundLink[] {
  if (!mayHoldLinks(text)) return [];
  const start = bodyStart(text);
  const body = start === 0 ? text : text.slice(start);
  const first = read(body, NONE);
  // Which brackets are links depends on all definitions, even those further down: hence a second
  // reading.
  const links = first.defined.size === 0 ? first.links : read(body, first.defined).links;
  return start === 0 ? links : links.map((link) => ({ ...link, from: link.from + start, to: link.to + start }));
}

const NONE: ReadonlySet<string> = new Set();

type Found = { readonly links: FoundLink[]; readonly defined: Set<string> };

function read(body: string, known: ReadonlySet<string>): Found {
  const { tree, links: inline } = parseWith(body, known);
  const found: Found = { links: [], defined: new Set() };
  tree.iterate({
    enter: ({ name, from, node }) => {
      if (name === "Destination") {
        const { kind, angle, destination } = inline.get(from)!;
        found.links.push({ kind, ...destination!, angle });
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

function readDefinition(body: string, label: Node, url: Node, { links, defined }: Found): void {
  if (label === null || url === null) return;
  const angle = body[url.from] === "<";
  const destination = readDestination(body, url.from);
  // The parser accepts unbalanced parentheses; CommonMark does not.
  if (destination === null || destination.to + (angle ? 1 : 0) !== url.to) return;
  defined.add(normaliseLabel(body.slice(label.from + 1, label.to - 1)));
  if (destination.to > destination.from) links.push({ kind: "definition", ...destination, angle });
}
