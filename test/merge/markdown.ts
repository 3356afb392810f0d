import { fc } from "../property.ts";

/** A block of a generated document. Every word in it is unique, so a test can follow each word. */
type Block = {
  readonly kind: "paragraph" | "heading" | "items" | "code" | "rows";
  readonly words: readonly string[];
  /** Emphasis around the words from `from` up to `to`. */
  readonly spans: readonly Span[];
  readonly level: number;
  readonly quoted: boolean;
  readonly wrap: "" | ":::tip" | "<details>" | "```";
};
type Span = { readonly mark: "**" | "*" | "~~" | "[" | "[["; readonly from: number; readonly to: number };

type Edit = {
  readonly at: number;
  readonly kind: "span" | "wrap" | "level" | "quote" | "replace" | "add-word" | "insert" | "remove" | "add-entry";
  readonly place: number;
  readonly length: number;
  readonly pick: number;
};

const kind = fc.constantFrom("paragraph", "paragraph", "heading", "items", "code", "rows") as fc.Arbitrary<
  Block["kind"]
>;
const blocks = fc.array(fc.tuple(kind, fc.integer({ min: 1, max: 6 })), { minLength: 1, maxLength: 6 });
const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.nat(6),
  kind: fc.constantFrom(
    "span",
    "span",
    "wrap",
    "level",
    "quote",
    "replace",
    "add-word",
    "insert",
    "remove",
    "add-entry",
  ),
  place: fc.nat(6),
  length: fc.integer({ min: 1, max: 3 }),
  pick: fc.nat(4),
});
const edits = fc.array(edit, { minLength: 1, maxLength: 3 });

/**
 * Draws base, local and remote version: valid Markdown, each side with up to three edits of words
 * and emphasis.
 */
export const markdownTexts: fc.Arbitrary<[string, string, string]> = fc
  .tuple(blocks, edits, edits)
  .map(([shapes, mine, theirs]) => {
    const base = shapes.map(([shape, count], at): Block => {
      const words = Array.from({ length: count }, (_, place) => `b${at}x${place}`);
      return { kind: shape, words, spans: [], level: 2, quoted: false, wrap: "" };
    });
    return [write(base), write(mine.reduce(apply("l"), base)), write(theirs.reduce(apply("r"), base))];
  });

function apply(side: string) {
  return (document: readonly Block[], edit: Edit, number: number): Block[] => {
    const result = [...document];
    const at = edit.at % Math.max(1, result.length);
    const block = result[at];
    const fresh = `${side}${number}`;
    if (edit.kind === "insert" || block === undefined) {
      const made = { kind: KINDS[edit.pick], words: [`${fresh}y`, `${fresh}z`], spans: [], level: 2, quoted: false };
      result.splice(at, 0, { ...made, wrap: edit.length === 3 ? "```" : "" } as Block);
    } else if (edit.kind === "remove") result.splice(at, 1);
    else result[at] = change(block, edit, fresh);
    return result;
  };
}

const KINDS = ["paragraph", "heading", "items", "rows", "code"];
const MARKS = ["**", "*", "~~", "[", "[["] as const;
const WRAPS = [":::tip", "<details>", "```", ":::tip", "```"] as const;

function change(block: Block, { kind, place, length, pick }: Edit, fresh: string): Block {
  const from = place % block.words.length;
  const to = Math.min(block.words.length, from + length);
  if (kind === "span") {
    const free = block.kind === "paragraph" && block.spans.every((span) => to <= span.from || span.to <= from);
    return free ? { ...block, spans: [...block.spans, { mark: MARKS[pick] ?? "*", from, to }] } : block;
  }
  if (kind === "wrap") return { ...block, wrap: WRAPS[pick] ?? "```" };
  if (kind === "level") return { ...block, level: 1 + ((block.level + pick) % 4) };
  if (kind === "quote") return { ...block, quoted: !block.quoted };
  const words = [...block.words];
  if (kind === "replace" || block.spans.length > 0) words[from] = fresh;
  else if (kind === "add-entry") words.push(`${fresh}e`);
  else words.splice(from, 0, fresh);
  return { ...block, words };
}

function write(document: readonly Block[]): string {
  return document.map((block) => `${lines(block).join("\n")}\n`).join("\n");
}

function lines(block: Block): string[] {
  const plain = bare(block).map((line) => (block.quoted ? `> ${line}` : line));
  if (block.wrap === "") return plain;
  const end = block.wrap === "```" ? "```" : block.wrap === ":::tip" ? ":::" : "</details>";
  const blank = block.wrap === "<details>" ? [""] : [];
  return [block.wrap, ...blank, ...plain, ...blank, end];
}

function bare({ kind: shape, words, spans, level }: Block): string[] {
  if (shape === "heading") return [`${"#".repeat(level)} ${words.join(" ")}`];
  if (shape === "items") return words.map((word) => `- ${word}`);
  if (shape === "code") return ["~~~", ...words, "~~~"];
  if (shape === "rows") return ["| a | b |", "|---|---|", ...words.map((word) => `| ${word} | ${word}c |`)];
  const marked = [...words];
  for (const { mark, from, to } of spans) {
    marked[from] = mark + marked[from];
    marked[to - 1] += mark === "[" ? "](u)" : mark === "[[" ? "]]" : mark;
  }
  return [marked.join(" ")];
}

/**
 * Returns the Markdown around each word: its blocks, the prefix of its line, and the emphasis that
 * is open before it.
 */
export function places(text: string): Map<string, string> {
  const found = new Map<string, string>();
  let wraps: string[] = [];
  for (const line of text.split("\n")) {
    const code = /^(?:> )*(```|~~~)$/.exec(line)?.[1];
    const inner = wraps.at(-1);
    if (inner === "```" || inner === "~~~" ? code === inner : line === ":::" || line === "</details>") {
      wraps = wraps.slice(0, -1);
      continue;
    }
    if (inner !== "```" && inner !== "~~~" && (code !== undefined || line === ":::tip" || line === "<details>")) {
      wraps = [...wraps, code ?? line];
      continue;
    }
    const open: string[] = [];
    const prefix = /^(?:> |#+ |- |\| )*/.exec(line)?.[0] ?? "";
    for (const [token] of line.matchAll(/\*\*|\*|~~|\[\[|\]\]|\[|\]|[a-z]\d\w*/g)) {
      if (/^\w/.test(token)) found.set(token, `${wraps.join(" ")} ${prefix}${open.toSorted().join("")}`);
      else if (open.includes(token) || token.startsWith("]")) open.splice(open.indexOf(token.replaceAll("]", "[")), 1);
      else open.push(token);
    }
  }
  return found;
}
