/**
 * Makes a sentence of a clause, with a capital and a full stop. A name at the beginning keeps its
 * lower-case letter.
 */
export function sentenceOf(clause: string): string {
  const isName = !/^[a-z]+(?:[ ,.;]|$)/.test(clause) || /^[^:]*\.\w+: /.test(clause);
  const start = isName ? clause : `${clause.charAt(0).toUpperCase()}${clause.slice(1)}`;
  return `${start}${/[.!?…]$/.test(clause) ? "" : "."}`;
}
