import { isAscii } from "./fold.ts";

/**
 * Returns the text that every match of a regex contains, so that documents can be excluded without
 * reading them. Understands literals, groups, alternatives and quantifiers; everything else is
 * "anything".
 * @param pattern a pattern that the engine compiled without error
 */
export function requiredTextOf(pattern: string): RequiredText {
  // Quoting (`\Q…\E`) is rare, so it is not interpreted.
  if (/\\[QE]/.test(pattern)) return ANYTHING;
  const reader: Reader = { pattern: [...pattern], at: 0, isLost: false, foldsCase: /\(\?[a-zA-Z]*i/.test(pattern) };
  const need = readAlternatives(reader);
  // An unread rest means that this reader and the engine disagree about a parenthesis.
  return reader.isLost || reader.at < reader.pattern.length ? ANYTHING : need;
}

/** The text that every match contains; `anything` when nothing is certain. */
export type RequiredText =
  | { readonly kind: "anything" }
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "all" | "any"; readonly needs: readonly RequiredText[] };

const ANYTHING: RequiredText = { kind: "anything" };

type Reader = { readonly pattern: readonly string[]; at: number; isLost: boolean; readonly foldsCase: boolean };

function readAlternatives(reader: Reader): RequiredText {
  const needs = [readSequence(reader)];
  while (reader.pattern[reader.at] === "|") {
    reader.at++;
    needs.push(readSequence(reader));
  }
  return needs.length === 1 ? needs[0]! : { kind: "any", needs };
}

/** Reads a sequence. Adjacent literals are joined until a variable element separates them. */
function readSequence(reader: Reader): RequiredText {
  const needs: RequiredText[] = [];
  let literal = "";
  while (reader.at < reader.pattern.length && !"|)".includes(reader.pattern[reader.at]!)) {
    const atom = readAtom(reader);
    const times = readQuantifier(reader);
    const isPart = atom.kind === "literal" && times !== "perhaps";
    if (isPart) literal += atom.text;
    if (isPart && times === "once") continue;
    // An empty literal requires nothing.
    needs.push({ kind: "literal", text: literal });
    literal = "";
    if (!isPart && times !== "perhaps") needs.push(atom);
  }
  needs.push({ kind: "literal", text: literal });
  return { kind: "all", needs };
}

function readAtom(reader: Reader): RequiredText {
  const character = reader.pattern[reader.at++]!;
  if (character === "\\") return readEscape(reader);
  if (character === "[") return readClass(reader);
  if (character === "(") return readGroup(reader);
  if (".^$".includes(character)) return ANYTHING;
  return literalOf(reader, character);
}

/**
 * Reads a literal character. Beyond ASCII, only the engine knows which characters fold together.
 */
function literalOf(reader: Reader, character: string): RequiredText {
  return reader.foldsCase && !isAscii(character) ? ANYTHING : { kind: "literal", text: character };
}

function readEscape(reader: Reader): RequiredText {
  const character = reader.pattern[reader.at++]!;
  if (!/[A-Za-z0-9]/.test(character)) return literalOf(reader, character);
  // The braces of \p{Greek} and \x{10FFFF} are not quantifiers. The digits of \x41 and \07 are not
  // literals.
  if (/[pPx]/.test(character) && reader.pattern[reader.at] === "{") skipPast(reader, "}");
  else if (/[pP]/.test(character)) reader.at++;
  else if (character === "x") reader.at += 2;
  else if (/[0-9]/.test(character)) while (/^[0-9]$/.test(reader.pattern[reader.at] ?? "")) reader.at++;
  return ANYTHING;
}

function readClass(reader: Reader): RequiredText {
  if (reader.pattern[reader.at] === "^") reader.at++;
  // A bracket in first position is a member of the class.
  if (reader.pattern[reader.at] === "]") reader.at++;
  while (reader.at < reader.pattern.length && reader.pattern[reader.at] !== "]") {
    if (reader.pattern[reader.at] === "\\") reader.at += 2;
    else if (reader.pattern[reader.at] === "[" && reader.pattern[reader.at + 1] === ":") skipPast(reader, "]");
    else reader.at++;
  }
  reader.at++;
  return ANYTHING;
}

function readGroup(reader: Reader): RequiredText {
  if (reader.pattern[reader.at] === "?") {
    const head = /^\?(?:P?<\w+>|[a-zA-Z-]*[:)])/.exec(reader.pattern.slice(reader.at, reader.at + 200).join(""));
    if (head === null) return giveUp(reader);
    reader.at += [...head[0]].length;
    // The engine applies a quantifier after a flags-only group to the element before the group.
    if (head[0].endsWith(")")) return /[?*+{]/.test(reader.pattern[reader.at] ?? "") ? giveUp(reader) : ANYTHING;
  }
  const need = readAlternatives(reader);
  reader.at++;
  return need;
}

/** Stops reading; the result is "anything". */
function giveUp(reader: Reader): RequiredText {
  reader.isLost = true;
  reader.at = reader.pattern.length;
  return ANYTHING;
}

/**
 * `perhaps`: zero times is allowed. `again`: once or more, so the next literal may not follow the
 * first occurrence directly.
 */
type Times = "once" | "perhaps" | "again";

/**
 * Reads consecutive quantifiers as one: if any of them allows zero times, the element may be
 * absent.
 */
function readQuantifier(reader: Reader): Times {
  let times: Times = "once";
  for (let next = readMark(reader); next !== null; next = readMark(reader))
    if (next === "perhaps" || times === "once") times = next;
  return times;
}

/** Reads one quantifier; null when there is none next. */
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
