import { type Digest, digestOf } from "../../../contract/digest.ts";
import type { ResolutionKind } from "../../model/block.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { type Attention, makeBlockProblem } from "../../engine/run/report.ts";
import type { World } from "../../engine/run/world.ts";
import { type ConflictHunk, mergeText } from "../../../markdown/merge/merge.ts";
import type { ThreeVersions } from "../../../markdown/merge/marked.ts";
import { ok, type Result, trouble } from "../../../common/trouble.ts";
import { makeLocalLookup, toLocalForm } from "../history/as-on-disk.ts";
import type { OpenProblem } from "./open-problem.ts";

type StateAndDisk = Pick<World, "state" | "disk">;

/** Digests of the versions in a problem; null if a version does not exist or is unknown. */
export type ProblemVersions = {
  readonly mine: Digest | null;
  readonly theirs: Digest | null;
  readonly base: Digest | null;
};

export type ContentOrReason =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "none"; readonly why: string };

export type ProblemView = {
  readonly path: LocalPath;
  readonly ways: readonly ResolutionKind[];
  readonly versions: ProblemVersions;
  readonly mine: ContentOrReason;
  readonly theirs: ContentOrReason;
  readonly base: ContentOrReason;
  /** Open conflict, with times in milliseconds since the epoch; null if there is none. */
  readonly conflict: {
    readonly since: number;
    readonly conflictCopy: LocalPath;
    readonly hasConflictCopy: boolean;
    readonly bothNew: boolean;
    readonly renewed: number;
  } | null;
  readonly block: (Attention & { readonly since: number }) | null;
};

export function viewProblem({ state, disk }: StateAndDisk, problem: OpenProblem): ProblemView {
  const { path, record, conflict, block, ways } = problem;
  const versions = readVersions({ disk }, problem);
  return {
    path,
    ways,
    versions,
    mine: readMine({ disk }, path),
    theirs: readStored({ state, disk }, path, versions.theirs ?? record.digest),
    base:
      versions.base === null && conflict !== null
        ? { kind: "text", text: "" }
        : readStored({ state, disk }, path, versions.base),
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
    block: block === null || block.reason === "conflict" ? null : { ...makeBlockProblem(block), since: block.since },
  };
}

/**
 * Reads the versions without the network. For a blocked document, the version on the service is
 * therefore unknown, and `theirs` is null.
 */
export function readVersions({ disk }: Pick<World, "disk">, { path, record, conflict }: OpenProblem): ProblemVersions {
  const atPath = disk.look(path);
  const localDigest = atPath.kind === "file" ? atPath.digest : null;
  if (conflict === null) return { mine: localDigest, theirs: null, base: record.digest };
  return { mine: localDigest, theirs: conflict.shown.at(-1)!.digest, base: conflict.baseDigest };
}

/**
 * Returns the version that is now on the service; null without a conflict. If it cannot be read,
 * returns the last known version; the user's choice then fails with the reason.
 */
export async function readTheirs(
  { remote }: Pick<World, "remote">,
  { record, conflict }: OpenProblem,
): Promise<Digest | null> {
  if (conflict === null) return null;
  const lastShown = conflict.shown.at(-1)!;
  const fileAnswer = await remote.getFile(record.id);
  return !fileAnswer.ok || fileAnswer.value.lastChangeId === lastShown.changeId
    ? lastShown.digest
    : digestOf(fileAnswer.value.content);
}

function readMine({ disk }: Pick<World, "disk">, path: LocalPath): ContentOrReason {
  const readResult = disk.read(path);
  if (readResult.kind === "done") return { kind: "text", text: toLocalForm(disk, path, readResult.value.text)! };
  const reason = disk.look(path).kind === "absent" ? "no file exists" : readResult.detail;
  return { kind: "none", why: reason };
}

function readStored(world: StateAndDisk, path: LocalPath, digest: Digest | null): ContentOrReason {
  const content = digest === null ? null : makeLocalLookup(world, path).text(digest);
  return content === null
    ? { kind: "none", why: "its content is no longer in the history" }
    : { kind: "text", text: content };
}

/**
 * Returns the three versions. Base is empty if it is not stored. Returns trouble if the content of
 * a side cannot be read.
 */
export function readThree(world: StateAndDisk, problem: OpenProblem): Result<ThreeVersions> {
  const { path, mine, theirs, base } = viewProblem(world, problem);
  if (mine.kind === "none")
    return trouble("fault", `${path} cannot be read: ${mine.why}`, "mdmirror sync, then try again");
  const nextStep = "mdmirror sync downloads it again";
  if (theirs.kind === "none") return trouble("fault", `${path}, the version on the service: ${theirs.why}`, nextStep);
  return ok({ base: base.kind === "text" ? base.text : "", mine: mine.text, theirs: theirs.text });
}

export function findConflictHunks({ base, mine, theirs }: ThreeVersions): readonly ConflictHunk[] {
  const mergeResult = mergeText(base, mine, theirs);
  return mergeResult.kind === "clean" ? [] : mergeResult.hunks;
}
