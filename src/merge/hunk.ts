import type { Budget } from "./budget.ts";
import { cluster, overlaps, span } from "./cluster.ts";
import { mergeFlow } from "./flow.ts";
import { mergeInsertions } from "./insertions.ts";
import type { LineBlock } from "./lines.ts";
import { Interner } from "./split.ts";
import { diff, type Edit, joinOverBlanks } from "./myers.ts";
import { subsumes } from "./subsume.ts";
import { transfer } from "./transfer.ts";
import { leadsLines, textsOf, type Token, tokenise, write } from "./tokens.ts";

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

/** The conflicting lines of a line merge. */
export type Overlap = Extract<LineBlock, { kind: "conflict" }>;

/**
 * What the lines around a hunk tell: the lines of the base text, and for each text which lines are
 * code.
 */
export type Surroundings = {
  readonly baseLines: readonly string[];
  readonly code: {
    readonly base: readonly boolean[];
    readonly local: readonly boolean[];
    readonly remote: readonly boolean[];
  };
};

/** Parts of a text that could not be settled, so that no effort goes into the same part twice. */
export type Refused = Set<string>;

/**
 * Settles a conflict of lines with finer and finer pieces; what is left are smaller conflicts.
 * Coarsely, edits with blank lines alone between them are one, and the first conflict ends it.
 */
export function mergeHunk(
  hunk: Overlap,
  around: Surroundings,
  budget: Budget,
  refused: Refused,
  coarse = false,
): { text: string } | { conflicts: ConflictHunk[] } {
  const interner = new Interner();
  const ids = { base: interner.ids(hunk.base), local: interner.ids(hunk.local), remote: interner.ids(hunk.remote) };
  const join = (edits: Edit[]): Edit[] => joinOverBlanks(edits, hunk.base, coarse);
  const edits = { local: join(diff(ids.base, ids.local, budget)), remote: join(diff(ids.base, ids.remote, budget)) };
  const words = (id: number): readonly string[] => textsOf(interner.text(id), budget);
  const conflicts: ConflictHunk[] = [];
  const shift = { local: 0, remote: 0 };
  let text = "";
  let at = 0;
  for (const found of cluster(edits.local, edits.remote, linesMeet)) {
    text += hunk.base.slice(at, found.start).join("");
    const l = span(found.local, found.start, found.end, shift.local);
    const r = span(found.remote, found.start, found.end, shift.remote);
    const part: Overlap = {
      kind: "conflict",
      base: hunk.base.slice(found.start, found.end),
      local: hunk.local.slice(l.from, l.to),
      remote: hunk.remote.slice(r.from, r.to),
      baseLine: hunk.baseLine + found.start,
      localLine: hunk.localLine + l.from,
      remoteLine: hunk.remoteLine + r.from,
    };
    const local = { ids: ids.local, edits: found.local, ...l };
    const remote = { ids: ids.remote, edits: found.remote, ...r };
    if (found.local.length === 0 || subsumes(ids.base, remote, local, words, budget, true))
      text += part.remote.join("");
    else if (found.remote.length === 0 || subsumes(ids.base, local, remote, words, budget, true))
      text += part.local.join("");
    else {
      const name = `${part.baseLine} ${part.base.length} ${part.localLine} ${part.local.length}`;
      const settled = refused.has(name) ? undefined : mergePart(part, around, budget);
      text += settled ?? "";
      if (settled === undefined) {
        refused.add(name);
        conflicts.push(conflictOf(part));
        if (coarse) break;
      }
    }
    shift.local = l.to - found.end;
    shift.remote = r.to - found.end;
    at = found.end;
  }
  return conflicts.length > 0 ? { conflicts } : { text: text + hunk.base.slice(at).join("") };
}

/** A conflict with its sides as text. */
export function conflictOf(part: Overlap): ConflictHunk {
  const { base, local, remote, baseLine, localLine, remoteLine } = part;
  return { base: base.join(""), local: local.join(""), remote: remote.join(""), baseLine, localLine, remoteLine };
}

function linesMeet(earlier: Edit, _side: unknown, later: Edit): boolean {
  if (overlaps(earlier, later)) return true;
  if (later.start > earlier.end) return false;
  const replaces = (edit: Edit): boolean => edit.start < edit.end && edit.from < edit.to;
  return !replaces(earlier) || !replaces(later);
}

/**
 * Lines that both sides changed: both may have added entries to a list, or changed words of running
 * text.
 */
function mergePart(part: Overlap, around: Surroundings, budget: Budget): string | undefined {
  const inserted = mergeInsertions(part, around, budget);
  if (inserted !== undefined) return inserted;
  const { base, local, remote } = around.code;
  const isCode =
    base.slice(part.baseLine, part.baseLine + part.base.length).includes(true) ||
    local.slice(part.localLine, part.localLine + part.local.length).includes(true) ||
    remote.slice(part.remoteLine, part.remoteLine + part.remote.length).includes(true);
  if (part.base.length === 0 || part.local.length === 0 || part.remote.length === 0) return undefined;
  const cut = (lines: readonly string[]): readonly Token[] => tokenise(lines, budget, isCode);
  const texts = { base: cut(part.base), local: cut(part.local), remote: cut(part.remote) };
  const merged = mergeFlow(texts, budget) ?? transfer(texts, budget);
  return merged === undefined || !leadsLines(merged) ? undefined : write(merged);
}
