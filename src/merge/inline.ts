/** A run of one emphasis mark. */
type Run = { readonly mark: string; readonly length: number; readonly opens: boolean; readonly closes: boolean };

// What is not looked into: escapes, code, comments, tags, addresses.
const OPAQUE =
  /\\[\s\S]|(?<!`)(`+)(?!`)[\s\S]{0,500}?(?<!`)\1(?!`)|<!--[\s\S]{0,500}?-->|<\/?[A-Za-z][^<>\n]{0,500}>|\bhttps?:[^\s<>()[\]]{1,2000}|(?<=\])\([^()\n]{0,2000}(?:\([^()\n]{0,200}\)[^()\n]{0,200})?\)/g;
const MARKS = /\*+|_+|~{2,}|={2}/g;

/**
 * How many marks of a piece of running text do not do what they were set for: emphasis that does
 * not close or stands in its like, brackets without a partner, links in links, headings with two
 * ids, code that does not end.
 */
export function inlineFaults(text: string): number {
  const bare = text.replaceAll(OPAQUE, (found) => (found.startsWith("(") ? "()" : "x"));
  return emphasisFaults(bare) + bracketFaults(bare) + idFaults(bare) + (bare.match(/`+/g)?.length ?? 0);
}

function emphasisFaults(text: string): number {
  const open: Run[] = [];
  let faults = 0;
  for (const { 0: found, index } of text.matchAll(MARKS)) {
    const run = runOf(text, found, index);
    const partner = run.closes
      ? open.findLastIndex(({ mark, length }) => mark === run.mark && length === run.length)
      : -1;
    if (partner >= 0) {
      // What opened in between does not close.
      faults += open.splice(partner).length - 1;
      if (open.some(({ mark, length }) => mark === run.mark && length === run.length)) faults++;
    } else if (run.opens) open.push(run);
    else if (run.closes) faults++;
  }
  return faults + open.length;
}

/**
 * Reads a run of marks: it opens or closes emphasis by what stands beside it (CommonMark 0.31.2,
 * section 6.2).
 */
function runOf(text: string, found: string, index: number): Run {
  const [before, after] = [text[index - 1] ?? " ", text[index + found.length] ?? " "];
  const [spaceBefore, spaceAfter] = [/\s/.test(before), /\s/.test(after)];
  const [pointBefore, pointAfter] = [/[\p{P}\p{S}]/u.test(before), /[\p{P}\p{S}]/u.test(after)];
  const left = !spaceAfter && (!pointAfter || spaceBefore || pointBefore);
  const right = !spaceBefore && (!pointBefore || spaceAfter || pointAfter);
  const word = found.startsWith("_");
  return {
    mark: found[0] as string,
    length: found.length,
    opens: left && (!word || !right || pointBefore),
    closes: right && (!word || !left || pointAfter),
  };
}

function bracketFaults(text: string): number {
  const open: { image: boolean; links: number; wiki: boolean }[] = [];
  let faults = 0;
  for (const { 0: mark, index } of text.matchAll(/!?\[\[?|\]\]?/g)) {
    if (!mark.startsWith("]")) {
      const wiki = mark.endsWith("[[");
      if (wiki && open.some((one) => one.wiki)) faults++;
      open.push({ image: mark.startsWith("!"), links: 0, wiki });
      if (wiki) open.push({ image: false, links: 0, wiki: false });
      continue;
    }
    for (const at of mark.length === 2 ? [index, index + 1] : [index]) {
      const last = open.pop();
      if (last === undefined) {
        faults++;
        continue;
      }
      const isLink = !last.image && (text[at + 1] === "(" || text[at + 1] === "[");
      if (isLink && last.links > 0) faults++;
      const outer = open.at(-1);
      if (outer !== undefined) outer.links += last.links + Number(isLink);
    }
  }
  return faults + open.length;
}

function idFaults(text: string): number {
  if (!/^\s*#/.test(text)) return 0;
  return Math.max(0, (text.match(/\{(?:#|\/\*)[^}\n]{1,120}\}/g)?.length ?? 0) - 1);
}
