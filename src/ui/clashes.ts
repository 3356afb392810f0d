/** Splits a conflict into parts. A clash is a part that the user has to decide. */

import type { ProblemView } from "../mirror/operations/manual/problem.ts";
import { restoreLineEnds } from "../markdown/merge/style.ts";
import { markConflict } from "../markdown/merge/marked.ts";
import { mergeText } from "../markdown/merge/merge.ts";
import { type RowGroup, type SideRow, compareSideBySide } from "../markdown/merge/side-by-side.ts";

/**
 * Consecutive lines of a document in conflict.
 * - `settled`: the sides are equal, only one side changed the lines, or both edits merge; `text` is
 *   the result
 * - `clash`: the edits do not merge; `position` is the number of the clash, from 1
 */
export type ConflictPart =
  | { readonly kind: "settled"; readonly passage: RowGroup; readonly text: string }
  | {
      readonly kind: "clash";
      readonly passage: RowGroup;
      readonly position: number;
      readonly mine: string;
      readonly theirs: string;
      readonly base: string;
    };

export type Clash = Extract<ConflictPart, { kind: "clash" }>;

export const CHOICES = { mine: "Mine", theirs: "Theirs", both: "Both", edit: "Edit" } as const;

type Choice = keyof typeof CHOICES;

/**
 * Splits a conflict into parts. Returns null if the local version or the version on the service
 * cannot be shown.
 */
export function splitConflict({ mine, theirs, base, conflict }: ProblemView): readonly ConflictPart[] | null {
  if (conflict === null || mine.kind === "none" || theirs.kind === "none") return null;
  const baseText = conflict.bothNew || base.kind === "none" ? null : base.text;
  let clashCount = 0;
  return compareSideBySide({ base: baseText, mine: mine.text, theirs: theirs.text }).map((passage): ConflictPart => {
    const [ours, other] = [joinSide(passage, "mine"), joinSide(passage, "theirs")];
    if (passage.kind !== "both") return { kind: "settled", passage, text: passage.kind === "theirs" ? other : ours };
    const baseLines = joinSide(passage, "base");
    const mergeResult = mergeText(baseLines, ours, other);
    if (mergeResult.kind === "clean") return { kind: "settled", passage, text: mergeResult.text };
    return { kind: "clash", passage, position: ++clashCount, mine: ours, theirs: other, base: baseLines };
  });
}

function joinSide({ rows }: RowGroup, side: keyof SideRow): string {
  return rows.flatMap((row) => row[side]?.pieces.map(({ text }) => text) ?? []).join("");
}

export function findClashes(places: readonly ConflictPart[]): readonly Clash[] {
  return places.filter((place) => place.kind === "clash");
}

/**
 * Returns the whole document with git's conflict markers around each clash.
 * @param document the local version
 */
export function markClashes(places: readonly ConflictPart[], document: string): string {
  return places.map((place) => (place.kind === "clash" ? markConflict(place, document) : place.text)).join("");
}

export function readChoice(form: URLSearchParams, { position }: Pick<Clash, "position">): Choice | null {
  const sentChoice = form.get(`clash-${position}`);
  return (Object.keys(CHOICES) as Choice[]).find((key) => key === sentChoice) ?? null;
}

/** Returns what the user typed for a clash; both versions if the user has typed nothing. */
export function readEditedText(form: URLSearchParams, clash: Clash): string {
  return form.get(`clash-${clash.position}-text`) ?? joinVersions(clash.mine, clash.theirs);
}

/** Returns the document that results from the user's choices; null if a clash is not decided. */
export function composeResult(places: readonly ConflictPart[], form: URLSearchParams): string | null {
  const parts = places.map((place) => (place.kind === "clash" ? decideClash(place, form) : place.text));
  return parts.includes(null) ? null : parts.join("");
}

function decideClash(clash: Clash, form: URLSearchParams): string | null {
  switch (readChoice(form, clash)) {
    case "mine":
      return clash.mine;
    case "theirs":
      return clash.theirs;
    case "both":
      return joinVersions(clash.mine, clash.theirs);
    case "edit":
      return addFinalLineFeed(
        clash.mine,
        restoreLineEnds(readEditedText(form, clash), joinVersions(clash.mine, clash.theirs)),
      );
    case null:
      return null;
  }
}

function joinVersions(mine: string, theirs: string): string {
  return mine === "" || mine.endsWith("\n") ? mine + theirs : `${mine}\n${theirs}`;
}

/** Adds a line feed to a typed text if the replaced lines `before` end with a line feed. */
function addFinalLineFeed(before: string, text: string): string {
  return before.endsWith("\n") && text !== "" && !text.endsWith("\n") ? `${text}\n` : text;
}
