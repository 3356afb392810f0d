import { closesFence, openingFence } from "../outline/fences.ts";

/** Numbers stacks of open blocks: equal stacks have equal numbers, and 0 is the empty stack. */
export class Nests {
  readonly #byOuter: Map<string, number>[] = [new Map()];
  readonly #names: string[] = [""];
  readonly #outers: number[] = [0];
  readonly #depths: number[] = [0];

  /** Returns the number of stack `outer` with the block `name` opened in it. */
  inside(outer: number, name: string): number {
    const within = this.#byOuter[outer] as Map<string, number>;
    const known = within.get(name);
    if (known !== undefined) return known;
    const id = this.#names.push(name) - 1;
    this.#outers.push(outer);
    this.#depths.push(this.depth(outer) + 1);
    this.#byOuter.push(new Map());
    within.set(name, id);
    return id;
  }

  /** Returns the name of the innermost block; empty when no block is open. */
  name(id: number): string {
    return this.#names[id] as string;
  }

  /** Returns the number of the stack around the innermost block. */
  outer(id: number): number {
    return this.#outers[id] as number;
  }

  /** Returns the number of open blocks. */
  depth(id: number): number {
    return this.#depths[id] as number;
  }
}

/** The blocks around the lines of a text: fences, directives, HTML blocks and comments. */
export type Contexts = {
  /** For each line, the number of its stack of open blocks; 0 for plain text. */
  readonly around: readonly number[];
  /** For each line, whether it opens or closes a block. */
  readonly marks: readonly boolean[];
  /** Number of blocks that are open at the end, plus closing marks without an open block. */
  readonly faults: number;
  /** Number of blocks that are open at the end. */
  readonly open: number;
  /** The lines that open or close a block, joined in order. */
  readonly outline: string;
};

const MARKED = /`{3}|~{3}|:{3}|<|-->/;
const DIRECTIVE = /^[\s>]*(:{3,})\s*(.*)$/;
const TAG = /<(?<end>\/)?(?<name>[A-Za-z][\w.]*)(?:\s[^<>]{0,500})?(?<empty>\/)?>/g;
const BLOCKS = new Set(
  "article aside blockquote center details div dl fieldset figure footer form header main nav ol section summary table ul".split(
    " ",
  ),
);

/** The stack of open blocks at one position of a text. */
type Place = { inside: number; readonly nests: Nests };

/**
 * Reads the contexts of a text's lines. `nests` numbers the stacks; texts to compare must share it.
 */
export function contextsOf(lines: readonly string[], nests: Nests = new Nests()): Contexts {
  const [around, marks] = [new Array<number>(lines.length), new Array<boolean>(lines.length)];
  const place: Place = { inside: 0, nests };
  let [faults, outline, depth] = [0, "", 0];
  for (let at = 0; at < lines.length; at++) {
    around[at] = place.inside;
    const stray = hasContexts(lines[at] as string) ? step(place, (lines[at] as string).trimEnd()) : 0;
    const isMark = stray !== 0 || depth !== nests.depth(place.inside);
    marks[at] = isMark;
    if (!isMark) continue;
    faults += Math.max(0, stray);
    outline += lines[at] as string;
    depth = nests.depth(place.inside);
  }
  return { around, marks, faults: faults + depth, open: depth, outline };
}

/** Returns a string that is equal for contexts of equal depth and kind (code or not). */
export function natureOf(inside: number, nests: Nests): string {
  return `${nests.depth(inside)} ${/[`~]{3}$/.test(nests.name(inside))}`;
}

/** Returns whether a text may open or close a block. This cheap test saves reading most texts. */
export function hasContexts(text: string): boolean {
  return MARKED.test(text);
}

/**
 * Applies one line to the stack.
 * @returns the number of closing tags without an open block; -1 for a line of matched tags, which
 * is a mark even if the depth stays the same
 */
function step(place: Place, line: string): number {
  const inner = innermost(place);
  if (/^[`~]/.test(inner) || inner === "<!--") {
    if (endsOpaque(inner, line)) leave(place);
    return 0;
  }
  const opaque = opensOpaque(line);
  if (opaque !== undefined) {
    enter(place, opaque);
    return 0;
  }
  const [, colons, name = ""] = DIRECTIVE.exec(line) ?? [];
  if (colons !== undefined) return directive(place, colons, name);
  return /^[\s>]*</.test(line) ? tags(place, line) : 0;
}

function innermost({ inside, nests }: Place): string {
  return nests.name(inside);
}

function enter(place: Place, name: string): void {
  place.inside = place.nests.inside(place.inside, name);
}

function leave(place: Place): void {
  place.inside = place.nests.outer(place.inside);
}

/**
 * Returns whether a line ends the fence or comment `inner`. Inside of these, no other mark counts.
 */
function endsOpaque(inner: string, line: string): boolean {
  if (inner === "<!--") return line.includes("-->");
  return closesFence(inner, line);
}

/** Returns the mark of the fence or comment that a line opens. */
function opensOpaque(line: string): string | undefined {
  const fence = openingFence(line);
  if (fence !== "") return fence;
  return /<!--(?!.*-->)/.test(line) ? "<!--" : undefined;
}

/**
 * Applies a directive: one with a name opens a block, one without closes it. Returns 1 when there
 * was none to close.
 */
function directive(place: Place, colons: string, name: string): number {
  if (name === "") return close(place, (one) => one.startsWith(":::")) ? 0 : 1;
  enter(place, `${colons}${/^\S+/.exec(name)?.[0] ?? ""}`);
  return 0;
}

/** Applies the block tags of one line. Returns a number as `step` does. */
function tags(place: Place, line: string): number {
  let stray = 0;
  let found = false;
  for (const { groups } of line.matchAll(TAG)) {
    const { end, name = "", empty } = groups as { end?: string; name?: string; empty?: string };
    if (empty !== undefined || !(BLOCKS.has(name.toLowerCase()) || /^[A-Z]/.test(name))) continue;
    found = true;
    if (end === undefined) enter(place, `<${name}>`);
    else if (!close(place, (one) => one === `<${name}>`)) stray++;
  }
  return stray === 0 && found ? -1 : stray;
}

/** Closes the innermost block if it is the expected one. */
function close(place: Place, isMeant: (one: string) => boolean): boolean {
  if (place.inside === 0 || !isMeant(innermost(place))) return false;
  leave(place);
  return true;
}
