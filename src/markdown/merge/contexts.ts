import { closesFence, openingFence } from "../outline/fences.ts";

/** Numbers for what may be open in a row around a line, equal for equal rows; 0 for nothing. */
export class Nests {
  readonly #byOuter: Map<string, number>[] = [new Map()];
  readonly #names: string[] = [""];
  readonly #outers: number[] = [0];
  readonly #depths: number[] = [0];

  /** The number of a name inside of what is open already. */
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

  /** The name of the innermost; empty where nothing is open. */
  name(id: number): string {
    return this.#names[id] as string;
  }

  /** What is around the innermost. */
  outer(id: number): number {
    return this.#outers[id] as number;
  }

  /** How many are open. */
  depth(id: number): number {
    return this.#depths[id] as number;
  }
}

/** What the lines of a text stand in: fences, directives, HTML blocks and comments. */
export type Contexts = {
  /** For each line the number of what is open around it; 0 for plain text. */
  readonly around: readonly number[];
  /** For each line whether it opens or closes something. */
  readonly marks: readonly boolean[];
  /** What is still open at the end, and what was closed without being open. */
  readonly faults: number;
  /** How many things are still open at the end. */
  readonly open: number;
  /** The lines that open or close something, in order. */
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

/** What is open at a place of a text. */
type Place = { inside: number; readonly nests: Nests };

/** Reads the contexts of a text's lines; `nests` gives the numbers. */
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

/** How deep a context is, and whether it is code. */
export function natureOf(inside: number, nests: Nests): string {
  return `${nests.depth(inside)} ${/[`~]{3}$/.test(nests.name(inside))}`;
}

/** Whether a text has anything that opens or closes a context: the cheap test. */
export function hasContexts(text: string): boolean {
  return MARKED.test(text);
}

/**
 * Takes one line into account. @returns how many things it closed that were not open; -1 where it
 * changed nothing in sum but is a mark
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

/** Whether a line ends a fence or a comment, inside of which nothing else counts. */
function endsOpaque(inner: string, line: string): boolean {
  if (inner === "<!--") return line.includes("-->");
  return closesFence(inner, line);
}

/** The fence or comment that a line opens. */
function opensOpaque(line: string): string | undefined {
  const fence = openingFence(line);
  if (fence !== "") return fence;
  return /<!--(?!.*-->)/.test(line) ? "<!--" : undefined;
}

/** Takes a directive into account: with a name it opens, else it closes. */
function directive(place: Place, colons: string, name: string): number {
  if (name === "") return close(place, (one) => one.startsWith(":::")) ? 0 : 1;
  enter(place, `${colons}${/^\S+/.exec(name)?.[0] ?? ""}`);
  return 0;
}

/** Takes the tags of one line into account. */
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

/** Closes the innermost thing if it is the one that is meant. */
function close(place: Place, isMeant: (one: string) => boolean): boolean {
  if (place.inside === 0 || !isMeant(innermost(place))) return false;
  leave(place);
  return true;
}
