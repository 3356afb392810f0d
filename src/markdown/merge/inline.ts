/**
 * Consecutive equal emphasis characters, such as `**`. The characters may open emphasis, close
 * emphasis, or do both.
 */
type MarkRun = { readonly mark: string; readonly opens: boolean; readonly closes: boolean };

// Matches parts of a line in which emphasis and brackets have no meaning: escapes, code, comments,
// tags and addresses.
const TEXT_WITHOUT_MARKS =
  /\\[\s\S]|(?<!`)(`+)(?!`)[\s\S]{0,500}?(?<!`)\1(?!`)|<!--[\s\S]{0,500}?-->|<\/?[A-Za-z][^<>\n]{0,500}>|\bhttps?:[^\s<>()[\]]{1,2000}|(?<=\])\([^()\n]{0,2000}(?:\([^()\n]{0,200}\)[^()\n]{0,200})?\)/g;
const EMPHASIS_MARKS = /\*+|_+|~{2,}|={2}/g;

/**
 * Returns the number of Markdown marks in a paragraph that have no effect. Such marks are unclosed
 * emphasis, emphasis inside emphasis of the same kind, brackets without a partner, links in links,
 * and unclosed code.
 */
export function countInlineFaults(text: string): number {
  const marksOnly = text.replaceAll(TEXT_WITHOUT_MARKS, (found) => (found.startsWith("(") ? "()" : "x"));
  return countEmphasisFaults(marksOnly) + countBracketFaults(marksOnly) + (marksOnly.match(/`+/g)?.length ?? 0);
}

function countEmphasisFaults(text: string): number {
  const openRuns: MarkRun[] = [];
  const indexesByMark = new Map<string, number[]>();
  let faults = 0;
  for (const { 0: found, index } of text.matchAll(EMPHASIS_MARKS)) {
    const run = readMarkRun(text, found, index);
    const equalRuns = indexesByMark.get(found) ?? [];
    const partner = run.closes ? equalRuns.at(-1) : undefined;
    if (partner !== undefined) {
      // Marks that were opened after the partner of this mark can no longer be closed.
      const [, ...unclosed] = openRuns.splice(partner);
      for (const { mark } of [run, ...unclosed]) indexesByMark.get(mark)?.pop();
      faults += unclosed.length + Number(equalRuns.length > 0);
    } else if (run.opens) {
      indexesByMark.set(found, equalRuns);
      equalRuns.push(openRuns.push(run) - 1);
    } else if (run.closes) faults++;
  }
  return faults + openRuns.length;
}

/**
 * Decides by the characters beside emphasis characters whether they can open or close emphasis
 * (CommonMark 0.31.2, section 6.2).
 */
function readMarkRun(text: string, found: string, index: number): MarkRun {
  const kindBefore = classifyCharacter(text[index - 1]);
  const kindAfter = classifyCharacter(text[index + found.length]);
  const isLeftFlanking = isFlanking(kindAfter, kindBefore);
  const isRightFlanking = isFlanking(kindBefore, kindAfter);
  const word = found.startsWith("_");
  return {
    mark: found,
    opens: isLeftFlanking && (!word || !isRightFlanking || kindBefore === "point"),
    closes: isRightFlanking && (!word || !isLeftFlanking || kindAfter === "point"),
  };
}

type CharacterKind = "space" | "point" | "letter";

function classifyCharacter(character = " "): CharacterKind {
  if (/\s/.test(character)) return "space";
  return /[\p{P}\p{S}]/u.test(character) ? "point" : "letter";
}

/**
 * Returns true if emphasis characters belong to the characters on one side, `towards`. CommonMark
 * uses the word "flanking" for this relation.
 */
function isFlanking(towards: CharacterKind, away: CharacterKind): boolean {
  return towards === "letter" || (towards === "point" && away !== "letter");
}

/** Opening bracket. `links`: number of links that have ended inside the bracket. */
type OpenBracket = { readonly image: boolean; readonly wiki: boolean; links: number };

function countBracketFaults(text: string): number {
  const openBrackets: OpenBracket[] = [];
  let faults = 0;
  for (const { 0: mark, index } of text.matchAll(/!?\[\[?|\]\]?/g)) {
    if (!mark.startsWith("]")) faults += openBracket(mark, openBrackets);
    else for (let i = index; i < index + mark.length; i++) faults += closeBracket(text[i + 1], openBrackets);
  }
  return faults + openBrackets.length;
}

function openBracket(mark: string, open: OpenBracket[]): number {
  const isWiki = mark.endsWith("[[");
  const faults = Number(isWiki && open.some((bracket) => bracket.wiki));
  open.push({ image: mark.startsWith("!"), links: 0, wiki: isWiki });
  if (isWiki) open.push({ image: false, links: 0, wiki: false });
  return faults;
}

/**
 * Closes the innermost open bracket. Returns the number of faults.
 * @param next the character after the closing bracket
 */
function closeBracket(next: string | undefined, open: OpenBracket[]): number {
  const lastBracket = open.pop();
  if (lastBracket === undefined) return 1;
  const isLink = !lastBracket.image && (next === "(" || next === "[");
  const outerBracket = open.at(-1);
  if (outerBracket !== undefined) outerBracket.links += lastBracket.links + Number(isLink);
  return Number(isLink && lastBracket.links > 0);
}
