/**
 * Renders Markdown to HTML. Anybody may have written a document, so a sanitiser keeps only the
 * elements and attributes that this file lists.
 */

import MarkdownIt from "markdown-it";
import sanitizeHtml from "sanitize-html";
import type { LinkBase, MarkedLines, RenderedMarkdown } from "./markdown.ts";
import { findFrontMatter } from "../markdown/outline/outline.ts";
import { resolveLink, toHeadingId } from "./addresses.ts";

const TEXT_TAGS = ["p", "br", "hr", "blockquote", "pre", "h1", "h2", "h3", "h4", "h5", "h6"];
const PHRASE_TAGS = ["a", "em", "strong", "b", "i", "u", "s", "del", "ins", "q", "mark", "small", "abbr", "span"];
const CODE_TAGS = ["code", "kbd", "samp", "var", "sub", "sup"];
const LIST_TAGS = ["ul", "ol", "li", "dl", "dt", "dd", "details", "summary"];
const TABLE_TAGS = ["table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td"];
/** Beginning of a task in a list: `[ ]` or `[x]`. */
const TASK_MARK = /^\[([ xX])\] /;
const HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"];
/**
 * LIMIT: number of nested elements, because anybody may have written a document, and may have
 * nested elements to any depth.
 */
const MAX_DEPTH = 50;

/** @param marked lines whose blocks get a CSS class; null for none */
export function renderMarkdown(text: string, base: LinkBase, marked: MarkedLines | null = null): RenderedMarkdown {
  const range = findFrontMatter(text);
  const contentStart = range?.end ?? 0;
  const parser = createParser();
  const tokens = parser.parse(text.slice(contentStart), {});
  if (marked !== null) markBlocks(tokens, text.slice(0, contentStart).split("\n").length - 1, marked);
  const markup = parser.renderer.render(tokens, parser.options, {});
  const frontMatter = range === null ? null : text.slice(range.from, range.to).replace(/\r?\n$/, "");
  return { frontMatter, body: sanitise(markup, base, marked) };
}

/**
 * Markdown tokens whose element gets the CSS class if one of the element's lines is marked. These
 * tokens are the smallest blocks: a paragraph, for example, and not the whole list around the
 * paragraph.
 */
const BLOCK_TOKENS = new Set(["paragraph_open", "heading_open", "fence", "code_block", "tr_open", "hr"]);
const BLOCK_TAGS = ["p", "code", "tr", "li", "hr"];

type MarkdownTokens = ReturnType<InstanceType<typeof MarkdownIt>["parse"]>;

/**
 * Adds a CSS class to the blocks with marked lines. In a tight list, a paragraph has no element of
 * its own, so the list item gets the class.
 * @param before number of lines before the tokens, such as front matter
 */
function markBlocks(tokens: MarkdownTokens, before: number, { mark, lines }: MarkedLines): void {
  for (const [index, token] of tokens.entries()) {
    if (token.map === null || !BLOCK_TOKENS.has(token.type)) continue;
    const [from, to] = token.map.map((line) => line + before) as [number, number];
    if (lines.some((line) => line >= from && line < to))
      (token.hidden ? tokens[index - 1]! : token).attrJoin("class", mark);
  }
}

/**
 * Returns a parser for one document only. The parser counts equal headings, so that each heading
 * gets an id of its own.
 */
function createParser(): InstanceType<typeof MarkdownIt> {
  const parser = new MarkdownIt({ html: true, linkify: true });
  parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
  const headingCounts = new Map<string, number>();
  parser.renderer.rules["heading_open"] = (tokens, index, options, _env, self) => {
    const id = toHeadingId(tokens[index + 1]?.content ?? "");
    const earlierCount = headingCounts.get(id) ?? 0;
    headingCounts.set(id, earlierCount + 1);
    tokens[index]!.attrSet("id", earlierCount === 0 ? id : `${id}-${earlierCount}`);
    return self.renderToken(tokens, index, options);
  };
  parser.core.ruler.after("inline", "tasks", ({ tokens, Token }) => {
    tokens.forEach(({ type, children }, index) => {
      const firstToken = children?.[0];
      const isItem = type === "inline" && tokens[index - 2]?.type === "list_item_open";
      const taskMark = isItem && firstToken?.type === "text" ? TASK_MARK.exec(firstToken.content) : null;
      if (taskMark === null || firstToken === undefined) return;
      const checkBox = new Token("html_inline", "", 0);
      checkBox.content = `<input type="checkbox"${taskMark[1] === " " ? "" : " checked"}> `;
      firstToken.content = firstToken.content.slice(taskMark[0].length);
      children!.unshift(checkBox);
    });
  });
  return parser;
}

