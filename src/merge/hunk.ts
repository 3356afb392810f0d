import { joinOverBlanks } from "./edits.ts";
import { type Parted, partInserted } from "./beside.ts";
import { cluster, isReplacement, overlaps, type Side, span, type Cluster } from "./cluster.ts";
import { hasCode } from "../outline/fences.ts";
import { mergeFlow } from "./flow.ts";
import { mergeInsertions } from "./insertions.ts";
import type { Overlap } from "./lines.ts";
import type { Edit } from "./myers.ts";
import { fencesIn, type Lines, type Reading, tokenise } from "./reading.ts";
import { wordsOfLines } from "./said.ts";
import { subsumes } from "./subsume.ts";
import { leadsLines, write } from "./tokens.ts";

/**
 * Where both sides changed the text in ways that do not go together. Lines are 0-based: the first
 * line in each text.
 */
export type ConflictHunk = {
  readonly base: string;
  readonly local: string;
  readonly remote: string;
  readonly baseLine: number;
  readonly localLine: number;
  readonly remoteLine: number;
};

/** The three texts, with their lines read. */
type ThreeTexts = { readonly base: Lines; readonly local: Lines; readonly remote: Lines };

/** What the merge of one text's lines goes by, and the budget for it. */
export type Work = {
  /** All lines of the three texts. */
  readonly all: Overlap;
  readonly texts: ThreeTexts;
  /** What each side did to the lines of the base. */
  readonly edits: { readonly local: readonly Edit[]; readonly remote: readonly Edit[] };
  /** Parts that could not be settled, so that no effort goes into the same part twice. */
  readonly refused: Set<string>;
  readonly reading: Reading;
};

/**
 * Settles lines that both sides changed with finer and finer pieces; what is left are smaller
 * conflicts. Coarsely, edits with blank lines alone between them are one, and the first conflict
 * ends it.
 */
export function mergeHunks(work: Work, coarse: boolean): { text: string } | { conflicts: ConflictHunk[] } {
  const { all, edits, texts } = work;
  const [base, local, remote] = [texts.base.ids, texts.local.ids, texts.remote.ids];
  const found = cluster(
    joinOverBlanks(edits.local, all.base, coarse),
    joinOverBlanks(edits.remote, all.base, coarse),
    linesMeet,
  );
  const conflicts: ConflictHunk[] = [];
  const shift = { local: 0, remote: 0 };
  let text = "";
  let at = 0;
  for (const one of found) {
    text += all.base.slice(at, one.start).join("");
    const l = { ids: local, edits: one.local, ...span(one.local, one.start, one.end, shift.local) };
    const r = { ids: remote, edits: one.remote, ...span(one.remote, one.start, one.end, shift.remote) };
    const part = partOf(all, one, l, r);
    const settled = settle(part, base, l, r, work);
    if (settled === undefined) conflicts.push(conflictOf(part));
    if (settled === undefined && coarse) break;
    text += settled ?? "";
    shift.local = l.to - one.end;
    shift.remote = r.to - one.end;
    at = one.end;
  }
  return conflicts.length > 0 ? { conflicts } : { text: text + all.base.slice(at).join("") };
}

type Range = { readonly from: number; readonly to: number };
type Version = Range & { readonly ids: readonly number[]; readonly edits: readonly Edit[] };

/** The lines of one cluster. */
function partOf(all: Overlap, { start, end }: Cluster, local: Range, remote: Range): Overlap {
  return {
    kind: "conflict",
    base: all.base.slice(start, end),
    local: all.local.slice(local.from, local.to),
    remote: all.remote.slice(remote.from, remote.to),
    baseLine: all.baseLine + start,
    localLine: all.localLine + local.from,
    remoteLine: all.remoteLine + remote.from,
  };
}

