import type { Passage, Token } from "./tokens.ts";

/** Tokens that neither side changed, each with the white space of the side that changed it. */
export function keepTokens({ base, local, remote }: Passage): Token[] | undefined {
  const kept: Token[] = [];
  for (let at = 0; at < base.length; at++) {
    const token = base[at] as Token;
    const space = mergeSpace(token, local[at]?.space ?? token.space, remote[at]?.space ?? token.space);
    if (space === undefined) return undefined;
    kept.push(space === token.space ? token : { ...token, space });
  }
  return kept;
}

function mergeSpace({ space }: Token, local: string, remote: string): string | undefined {
  if (local === space && remote !== local) return remote;
  return local === remote || remote === space ? local : undefined;
}

/**
 * Rewritten tokens, with the white space that the other side gave the first of them unless the
 * rewriter changed it too.
 */
export function withSpace(
  rewritten: readonly Token[],
  base: readonly Token[],
  other: readonly Token[],
): readonly Token[] {
  const [first, old, space] = [rewritten[0], base[0], other[0]?.space];
  if (first === undefined || old === undefined || space === undefined || first.space !== old.space) return rewritten;
  return [{ ...first, space }, ...rewritten.slice(1)];
}
