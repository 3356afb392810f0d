import { foldText } from "./fold.ts";
import { gramsOf, runTokens, type Unit } from "./tokens.ts";

/**
 * Expressions of FTS5's query language, built from quoted strings alone: nothing of a query is ever
 * read as an operator.
 */

/** One part of a query: expressions of which a document must hold one. */
export type Part = readonly string[];

export function ftsString(token: string): string {
  return `"${token.replaceAll('"', '""')}"`;
}

/**
 * One unit of a query: a word; the pairs of a run, side by side; anything that begins with a run's
 * only character.
 */
export function unitExpression(unit: Unit): string {
  if (unit.kind === "word") return ftsString(unit.text);
  const tokens = runTokens(unit.text);
  return tokens.length === 1 ? `${ftsString(tokens[0]!)} *` : ftsString(tokens.slice(0, -1).join(" "));
}

/** All units one after the other. */
export function phraseExpression(units: readonly Unit[]): string {
  return ftsString(phraseOf(units));
}

/** The same as the index takes it, by spaces. */
export function phraseOf(units: readonly Unit[]): string {
  const tokens = units.flatMap((unit, i) => {
    if (unit.kind === "word") return [unit.text];
    const all = runTokens(unit.text);
    return i === units.length - 1 && all.length > 1 ? all.slice(0, -1) : all;
  });
  return tokens.join(" ");
}

export function anyOf(expressions: readonly string[]): string {
  return expressions.length === 1 ? expressions[0]! : `(${expressions.join(" OR ")})`;
}

export function allOf(expressions: readonly string[]): string {
  return expressions.length === 1 ? expressions[0]! : `(${expressions.join(" AND ")})`;
}

/** LIMIT: so many trigrams of one literal narrow it down far enough; each costs a look. */
const MOST_GRAMS = 12;

/**
 * Documents that may contain a literal, on `search_grams`; null when it is too short to narrow
 * anything down.
 */
export function literalExpression(literal: string): string | null {
  const grams = gramsOf(foldText(literal));
  if (grams.length === 0) return null;
  const step = Math.max(1, grams.length / MOST_GRAMS);
  const chosen = Array.from({ length: Math.min(grams.length, MOST_GRAMS) }, (_, i) => grams[Math.floor(i * step)]!);
  return allOf(chosen.map(ftsString));
}
