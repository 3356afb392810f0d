import { closesFence, readOpeningFence } from "../outline/outline.ts";

/**
 * The Markdown blocks that are open at a position of a document, such as code fences and HTML
 * elements. Two stacks with the same root and equal blocks are one object, so that `===` compares
 * stacks.
 */
export class BlockStack {
  /** Opening mark of the innermost block; empty if no block is open. */
  readonly name: string;
  /** The stack without its innermost block. If no block is open, the stack itself. */
  readonly outer: BlockStack;
  readonly depth: number;
  readonly #inner = new Map<string, BlockStack>();

  constructor(name = "", outer?: BlockStack) {
    this.name = name;
    this.outer = outer ?? this;
    this.depth = outer === undefined ? 0 : outer.depth + 1;
  }

  open(name: string): BlockStack {
    const innerStack = this.#inner.get(name) ?? new BlockStack(name, this);
    this.#inner.set(name, innerStack);
    return innerStack;
  }
}

/**
 * Markdown blocks of a document. `around`: blocks that are open before each line. `marks`: true for
 * each line that opens or closes a block.
 */
export type BlockContexts = {
  readonly around: readonly BlockStack[];
  readonly marks: readonly boolean[];
  /** Number of blocks that are never closed, plus closing marks without an open block. */
  readonly faults: number;
  readonly open: number;
  /** All lines that open or close a block, joined to one string. */
  readonly outline: string;
};

const CONTEXT_MARK = /`{3}|~{3}|:{3}|<|-->/;
const DIRECTIVE = /^[\s>]*(:{3,})\s*(.*)$/;
const HTML_TAG = /<(?<end>\/)?(?<name>[A-Za-z][\w.]*)(?:\s[^<>]{0,500})?(?<empty>\/)?>/g;
const BLOCK_TAGS = new Set(
  "article aside blockquote center details div dl fieldset figure footer form header main nav ol section summary table ul".split(
    " ",
  ),
);

type OpenBlocks = { inside: BlockStack };

/** @param root an empty stack. All versions of one comparison must share this stack */
export function readBlockContexts(lines: readonly string[], root: BlockStack = new BlockStack()): BlockContexts {
  const [around, marks] = [new Array<BlockStack>(lines.length), new Array<boolean>(lines.length)];
  const openBlocks: OpenBlocks = { inside: root };
  let [faults, outline, depth] = [0, "", 0];
  for (let index = 0; index < lines.length; index++) {
    around[index] = openBlocks.inside;
    const strayCount = mayHaveBlocks(lines[index] as string)
      ? applyLine(openBlocks, (lines[index] as string).trimEnd())
      : 0;
    const isMark = strayCount !== 0 || depth !== openBlocks.inside.depth;
    marks[index] = isMark;
    if (!isMark) continue;
    faults += Math.max(0, strayCount);
    outline += lines[index] as string;
    depth = openBlocks.inside.depth;
  }
  return { around, marks, faults: faults + depth, open: depth, outline };
}

/**
 * Returns true if both stacks have the same depth, and either both or none of the stacks are inside
 * a code fence.
 */
export function areSimilarStacks(one: BlockStack, other: BlockStack): boolean {
  const isCode = ({ name }: BlockStack): boolean => /[`~]{3}$/.test(name);
  return one.depth === other.depth && isCode(one) === isCode(other);
}

/**
 * Returns false only if the text certainly opens and closes no block: no code fence, comment,
 * directive or HTML element. A merge then skips the search for blocks in the text.
 */
export function mayHaveBlocks(text: string): boolean {
  return CONTEXT_MARK.test(text);
}

/**
 * Opens or closes the Markdown blocks of one line.
 * @returns the number of closing tags without an open block; -1 if the line has tags, and each
 * closing tag has an open block. A line with -1 counts as a mark, even if the number of open blocks
 * stays the same
 */
function applyLine(place: OpenBlocks, line: string): number {
  const { name: inner, outer } = place.inside;
  if (/^[`~]/.test(inner) || inner === "<!--") {
    if (endsFenceOrComment(inner, line)) place.inside = outer;
    return 0;
  }
  const fenceOrComment = findFenceOrCommentOpening(line);
  if (fenceOrComment !== undefined) {
    place.inside = place.inside.open(fenceOrComment);
    return 0;
  }
  const [, colons, name = ""] = DIRECTIVE.exec(line) ?? [];
  if (colons !== undefined) return applyDirective(place, colons, name);
  return /^[\s>]*</.test(line) ? applyTags(place, line) : 0;
}

/**
 * Returns true if a line closes the code fence or comment that is open. Inside a fence or comment,
 * no other mark counts.
 */
function endsFenceOrComment(inner: string, line: string): boolean {
  if (inner === "<!--") return line.includes("-->");
  return closesFence(inner, line);
}

function findFenceOrCommentOpening(line: string): string | undefined {
  const fence = readOpeningFence(line);
  if (fence !== "") return fence;
  return /<!--(?!.*-->)/.test(line) ? "<!--" : undefined;
}

/**
 * Opens a block for a directive with a name (`:::note`); closes a block for a directive without a
 * name (`:::`). Returns the number of faults: 1 if the innermost block is no directive, so that
 * nothing can be closed; otherwise 0.
 */
function applyDirective(place: OpenBlocks, colons: string, name: string): number {
  if (name === "") return closeBlock(place, (block) => block.startsWith(":::")) ? 0 : 1;
  place.inside = place.inside.open(`${colons}${/^\S+/.exec(name)?.[0] ?? ""}`);
  return 0;
}

function applyTags(place: OpenBlocks, line: string): number {
  let strayCount = 0;
  let hasTags = false;
  for (const { groups } of line.matchAll(HTML_TAG)) {
    const { end, name = "", empty } = groups as { end?: string; name?: string; empty?: string };
    if (empty !== undefined || !(BLOCK_TAGS.has(name.toLowerCase()) || /^[A-Z]/.test(name))) continue;
    hasTags = true;
    if (end === undefined) place.inside = place.inside.open(`<${name}>`);
    else if (!closeBlock(place, (block) => block === `<${name}>`)) strayCount++;
  }
  return strayCount === 0 && hasTags ? -1 : strayCount;
}

function closeBlock(place: OpenBlocks, shouldClose: (block: string) => boolean): boolean {
  const { name, outer } = place.inside;
  if (name === "" || !shouldClose(name)) return false;
  place.inside = outer;
  return true;
}
