import { isAscii } from "./fold.ts";

/**
 * Returns what every match of a regex must contain, so that documents are narrowed down without
 * being read. It knows literals, groups, alternatives and quantifiers, and takes all else for
 * "anything".
 * @param pattern one that the engine has compiled: its syntax is sound
 */
export function requiredOf(pattern: string): Need {
  // `\Q…\E`, and the flags that change what is a literal inside a group, are rare.
  if (/\\[QE]/.test(pattern)) return ANYTHING;
  const reader: Reader = { pattern: [...pattern], at: 0, isLost: false, foldsCase: /\(\?[a-zA-Z]*i/.test(pattern) };
  const need = readAlternatives(reader);
  // A parenthesis that this reader sees otherwise than the engine does.
  return reader.isLost || reader.at < reader.pattern.length ? ANYTHING : need;
}

/** What every match contains; of `anything`, nothing can be told. */
export type Need =
  | { readonly kind: "anything" }
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "all" | "any"; readonly needs: readonly Need[] };

const ANYTHING: Need = { kind: "anything" };

type Reader = { readonly pattern: readonly string[]; at: number; isLost: boolean; readonly foldsCase: boolean };

function readAlternatives(reader: Reader): Need {
  const needs = [readSequence(reader)];
  while (reader.pattern[reader.at] === "|") {
    reader.at++;
    needs.push(readSequence(reader));
  }
  return needs.length === 1 ? needs[0]! : { kind: "any", needs };
}

/** Literals that stand side by side are one, until something between them can be anything. */
function readSequence(reader: Reader): Need {
  const needs: Need[] = [];
  let literal = "";
  while (reader.at < reader.pattern.length && !"|)".includes(reader.pattern[reader.at]!)) {
    const atom = readAtom(reader);
    const times = readQuantifier(reader);
    const isPart = atom.kind === "literal" && times !== "perhaps";
    if (isPart) literal += atom.text;
    if (isPart && times === "once") continue;
    // An empty one asks for nothing.
    needs.push({ kind: "literal", text: literal });
    literal = "";
    if (!isPart && times !== "perhaps") needs.push(atom);
  }
  needs.push({ kind: "literal", text: literal });
  return { kind: "all", needs };
}

function readAtom(reader: Reader): Need {
  const character = reader.pattern[reader.at++]!;
  if (character === "\\") return readEscape(reader);
  if (character === "[") return readClass(reader);
  if (character === "(") return readGroup(reader);
  if (".^$".includes(character)) return ANYTHING;
  return literalOf(reader, character);
}

/** Which characters fold to which is the engine's to say beyond ASCII. */
function literalOf(reader: Reader, character: string): Need {
  return reader.foldsCase && !isAscii(character) ? ANYTHING : { kind: "literal", text: character };
}

function readEscape(reader: Reader): Need {
  const character = reader.pattern[reader.at++]!;
  if (!/[A-Za-z0-9]/.test(character)) return literalOf(reader, character);
  // \p{Greek}, \x{10FFFF}: the braces are not a quantifier. \x41, \07 leave digits that must not be
  // taken for literals.
  if (/[pPx]/.test(character) && reader.pattern[reader.at] === "{") skipPast(reader, "}");
  else if (/[pP]/.test(character)) reader.at++;
  else if (character === "x") reader.at += 2;
  else if (/[0-9]/.test(character)) while (/^[0-9]$/.test(reader.pattern[reader.at] ?? "")) reader.at++;
  return ANYTHING;
}

function readClass(reader: Reader): Need {
  if (reader.pattern[reader.at] === "^") reader.at++;
  // A bracket that comes first is one of the class.
  if (reader.pattern[reader.at] === "]") reader.at++;
  while (reader.at < reader.pattern.length && reader.pattern[reader.at] !== "]") {
    if (reader.pattern[reader.at] === "\\") reader.at += 2;
    else if (reader.pattern[reader.at] === "[" && reader.pattern[reader.at + 1] === ":") skipPast(reader, "]");
    else reader.at++;
  }
  reader.at++;
  return ANYTHING;
}

function readGroup(reader: Reader): Need {
  if (reader.pattern[reader.at] === "?") {
    const head = /^\?(?:P?<\w+>|[a-zA-Z-]*[:)])/.exec(reader.pattern.slice(reader.at, reader.at + 200).join(""));
    if (head === null) return giveUp(reader);
    reader.at += [...head[0]].length;
    // The engine reads a quantifier after flags alone as one of what stands before them.
    if (head[0].endsWith(")")) return /[?*+{]/.test(reader.pattern[reader.at] ?? "") ? giveUp(reader) : ANYTHING;
  }
  const need = readAlternatives(reader);
  reader.at++;
  return need;
}

/** Ends the reading with nothing told. */
function giveUp(reader: Reader): Need {
  reader.isLost = true;
  reader.at = reader.pattern.length;
  return ANYTHING;
}

/**
 * `perhaps`: zero times too. `again`: once and more, so that what follows need not stand beside the
 * first.
 */
type Times = "once" | "perhaps" | "again";

/** Several quantifiers in a row count as one: what may be missing by one of them may be missing. */
function readQuantifier(reader: Reader): Times {
  let times: Times = "once";
  for (let next = readMark(reader); next !== null; next = readMark(reader))
    if (next === "perhaps" || times === "once") times = next;
  return times;
}

/** One quantifier; null where none stands next. */
function readMark(reader: Reader): Exclude<Times, "once"> | null {
  const character = reader.pattern[reader.at];
  if (character === "{") return readBraces(reader);
  if (character === undefined || !"?*+".includes(character)) return null;
  reader.at++;
  return character === "+" ? "again" : "perhaps";
}

function readBraces(reader: Reader): Exclude<Times, "once"> | null {
  const braces = /^\{(\d+)(,\d*)?\}/.exec(reader.pattern.slice(reader.at, reader.at + 20).join(""));
  if (braces === null) return null;
  reader.at += braces[0].length;
  return Number(braces[1]) === 0 ? "perhaps" : "again";
}

function skipPast(reader: Reader, character: string): void {
  while (reader.at < reader.pattern.length && reader.pattern[reader.at] !== character) reader.at++;
  reader.at++;
}
