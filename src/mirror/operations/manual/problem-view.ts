/** Reads an open problem for users: the contents and their versions. */

import { type Digest, digestOf } from "../../../contract/digest.ts";
import type { ResolutionKind } from "../../model/block.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { type Attention, attentionOfBlock } from "../../engine/run/report.ts";
import type { World } from "../../engine/run/world.ts";
import { type ConflictHunk, mergeText } from "../../../markdown/merge/merge.ts";
import type { ThreeTexts } from "../../../markdown/merge/marked.ts";
import { ok, type Result, trouble } from "../../../common/trouble.ts";
import { localTexts, inLocalForm } from "../history/as-on-disk.ts";
import type { OpenProblem } from "./open-problem.ts";

type StateAndDisk = Pick<World, "state" | "disk">;

/** Digest of each version; null if the version does not exist or is not known. */
export type Versions = { readonly mine: Digest | null; readonly theirs: Digest | null; readonly base: Digest | null };

/** Content, or the reason why it cannot be shown. */
export type ShownText =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "none"; readonly why: string };

export type ProblemView = {
  readonly path: LocalPath;
  readonly ways: readonly ResolutionKind[];
  readonly versions: Versions;
  readonly mine: ShownText;
  readonly theirs: ShownText;
  /** Base. Its content is "" if both sides are new. */
  readonly base: ShownText;
  /**
   * The open conflict; null if the problem is a block or a review. Times in milliseconds since the
   * epoch.
   */
  readonly conflict: {
    readonly since: number;
    readonly conflictCopy: LocalPath;
    readonly hasConflictCopy: boolean;
    /** True if the document was new on both sides, at one path. */
    readonly bothNew: boolean;
    /** Number of changes on the service since the conflict began. */
    readonly renewed: number;
  } | null;
  readonly block: (Attention & { readonly since: number }) | null;
};

export function viewProblem({ state, disk }: StateAndDisk, problem: OpenProblem): ProblemView {
  const { path, record, conflict, block, ways } = problem;
  const versions = versionsOf({ disk }, problem);
  return {
    path,
    ways,
    versions,
    mine: mineOf({ disk }, path),
    theirs: keptText({ state, disk }, path, versions.theirs ?? record.digest),
    base:
      versions.base === null && conflict !== null
        ? { kind: "text", text: "" }
        : keptText({ state, disk }, path, versions.base),
    conflict:
      conflict === null
        ? null
        : {
            since: conflict.since,
            conflictCopy: conflict.newestCopyPath,
            hasConflictCopy: disk.look(conflict.newestCopyPath).kind === "file",
            bothNew: conflict.baseDigest === null,
            renewed: conflict.shown.length - 1,
          },
    block: block === null || block.reason === "conflict" ? null : { ...attentionOfBlock(block), since: block.since },
  };
}

/**
 * Returns the versions of a problem. `theirs` is read only for a conflict: for a block, the
 * service's content is read after the user's choice.
 */
export function versionsOf({ disk }: Pick<World, "disk">, { path, record, conflict }: OpenProblem): Versions {
  const atPath = disk.look(path);
  const mine = atPath.kind === "file" ? atPath.digest : null;
  if (conflict === null) return { mine, theirs: null, base: record.digest };
  return { mine, theirs: conflict.shown.at(-1)!.digest, base: conflict.baseDigest };
}

/**
 * Returns the digest of the version that the service has now for a document in conflict; null
 * without a conflict. If the service's version cannot be read, returns the last known version: the
 * later choice reports the reason.
 */
export async function readTheirs(
  { remote }: Pick<World, "remote">,
  { record, conflict }: OpenProblem,
): Promise<Digest | null> {
  if (conflict === null) return null;
  const shown = conflict.shown.at(-1)!;
  const answer = await remote.getFile(record.id);
  return !answer.ok || answer.value.lastChangeId === shown.changeId ? shown.digest : digestOf(answer.value.content);
}

function mineOf({ disk }: Pick<World, "disk">, path: LocalPath): ShownText {
  const read = disk.read(path);
  if (read.kind === "done") return { kind: "text", text: inLocalForm(disk, path, read.value.text)! };
  const why = disk.look(path).kind === "absent" ? "no file exists" : read.detail;
  return { kind: "none", why };
}

function keptText(world: StateAndDisk, path: LocalPath, digest: Digest | null): ShownText {
  const text = digest === null ? null : localTexts(world, path).text(digest);
  return text === null ? { kind: "none", why: "its content is no longer in the history" } : { kind: "text", text };
}

/**
 * Returns the base, local and service contents of a problem, for a merge. Base is empty if the
 * history does not have it. Returns trouble if one of the others cannot be read.
 */
export function readThree(world: StateAndDisk, problem: OpenProblem): Result<ThreeTexts> {
  const { path, mine, theirs, base } = viewProblem(world, problem);
  if (mine.kind === "none")
    return trouble("fault", `${path} cannot be read: ${mine.why}`, "mdmirror sync, then try again");
  const next = "mdmirror sync downloads it again";
  if (theirs.kind === "none") return trouble("fault", `${path}, the version on the service: ${theirs.why}`, next);
  return ok({ base: base.kind === "text" ? base.text : "", mine: mine.text, theirs: theirs.text });
}

/** Returns the places at which the two edits conflict; empty if the edits merge now. */
export function conflictHunks({ base, mine, theirs }: ThreeTexts): readonly ConflictHunk[] {
  const merged = mergeText(base, mine, theirs);
  return merged.kind === "clean" ? [] : merged.hunks;
}