type HtmlAttributes = Readonly<Record<string, string>>;
type HtmlTag = { tagName: string; attribs: Record<string, string>; text?: string };

function sanitise(markup: string, base: LinkBase, marked: MarkedLines | null): string {
  const markClasses = marked === null ? [] : [marked.mark];
  return sanitizeHtml(markup, {
    allowedTags: [...TEXT_TAGS, ...PHRASE_TAGS, ...CODE_TAGS, ...LIST_TAGS, ...TABLE_TAGS, "input"],
    allowedAttributes: {
      a: ["href", "title", "rel"],
      abbr: ["title"],
      ol: ["start"],
      details: ["open"],
      span: ["class"],
      input: ["type", "checked", "disabled", "aria-label"],
      th: ["class", "colspan", "rowspan"],
      td: ["class", "colspan", "rowspan"],
      ...Object.fromEntries(BLOCK_TAGS.map((name) => [name, ["class"]])),
      ...Object.fromEntries(HEADINGS.map((name) => [name, ["id", "class"]])),
    },
    allowedClasses: {
      span: ["image"],
      th: ["center", "end"],
      td: ["center", "end"],
      ...Object.fromEntries([...BLOCK_TAGS, ...HEADINGS].map((name) => [name, markClasses])),
    },
    allowedSchemes: ["http", "https", "mailto"],
    allowProtocolRelative: false,
    disallowedTagsMode: "discard",
    nestingLimit: MAX_DEPTH,
    transformTags: {
      a: (_name, attributes) => convertLink(attributes, base),
      img: (_name, attributes) => convertImage(attributes),
      input: (_name, attributes) => convertCheckBox(attributes),
      th: convertCell,
      td: convertCell,
      ...Object.fromEntries(HEADINGS.map((name) => [name, convertHeading])),
    },
  });
}

function convertLink({ href, title }: HtmlAttributes, base: LinkBase): HtmlTag {
  const address = href === undefined ? null : resolveLink(href, base);
  const attribs: Record<string, string> = title === undefined ? {} : { title };
  if (address !== null) attribs["href"] = address;
  if (address !== null && !/^[/#]/.test(address)) attribs["rel"] = "noopener noreferrer nofollow";
  return { tagName: "a", attribs };
}

/**
 * Shows the description of an image in place of the image. The service stores no images. An image
 * from another site would tell that site who reads the document.
 */
function convertImage({ alt = "", src = "" }: HtmlAttributes): HtmlTag {
  return { tagName: "span", attribs: { class: "image" }, text: alt === "" ? src : alt };
}

/** Shows a check box that readers cannot change. Removes other form fields. */
function convertCheckBox({ type, checked }: HtmlAttributes): HtmlTag {
  if (type !== "checkbox") return { tagName: "span", attribs: {} };
  const stateAttributes = checked === undefined ? { "aria-label": "open" } : { checked: "", "aria-label": "done" };
  return { tagName: "input", attribs: { type, disabled: "", ...stateAttributes } };
}

/**
 * Replaces the alignment in the style of a table cell by a CSS class, because the content security
 * policy forbids inline styles.
 */
function convertCell(tagName: string, { style = "", colspan, rowspan }: HtmlAttributes): HtmlTag {
  const alignment = /text-align:\s*(center|right)/.exec(style)?.[1];
  const attribs: Record<string, string> = {};
  if (alignment !== undefined) attribs["class"] = alignment === "right" ? "end" : alignment;
  if (colspan !== undefined) attribs["colspan"] = colspan;
  if (rowspan !== undefined) attribs["rowspan"] = rowspan;
  return { tagName, attribs };
}

/** Removes ids that the parser did not make: they could be equal to ids of the page. */
function convertHeading(tagName: string, { id, ...attribs }: HtmlAttributes): HtmlTag {
  return { tagName, attribs: id?.startsWith("h-") === true ? { ...attribs, id } : attribs };
}
