/** Makes a sentence of a clause. A name at its beginning keeps its letters. */
export function sentenceOf(clause: string): string {
  const isName = !/^[a-z]+(?:[ ,.;]|$)/.test(clause) || /^[^:]*\.\w+: /.test(clause);
  const start = isName ? clause : `${clause.charAt(0).toUpperCase()}${clause.slice(1)}`;
  return `${start}${/[.!?…]$/.test(clause) ? "" : "."}`;
}
