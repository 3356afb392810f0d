import type { Digest } from "../../model/digest.ts";
import { type Origin, originsOf } from "../../merge/origin.ts";
import type { MirrorEvent, State } from "../../ports/state.ts";

/** Where the lines of a merge are from, told from the texts that it was made of. */

/** A merge that the mirror did: its texts by their digests. `at`: milliseconds since the epoch. */
export type MergeOf = {
  readonly at: number;
  readonly base: Digest;
  readonly mine: Digest;
  readonly theirs: Digest;
  readonly result: Digest;
};

/** null: the event is no merge, or was written by a version that noted none of its texts. */
export function mergeOf({ at, before, after, merged }: MirrorEvent): MergeOf | null {
  if (merged === null || before === null || after === null) return null;
  return { at, base: merged.base, mine: before, theirs: merged.theirs, result: after };
}

/** Its lines; or which of its texts are no longer kept, and then nothing is told of any line. */
export type MergeOrigins =
  | { readonly kind: "told"; readonly rows: readonly Origin[] }
  | { readonly kind: "gone"; readonly gone: readonly ("base" | "mine" | "theirs" | "result")[] };

export function readOrigins(state: Pick<State, "text">, merge: MergeOf): MergeOrigins {
  const names = ["base", "mine", "theirs", "result"] as const;
  const texts = names.map((name) => state.text(merge[name]));
  const gone = names.filter((_, index) => texts[index] === null);
  if (gone.length > 0) return { kind: "gone", gone };
  return { kind: "told", rows: originsOf(...(texts as [string, string, string, string])) };
}

/** A row of a merge; or, where two edits do not merge, a line of one of the three texts. */
export type MeetingRow =
  | Origin
  | { readonly kind: "conflict"; readonly of: "base" | "mine" | "theirs"; readonly line: string };

/**
 * Whose a run of lines is. `neither`: removed, though both sides have it; `base`: of the three
 * texts of a conflict, the first.
 */
export type Whose = "base" | "mine" | "theirs" | "both" | "mixed" | "neither";

const WHOSE: Readonly<Record<Origin["from"], Whose>> = {
  base: "neither",
  local: "mine",
  remote: "theirs",
  both: "both",
  mixed: "mixed",
};

/**
 * Lines in a row that are alike in what they are and whose, without their text. `line` is 1-based:
 * of base where removed or of base's part of a conflict, else of all that is not.
 */
export type OriginSpan = {
  readonly kind: "added" | "removed" | "conflict";
  readonly from: Whose;
  readonly line: number;
  readonly count: number;
};

export function originSpans(rows: readonly MeetingRow[]): OriginSpan[] {
  const spans: (OriginSpan & { count: number })[] = [];
  let [before, after] = [1, 1];
  for (const row of rows) {
    const from = row.kind === "conflict" ? row.of : WHOSE[row.from];
    const isOfBase = row.kind === "removed" || (row.kind === "conflict" && row.of === "base");
    const line = isOfBase ? before : after;
    if (isOfBase || row.kind === "kept") before++;
    if (!isOfBase) after++;
    if (row.kind === "kept") continue;
    const last = spans.at(-1);
    const goesOn = last?.kind === row.kind && last.from === from && last.line + last.count === line;
    if (goesOn) last.count++;
    else spans.push({ kind: row.kind, from, line, count: 1 });
  }
  return spans;
}

/**
 * A merge for a program: no text, but which of them are gone, and whose the lines are; `origins` is
 * null where that cannot be told.
 */
export type MergeFacts = MergeOf & {
  readonly gone: readonly string[];
  readonly origins: readonly OriginSpan[] | null;
};

export function mergeFacts(merge: MergeOf, origins: MergeOrigins): MergeFacts {
  return origins.kind === "gone"
    ? { ...merge, gone: origins.gone, origins: null }
    : { ...merge, gone: [], origins: originSpans(origins.rows) };
}
