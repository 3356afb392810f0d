import { needsUser } from "../../model/hold.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { type ConflictHunk, mergeText } from "../../../markdown/merge/merge.ts";
import type { ThreeTexts } from "../../../markdown/merge/marked.ts";
import { type Attention, attentionOfHold } from "../../engine/run/report.ts";
import type { World } from "../../engine/run/world.ts";
import { asOnDisk } from "../history/as-on-disk.ts";
import { ok, type Result, trouble } from "../../../common/trouble.ts";
import type { OpenProblem } from "./open-problem.ts";
import { byPath } from "../../model/by-path.ts";

/** Lists open problems of a folder from the state and the files, without network. */

type StateAndDisk = Pick<World, "state" | "disk">;

export type OpenConflict = {
  readonly path: LocalPath;
  readonly conflictCopy: LocalPath;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /**
   * Size of the local version in bytes; null if there is no file. Below, the size of the service's
   * version; null if its content is no longer kept.
   */
  readonly mine: number | null;
  readonly theirs: number | null;
  /** True if the local content was sent to review because of the conflict. */
  readonly inReview: boolean;
  /** Number of changes on the service since the conflict began. */
  readonly renewed: number;
};

export type OpenBlockedPath = Attention & { readonly since: number };

export function listConflicts({ state, disk }: StateAndDisk): {
  readonly conflicts: readonly OpenConflict[];
  readonly blocked: readonly OpenBlockedPath[];
} {
  const base = state.load();
  const conflicts = [...base.conflicts.values()].map((conflict): OpenConflict => {
    const path = base.links.get(conflict.id)?.localPath ?? conflict.newestCopyPath;
    const look = disk.look(path);
    return {
      path,
      conflictCopy: conflict.newestCopyPath,
      since: conflict.since,
      mine: look.kind === "file" ? look.stamp.size : null,
      theirs: sizeOf(asOnDisk({ state, disk }, path).text(conflict.shown.at(-1)!.digest)),
      inReview: base.holds.get(conflict.id)?.reason === "review-conflict",
      renewed: conflict.shown.length - 1,
    };
  });
  const holds = [...base.holds.values()]
    .filter(({ reason }) => reason !== "conflict" && needsUser(reason))
    .map((hold): OpenBlockedPath => ({ ...attentionOfHold(hold), since: hold.since }));
  return { conflicts: conflicts.toSorted(byPath), blocked: holds.toSorted(byPath) };
}

function sizeOf(text: string | null): number | null {
  return text === null ? null : Buffer.byteLength(text);
}

export function readThree({ state, disk }: StateAndDisk, subject: OpenProblem): Result<ThreeTexts> {
  const { link, conflict, path } = subject;
  const local = disk.read(path);
  if (local.kind !== "done")
    return trouble("fault", `${path} cannot be read: ${local.detail}`, "mdmirror sync, then try again");
  const baseDigest: Digest | null = conflict === null ? link.digest : conflict.baseDigest;
  const theirs = state.text(conflict === null ? link.digest : conflict.shown.at(-1)!.digest);
  if (theirs === null)
    return trouble(
      "fault",
      `the other version of ${path} is no longer in the history`,
      "mdmirror sync downloads it again",
    );
  const shown = (text: string) => disk.shown?.(path, text) ?? text;
  const base = baseDigest === null ? "" : (state.text(baseDigest) ?? "");
  return ok({ base: shown(base), mine: shown(local.value.text), theirs: shown(theirs) });
}

/** Returns the places where the two edits conflict; empty if they merge now. */
export function conflictHunks({ base, mine, theirs }: ThreeTexts): readonly ConflictHunk[] {
  const merged = mergeText(base, mine, theirs);
  return merged.kind === "clean" ? [] : merged.hunks;
}
