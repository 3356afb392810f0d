/**
 * Makes a clause a sentence: begins it with a capital letter and ends it with a full stop. If the
 * clause begins with a name, its first letter stays lower case.
 */
export function toSentence(clause: string): string {
  const isName = !/^[a-z]+(?:[ ,.;]|$)/.test(clause) || /^[^:]*\.\w+: /.test(clause);
  const start = isName ? clause : `${clause.charAt(0).toUpperCase()}${clause.slice(1)}`;
  return `${start}${/[.!?…]$/.test(clause) ? "" : "."}`;
}
