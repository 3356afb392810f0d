/** Returns a clause as a sentence. A clause that begins with a name keeps its first letter. */
export function toSentence(clause: string): string {
  const isName = !/^[a-z]+(?:[ ,.;]|$)/.test(clause) || /^[^:]*\.\w+: /.test(clause);
  const start = isName ? clause : `${clause.charAt(0).toUpperCase()}${clause.slice(1)}`;
  return `${start}${/[.!?…]$/.test(clause) ? "" : "."}`;
}