/** The text of one cluster; undefined for a conflict. */
function settle(
  part: Overlap,
  base: readonly number[],
  local: Version,
  remote: Version,
  work: Work,
): string | undefined {
  const { reading, refused } = work;
  const words = wordsOfLines(reading);
  if (local.edits.length === 0 || subsumes(base, remote, local, words, reading, true)) return part.remote.join("");
  if (remote.edits.length === 0 || subsumes(base, local, remote, words, reading, true)) return part.local.join("");
  const name = `${part.baseLine} ${part.base.length} ${part.localLine} ${part.local.length}`;
  const settled = refused.has(name) ? undefined : mergePart(part, work);
  if (settled === undefined) refused.add(name);
  return settled;
}

/** A conflict with its sides as text. */
function conflictOf(part: Overlap): ConflictHunk {
  const { base, local, remote, baseLine, localLine, remoteLine } = part;
  return { base: base.join(""), local: local.join(""), remote: remote.join(""), baseLine, localLine, remoteLine };
}

function linesMeet(earlier: Edit, _side: unknown, later: Edit): boolean {
  if (overlaps(earlier, later)) return true;
  if (later.start > earlier.end || (isReplacement(earlier) && isReplacement(later))) return false;
  // Two that only took lines away have nothing that could stand at a wrong place.
  return !(onlyRemoves(earlier) && onlyRemoves(later));
}

function onlyRemoves({ start, end, from, to }: Edit): boolean {
  return start < end && from === to;
}

/**
 * Lines that both sides changed: both may have added entries to a list, or changed words of running
 * text.
 */
function mergePart(part: Overlap, { texts, reading }: Work): string | undefined {
  const inserted = mergeInsertions(part, texts.base, reading);
  if (inserted !== undefined) return inserted;
  if (part.base.length === 0 || part.local.length === 0 || part.remote.length === 0) return undefined;
  return mergeBeside(part, texts, reading) ?? mergeWords(part, texts, reading);
}

/** Lines of which both sides changed words. */
function mergeWords(part: Overlap, texts: ThreeTexts, reading: Reading): string | undefined {
  const sides = [part.base, part.local, part.remote];
  const isCode =
    isCodeIn(texts.base, part.baseLine, part.base) ||
    isCodeIn(texts.local, part.localLine, part.local) ||
    isCodeIn(texts.remote, part.remoteLine, part.remote);
  const [base, local, remote] = sides.map((lines) => tokenise(lines, reading, isCode)) as [Tokens, Tokens, Tokens];
  const passage = { base, local, remote };
  const merged = mergeFlow(passage, reading);
  return merged === undefined || !leadsLines(merged) ? undefined : write(merged);
}

/** Lines beside which both sides inserted others, and which a side changed too. */
function mergeBeside(part: Overlap, texts: ThreeTexts, reading: Reading): string | undefined {
  const parted = partInserted(part, texts, reading);
  if (parted === undefined) return undefined;
  const inserted = mergeInsertions(parted.inserted, texts.base, reading, firstBeside(parted));
  const rest = inserted === undefined ? undefined : mergeWords(parted.rest, texts, reading);
  if (inserted === undefined || rest === undefined) return undefined;
  return parted.isAbove ? inserted + rest : rest + inserted;
}

/**
 * Whose piece comes first: where one side alone changed the lines that both pieces stand beside,
 * its piece stays next to them.
 */
function firstBeside({ rest, isAbove }: Parted): Side {
  const [base, local, remote] = [rest.base, rest.local, rest.remote].map((lines) => lines.join(""));
  const [isLocal, isRemote] = [local !== base, remote !== base];
  if (isLocal === isRemote) return "remote";
  return isLocal === isAbove ? "remote" : "local";
}

type Tokens = ReturnType<typeof tokenise>;

/** Whether any of some lines, of which the first is line `first` of its text, is code. */
function isCodeIn(text: Lines, first: number, lines: readonly string[]): boolean {
  return hasCode(fencesIn(text), first, first + lines.length);
}
