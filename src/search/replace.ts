/**
 * Replaces within the lines of a text. All else stays byte for byte: line ends, byte order mark, a
 * last line without an end.
 */

/** One line, without its end. @returns null: nothing in it matches */
export type ReplaceLine = (line: string) => { readonly text: string; readonly hits: number } | null;

type Replaced = { readonly text: string; readonly hits: number };

const MARK = "\uFEFF";
/** A line and its end; the last one may have none. */
const LINES = /([^\r\n]*)(\r\n|\n|\r|$)/g;

/**
 * @param replaceLine may give line feeds, which become the line ends of the text
 * @returns null: nothing matches, or what matches is replaced by itself
 */
export function replaceInText(text: string, replaceLine: ReplaceLine): Replaced | null {
  const mark = text.startsWith(MARK) ? MARK : "";
  const bare = text.slice(mark.length);
  const feed = /\r\n|\n|\r/.exec(bare)?.[0] ?? "\n";
  let hits = 0;
  let after = mark;
  for (const [whole, line = "", end = ""] of bare.matchAll(LINES)) {
    // Behind the last line end no further line begins.
    const replaced = whole === "" ? null : replaceLine(line);
    hits += replaced?.hits ?? 0;
    after += `${replaced === null ? line : replaced.text.replaceAll("\n", feed)}${end}`;
  }
  return after === text ? null : { text: after, hits };
}

/** Matches that stand in a text as they are; upper and lower case differ. */
export function literalReplacer(query: string, replacement: string): ReplaceLine {
  return (line) => {
    const parts = line.split(query);
    return parts.length === 1 ? null : { text: parts.join(replacement), hits: parts.length - 1 };
  };
}

/** What stands for a match: text, and groups of the pattern, by number. */
export type Template = readonly (string | number)[];

/**
 * Reads `$1`, `${1}`, `$name`, `${name}` and `$$`, as ripgrep and Go do: without braces a name is
 * as long as it can be. `$0` is the whole match; any other `$` stands for itself.
 * @param groups how many the pattern has, and the numbers of those with names
 * @returns the name of a group that the pattern does not have, for people
 */
export function readTemplate(
  text: string,
  groups: { readonly count: number; readonly named: Readonly<Record<string, number>> },
): { readonly kind: "read"; readonly template: Template } | { readonly kind: "no-group"; readonly name: string } {
  const template: (string | number)[] = [];
  let at = 0;
  for (const found of text.matchAll(/\$(?:\$|\{(\w+)\}|(\w+))/g)) {
    template.push(text.slice(at, found.index));
    at = found.index + found[0].length;
    const name = found[1] ?? found[2];
    if (name === undefined) {
      template.push("$");
      continue;
    }
    const number = /^\d+$/.test(name) ? Number(name) : groups.named[name];
    if (number === undefined || number > groups.count) return { kind: "no-group", name };
    template.push(number);
  }
  template.push(text.slice(at));
  return { kind: "read", template };
}
