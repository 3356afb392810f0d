// Bracket and scheme, host, path, query, fragment, title and closing bracket.
const PARTS =
  /^(?<scheme>[(<]{0,2}(?:[a-z][a-z\d+.-]{1,20}:)?)(?<host>(?:\/\/[^/?#\s]*)?)(?<path>[^?#\s]*)(?<query>(?:\?[^#\s)]*)?)(?<fragment>(?:#[^\s)>]*)?)(?<end>[\s\S]*)$/i;
const NAMES = ["scheme", "host", "path", "query", "fragment", "end"];

/**
 * Merges an address, or a link's target, by its parts: each is changed by one side at most.
 * Undefined for a conflict, and for anything else.
 */
export function mergeUrl(base: string, local: string, remote: string): string | undefined {
  if (![base, local, remote].every((text) => /^\(|^<?(?:https?|ftp|mailto):/i.test(text))) return undefined;
  const [b, l, r] = [base, local, remote].map((text) => PARTS.exec(text)?.groups);
  if (b === undefined || l === undefined || r === undefined) return undefined;
  let merged = "";
  for (const name of NAMES) {
    const [was, mine, theirs] = [b[name] as string, l[name] as string, r[name] as string];
    if (mine !== was && theirs !== was && mine !== theirs) return undefined;
    merged += mine === was ? theirs : mine;
  }
  return merged;
}
