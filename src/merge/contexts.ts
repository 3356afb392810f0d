/** What the lines of a text stand in: fences, directives, HTML blocks and comments. */
export type Contexts = {
  /** For each line what is open around it, outermost first; empty for plain text. */
  readonly around: readonly string[];
  /** For each line whether it opens or closes something. */
  readonly marks: readonly boolean[];
  /** What is still open at the end, and what was closed without being open. */
  readonly faults: number;
  /** How many things are still open at the end. */
  readonly open: number;
  /** The lines that open or close something, in order. */
  readonly outline: string;
};

const FENCE = /^\s*(?:[-*+>]\s+|>\s*|\p{N}+[.)]\s+)*(`{3,}|~{3,})(.*)$/u;
const MARKED = /`{3}|~{3}|:{3}|<|-->/;
const DIRECTIVE = /^[\s>]*(:{3,})\s*(.*)$/;
const TAG = /<(?<end>\/)?(?<name>[A-Za-z][\w.]*)(?:\s[^<>]{0,500})?(?<empty>\/)?>/g;
const BLOCKS = new Set(
  "article aside blockquote center details div dl fieldset figure footer form header main nav ol section summary table ul".split(
    " ",
  ),
);

/** Reads the contexts of a text's lines. */
export function contextsOf(lines: readonly string[]): Contexts {
  const around: string[] = [];
  const marks: boolean[] = [];
  const open: string[] = [];
  const depths: Depth[] = [{ name: "", path: "" }];
  let [faults, outline, inside] = [0, "", ""];
  for (const line of lines) {
    around.push(inside);
    const isPlain = !MARKED.test(line);
    const before = open.length;
    const stray = isPlain ? 0 : step(open, line.trimEnd());
    const isMark = stray !== 0 || open.length !== before;
    marks.push(isMark);
    if (!isMark) continue;
    faults += Math.max(0, stray);
    outline += line;
    inside = pathOf(open, depths);
  }
  return { around, marks, faults: faults + open.length, open: open.length, outline };
}

/** Something that is open, and the names of all that are open down to it. */
type Depth = { readonly name: string; readonly path: string };

/**
 * The names of what is open in a row. `depths`, from the outermost on, are kept, so that deep nests
 * are not written out for each line.
 */
function pathOf(open: readonly string[], depths: Depth[]): string {
  let same = 0;
  while (same < open.length && depths[same + 1]?.name === open[same]) same++;
  depths.length = same + 1;
  for (const name of open.slice(same)) {
    const outer = (depths.at(-1) as Depth).path;
    depths.push({ name, path: outer === "" ? name : `${outer} ${name}` });
  }
  return (depths.at(-1) as Depth).path;
}

/** Whether a text has anything that opens or closes a context: the cheap test. */
export function hasContexts(text: string): boolean {
  return MARKED.test(text);
}

/**
 * Takes one line into account. @returns how many things it closed that were not open; -1 where it
 * changed nothing in sum but is a mark
 */
function step(open: string[], line: string): number {
  const inner = open.at(-1) ?? "";
  if (/^[`~]/.test(inner) || inner === "<!--") {
    if (endsOpaque(inner, line)) open.pop();
    return 0;
  }
  const opaque = opensOpaque(line);
  if (opaque !== undefined) {
    open.push(opaque);
    return 0;
  }
  const [, colons, name = ""] = DIRECTIVE.exec(line) ?? [];
  if (colons !== undefined) return directive(open, colons, name);
  return /^[\s>]*</.test(line) ? tags(open, line) : 0;
}

/** Whether a line ends a fence or a comment, inside of which nothing else counts. */
function endsOpaque(inner: string, line: string): boolean {
  if (inner === "<!--") return line.includes("-->");
  const [, fence = "", info = ""] = FENCE.exec(line) ?? [];
  return fence.startsWith(inner) && info.trim() === "";
}

/** The fence or comment that a line opens. */
function opensOpaque(line: string): string | undefined {
  const [, fence = "", info = ""] = FENCE.exec(line) ?? [];
  if (fence !== "" && !(fence.startsWith("`") && info.includes("`"))) return fence;
  return /<!--(?!.*-->)/.test(line) ? "<!--" : undefined;
}

/** Takes a directive into account: with a name it opens, else it closes. */
function directive(open: string[], colons: string, name: string): number {
  if (name === "") return close(open, (one) => one.startsWith(":::")) ? 0 : 1;
  open.push(`${colons}${/^\S+/.exec(name)?.[0] ?? ""}`);
  return 0;
}

/** Takes the tags of one line into account. */
function tags(open: string[], line: string): number {
  let stray = 0;
  let found = false;
  for (const { groups } of line.matchAll(TAG)) {
    const { end, name = "", empty } = groups as { end?: string; name?: string; empty?: string };
    if (empty !== undefined || !(BLOCKS.has(name.toLowerCase()) || /^[A-Z]/.test(name))) continue;
    found = true;
    if (end === undefined) open.push(`<${name}>`);
    else if (!close(open, (one) => one === `<${name}>`)) stray++;
  }
  return stray === 0 && found ? -1 : stray;
}

/** Closes the innermost thing if it is the one that is meant. */
function close(open: string[], isMeant: (one: string) => boolean): boolean {
  if (open.length === 0 || !isMeant(open.at(-1) as string)) return false;
  open.pop();
  return true;
}
