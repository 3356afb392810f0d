import { needsYou } from "../../model/hold.ts";
import type { Digest } from "../../model/digest.ts";
import type { LocalPath } from "../../model/path.ts";
import { type ConflictHunk, mergeText } from "../../merge/merge.ts";
import { mergeLines } from "../../merge/lines.ts";
import { newReading } from "../../merge/reading.ts";
import { type Attention, attentionOfHold } from "../../engine/run/report.ts";
import type { World } from "../../engine/run/world.ts";
import { ok, type Result, trouble } from "../mirror/trouble.ts";
import type { Subject } from "./resolve.ts";

/** What is open in a folder, by the state and one look at each file: no network. */

type StateAndDisk = Pick<World, "state" | "disk">;

export type OpenConflict = {
  readonly path: LocalPath;
  readonly sidecar: LocalPath;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** Bytes; null: not there, or no longer kept. */
  readonly mine: number | null;
  readonly theirs: number | null;
  /** Its text here is in review for it. */
  readonly inReview: boolean;
  /** How often the service's text moved on since. */
  readonly renewed: number;
};

export type OpenHold = Attention & { readonly since: number };

export function listConflicts({ state, disk }: StateAndDisk): {
  readonly conflicts: readonly OpenConflict[];
  readonly holds: readonly OpenHold[];
} {
  const base = state.load();
  const conflicts = [...base.conflicts.values()].map((conflict): OpenConflict => {
    const path = base.links.get(conflict.id)?.localPath ?? conflict.sidecarPath;
    const look = disk.look(path);
    return {
      path,
      sidecar: conflict.sidecarPath,
      since: conflict.since,
      mine: look.kind === "file" ? look.stamp.size : null,
      theirs: sizeOf(state.text(conflict.shown.at(-1)!.digest)),
      inReview: base.holds.get(conflict.id)?.reason === "review-conflict",
      renewed: conflict.shown.length - 1,
    };
  });
  const holds = [...base.holds.values()]
    .filter(({ reason }) => reason !== "conflict" && needsYou(reason))
    .map((hold): OpenHold => ({ ...attentionOfHold(hold), since: hold.since }));
  return { conflicts: conflicts.toSorted(byPath), holds: holds.toSorted(byPath) };
}

function sizeOf(text: string | null): number | null {
  return text === null ? null : Buffer.byteLength(text);
}

function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}

/** The three texts of a subject. `base` is "" where both sides were new. */
export type ThreeTexts = { readonly base: string; readonly mine: string; readonly theirs: string };

export function readThree({ state, disk }: StateAndDisk, subject: Subject): Result<ThreeTexts> {
  const { link, conflict, path } = subject;
  const local = disk.read(path);
  if (local.kind !== "done")
    return trouble("fault", `${path} cannot be read: ${local.detail}`, "mdmirror sync, then try again");
  const baseDigest: Digest | null = conflict === null ? link.digest : conflict.baseDigest;
  const theirs = state.text(conflict === null ? link.digest : conflict.shown.at(-1)!.digest);
  if (theirs === null)
    return trouble("fault", `the other version of ${path} is no longer kept`, "mdmirror sync fetches it again");
  return ok({ base: baseDigest === null ? "" : (state.text(baseDigest) ?? ""), mine: local.value.text, theirs });
}

/** Where the two edits do not go together; empty when they merge by now. */
export function conflictHunks({ base, mine, theirs }: ThreeTexts): readonly ConflictHunk[] {
  const merged = mergeText(base, mine, theirs);
  return merged.kind === "clean" ? [] : merged.hunks;
}

/** How many characters git's markers have, unless it asks for more. */
export const USUAL_MARKERS = 7;

/**
 * The two edits in one text, with git's markers where they meet: what a merge tool starts from.
 * @param markerSize characters of a marker
 */
export function markedMerge({ base, mine, theirs }: ThreeTexts, markerSize: number = USUAL_MARKERS): string {
  const merged = mergeText(base, mine, theirs);
  if (merged.kind === "clean") return merged.text;
  const blocks = mergeLines(base, mine, theirs, newReading());
  // Markers end as the lines around them do.
  const marks = { size: markerSize, feed: /^[^\n]*\r\n/.test(mine) ? "\r\n" : "\n" };
  // What no line conflicts with may still be refused as a whole.
  if (blocks === undefined || blocks.every((block) => block.kind === "settled"))
    return marked(mine, base, theirs, marks);
  return blocks
    .map((block) => {
      if (block.kind === "settled") return block.text;
      return marked(block.local.join(""), block.base.join(""), block.remote.join(""), marks);
    })
    .join("");
}

type Marks = { readonly size: number; readonly feed: string };

function marked(mine: string, base: string, theirs: string, marks: Marks): string {
  return [
    markLine("<", " mine", marks) + endedLine(mine, marks),
    markLine("|", " base", marks) + endedLine(base, marks),
    markLine("=", "", marks) + endedLine(theirs, marks),
    markLine(">", " theirs", marks),
  ].join("");
}

function markLine(character: string, label: string, { size, feed }: Marks): string {
  return `${character.repeat(size)}${label}${feed}`;
}

/** A marker begins a line, so the text before it must end one. */
function endedLine(text: string, { feed }: Marks): string {
  return text === "" || text.endsWith("\n") ? text : text + feed;
}
