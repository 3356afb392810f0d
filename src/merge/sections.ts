import type { Piece } from "./piece.ts";
import { wordsOf } from "./words.ts";

const HEADING = /^ {0,3}(?<marks>#{1,6})\s+(?<name>.*)$/;

/**
 * Whether two pieces have sections of one name, at the level that each begins with: to readers they
 * are one section, which neither piece holds whole. Names that differ in the order or the case of
 * their words alone are one name.
 */
export function shareSection(one: Piece, other: Piece): boolean {
  const names = new Set(sectionsOf(one));
  return sectionsOf(other).some((name) => names.has(name));
}

function sectionsOf({ level, lines }: Piece): string[] {
  // Only a heading gives a name.
  if (level > 6) return [];
  return lines.flatMap((line) => {
    if (!line.includes("#")) return [];
    const { marks, name } = HEADING.exec(line.trimEnd())?.groups ?? {};
    if (marks?.length !== level || name === undefined) return [];
    return [wordsOf(name.toLowerCase()).sort().join(" ") || name];
  });
}
