import { closesFence, openingFence } from "../outline/fences.ts";

/** A stack of open blocks. Two stacks with the same root and equal blocks are the same object. */
export class BlockStack {
  /** Name of the innermost block; empty when no block is open. */
  readonly name: string;
  /** The stack around the innermost block. */
  readonly outer: BlockStack;
  /** Number of open blocks. */
  readonly depth: number;
  readonly #inner = new Map<string, BlockStack>();

  constructor(name = "", outer?: BlockStack) {
    this.name = name;
    this.outer = outer ?? this;
    this.depth = outer === undefined ? 0 : outer.depth + 1;
  }

  /** Returns this stack with one more block opened in it. */
  open(name: string): BlockStack {
    const inner = this.#inner.get(name) ?? new BlockStack(name, this);
    this.#inner.set(name, inner);
    return inner;
  }
}

/** The blocks around the lines of a text: fences, directives, HTML blocks and comments. */
export type Contexts = {
  /** For each line, the stack of blocks that are open at this line. */
  readonly around: readonly BlockStack[];
  /** For each line, true if the line opens or closes a block. */
  readonly marks: readonly boolean[];
  /**
   * Number of blocks that are not closed at the end of the text, plus closing marks without an open
   * block.
   */
  readonly faults: number;
  /** Number of blocks that are not closed at the end of the text. */
  readonly open: number;
  /** The lines that open or close a block, joined in order. */
  readonly outline: string;
};

const CONTEXT_MARK = /`{3}|~{3}|:{3}|<|-->/;
const DIRECTIVE = /^[\s>]*(:{3,})\s*(.*)$/;
const TAG = /<(?<end>\/)?(?<name>[A-Za-z][\w.]*)(?:\s[^<>]{0,500})?(?<empty>\/)?>/g;
const BLOCKS = new Set(
  "article aside blockquote center details div dl fieldset figure footer form header main nav ol section summary table ul".split(
    " ",
  ),
);

/** The stack of open blocks at one position of a text. */
type BlockContext = { inside: BlockStack };

/**
 * Reads the contexts of a text's lines.
 * @param root the empty stack; texts that will be compared share one root
 */
export function contextsOf(lines: readonly string[], root: BlockStack = new BlockStack()): Contexts {
  const [around, marks] = [new Array<BlockStack>(lines.length), new Array<boolean>(lines.length)];
  const place: BlockContext = { inside: root };
  let [faults, outline, depth] = [0, "", 0];
  for (let index = 0; index < lines.length; index++) {
    around[index] = place.inside;
    const stray = hasContexts(lines[index] as string) ? applyLine(place, (lines[index] as string).trimEnd()) : 0;
    const isMark = stray !== 0 || depth !== place.inside.depth;
    marks[index] = isMark;
    if (!isMark) continue;
    faults += Math.max(0, stray);
    outline += lines[index] as string;
    depth = place.inside.depth;
  }
  return { around, marks, faults: faults + depth, open: depth, outline };
}

/** Returns true if two contexts have the same depth and kind (code or not). */
export function areAlike(one: BlockStack, other: BlockStack): boolean {
  const isCode = ({ name }: BlockStack): boolean => /[`~]{3}$/.test(name);
  return one.depth === other.depth && isCode(one) === isCode(other);
}

/** Returns true if a text may open or close a block. This cheap test saves reading most texts. */
export function hasContexts(text: string): boolean {
  return CONTEXT_MARK.test(text);
}

/**
 * Applies one line to the stack.
 * @returns the number of closing tags without an open block; -1 for a line of matched tags, which
 * is a mark even if the depth stays the same
 */
function applyLine(place: BlockContext, line: string): number {
  const { name: inner, outer } = place.inside;
  if (/^[`~]/.test(inner) || inner === "<!--") {
    if (endsOpaque(inner, line)) place.inside = outer;
    return 0;
  }
  const opaque = opensOpaque(line);
  if (opaque !== undefined) {
    place.inside = place.inside.open(opaque);
    return 0;
  }
  const [, colons, name = ""] = DIRECTIVE.exec(line) ?? [];
  if (colons !== undefined) return applyDirective(place, colons, name);
  return /^[\s>]*</.test(line) ? applyTags(place, line) : 0;
}

/** Returns true if a line ends the fence or comment `inner`, inside which no other mark counts. */
function endsOpaque(inner: string, line: string): boolean {
  if (inner === "<!--") return line.includes("-->");
  return closesFence(inner, line);
}

/** Returns the mark of the fence or comment that a line opens; undefined if it opens none. */
function opensOpaque(line: string): string | undefined {
  const fence = openingFence(line);
  if (fence !== "") return fence;
  return /<!--(?!.*-->)/.test(line) ? "<!--" : undefined;
}

/**
 * Applies a directive: one with a name opens a block, one without a name closes a block. Returns 1
 * if the innermost block is not a directive, so that it cannot be closed; otherwise 0.
 */
function applyDirective(place: BlockContext, colons: string, name: string): number {
  if (name === "") return close(place, (block) => block.startsWith(":::")) ? 0 : 1;
  place.inside = place.inside.open(`${colons}${/^\S+/.exec(name)?.[0] ?? ""}`);
  return 0;
}

/**
 * Applies the block tags of one line. Returns the number of closing tags without an open block; -1
 * if the line has tags and all of them match.
 */
function applyTags(place: BlockContext, line: string): number {
  let stray = 0;
  let found = false;
  for (const { groups } of line.matchAll(TAG)) {
    const { end, name = "", empty } = groups as { end?: string; name?: string; empty?: string };
    if (empty !== undefined || !(BLOCKS.has(name.toLowerCase()) || /^[A-Z]/.test(name))) continue;
    found = true;
    if (end === undefined) place.inside = place.inside.open(`<${name}>`);
    else if (!close(place, (block) => block === `<${name}>`)) stray++;
  }
  return stray === 0 && found ? -1 : stray;
}

/** Closes the innermost block if it is the expected one. Returns true if the block was closed. */
function close(place: BlockContext, isMeant: (block: string) => boolean): boolean {
  const { name, outer } = place.inside;
  if (name === "" || !isMeant(name)) return false;
  place.inside = outer;
  return true;
}
