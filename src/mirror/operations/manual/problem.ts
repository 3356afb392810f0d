import type { DocId } from "../../../contract/ids.ts";
import { BLOCK_REASONS, type BlockReason, needsUser, type ResolutionKind } from "../../model/block.ts";
import type { Block, Conflict, DocumentRecord } from "../../model/record.ts";
import { quoteForShell } from "../../model/shell-word.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { BaseTree } from "../../model/tree.ts";
import type { World } from "../../engine/run/world.ts";
import { findRecordAt, makeLocalLookup, type StateAndDisk, toLocalForm } from "../history/lookup.ts";
import { ok, refusal, type Result, trouble } from "../../../common/trouble.ts";
import { type Digest, digestOf } from "../../../contract/digest.ts";
import { type SyncProblem, makeBlockProblem } from "../../engine/run/report.ts";
import { type ConflictHunk, mergeText } from "../../../markdown/merge/merge.ts";
import type { ThreeVersions } from "../../../markdown/merge/marked.ts";

export type OpenProblem = {
  readonly path: LocalPath;
  readonly record: DocumentRecord;
  readonly conflict: Conflict | null;
  readonly block: Block | null;
  readonly ways: readonly ResolutionKind[];
};

const CONFLICT_WAYS: readonly ResolutionKind[] = ["mine", "theirs", "merged"];

const REVIEW_WAYS: readonly ResolutionKind[] = ["mine", "theirs"];

/**
 * Returns the open problem at a path. Returns trouble if the path has no open problem, or if no
 * choice resolves the problem.
 * @param path path of the document or of its conflict copy, or the document's new path after a
 * rename
 */
export function findProblem(world: StateAndDisk, path: LocalPath): Result<OpenProblem> {
  const base = world.state.load();
  const record = findNamedRecord(world, base, path);
  const block = base.blocks.get(record?.id ?? path) ?? null;
  if (record === null) return block === null ? refuseWithoutProblem(path) : refuseUnresolvable(path, block);
  const problem = findRecordProblem(world, base, record);
  if (problem !== null) return ok(problem);
  return block === null ? refuseWithoutProblem(record.localPath) : refuseUnresolvable(record.localPath, block);
}

export function findRecordProblem(
  world: Pick<World, "disk">,
  base: BaseTree,
  record: DocumentRecord,
): OpenProblem | null {
  const block = base.blocks.get(record.id) ?? null;
  const conflict = base.conflicts.get(record.id) ?? null;
  const ways = listWays(record, conflict, block);
  return ways === undefined ? null : { path: findCurrentPath(world, record, block), record, conflict, block, ways };
}

/** Returns true if only a person can end the block, and the block is no conflict. */
export function needsDecision({ reason }: Block): boolean {
  return reason !== "conflict" && needsUser(reason);
}

export function isInConflict({ ways }: Pick<OpenProblem, "ways">): boolean {
  return ways === CONFLICT_WAYS;
}

function listWays(
  record: DocumentRecord,
  conflict: Conflict | null,
  block: Block | null,
): readonly ResolutionKind[] | undefined {
  // If a document is gone from the service, the user cannot choose to send a version.
  if (conflict !== null && block?.reason !== "gone-or-unreadable") return CONFLICT_WAYS;
  if (block !== null) return BLOCK_REASONS[block.reason].ways;
  return record.submissions.length > 0 ? REVIEW_WAYS : undefined;
}

function findNamedRecord(world: Pick<World, "disk">, base: BaseTree, path: LocalPath): DocumentRecord | null {
  return (
    findByBlock(base, (block) => block.path === path) ??
    findRecordAt(base, path) ??
    findRecordOfCopy(base, path) ??
    findRenamedRecord(world, base, path) ??
    // If the service cannot move a document to the root, the user may name the document by its path
    // on the service.
    findByBlock(base, ({ reason }, record) => reason === "no-move-to-root" && record.remotePath === path)
  );
}

function findByBlock(
  base: BaseTree,
  isMatch: (block: Block, record: DocumentRecord) => boolean,
): DocumentRecord | null {
  for (const block of base.blocks.values()) {
    const record = base.records.get(block.key as DocId);
    if (record !== undefined && isMatch(block, record)) return record;
  }
  return null;
}

export function findRecordOfCopy(base: BaseTree, path: LocalPath): DocumentRecord | null {
  for (const conflict of base.conflicts.values())
    if (conflict.newestCopyPath === path) return base.records.get(conflict.id) ?? null;
  return null;
}

/** Finds the record of a renamed file by inode, if files with the new name are not synced. */
function findRenamedRecord({ disk }: Pick<World, "disk">, base: BaseTree, path: LocalPath): DocumentRecord | null {
  const atPath = disk.look(path);
  if (atPath.kind !== "file") return null;
  const { ino, dev } = atPath.stamp;
  return findByBlock(
    base,
    ({ reason }, { stamp }) => reason === "renamed-out-of-mirror" && stamp?.ino === ino && stamp.dev === dev,
  );
}

export const NEXT_WITHOUT_PROBLEM = "mdmirror conflicts lists conflicts; mdmirror sync checks again";

function refuseWithoutProblem(path: LocalPath): Result<never> {
  return refusal(`${path} has no open problem`, NEXT_WITHOUT_PROBLEM);
}

/**
 * Returns the current path of the document's file. If a move of the document is blocked, the block
 * has this path, and the record has the old path.
 */
function findCurrentPath(world: Pick<World, "disk">, record: DocumentRecord, block: Block | null): LocalPath {
  return block !== null && world.disk.look(block.path).kind === "file" ? block.path : record.localPath;
}

function refuseUnresolvable(path: LocalPath, { reason, detail, code, requestId }: Block): Result<never> {
  const problem = `${path} is blocked (${reason}: ${detail}), and no choice resolves this`;
  return trouble("usage", problem, `mdmirror why ${quoteForShell(path)}`, { code, requestId });
}

/** Digests of the versions in a problem. A version that does not exist or is unknown has null. */
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
  readonly block: (SyncProblem & { readonly since: number }) | null;
};

export function viewProblem({ state, disk }: StateAndDisk, problem: OpenProblem): ProblemView {
  const { path, record, conflict, block, ways } = problem;
  const versions = readVersions({ disk }, problem);
  return {
    path,
    ways,
    versions,
    mine: readMine({ disk }, path),
    theirs: readStoredContent({ state, disk }, path, versions.theirs ?? record.digest),
    base:
      versions.base === null && conflict !== null
        ? { kind: "text", text: "" }
        : readStoredContent({ state, disk }, path, versions.base),
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
 * Returns the digests of the versions without using the network. For a blocked document, the
 * version on the service is therefore unknown: `theirs` is null.
 */
export function readVersions({ disk }: Pick<World, "disk">, { path, record, conflict }: OpenProblem): ProblemVersions {
  const atPath = disk.look(path);
  const localDigest = atPath.kind === "file" ? atPath.digest : null;
  if (conflict === null) return { mine: localDigest, theirs: null, base: record.digest };
  return { mine: localDigest, theirs: conflict.shown.at(-1)!.digest, base: conflict.baseDigest };
}

/**
 * Returns the digest of the current version on the service; null without a conflict. If the version
 * cannot be read, returns the last known digest; the user's choice then fails, and the message has
 * the reason.
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

function readStoredContent(world: StateAndDisk, path: LocalPath, digest: Digest | null): ContentOrReason {
  const content = digest === null ? null : makeLocalLookup(world, path).text(digest);
  return content === null
    ? { kind: "none", why: "its content is no longer in the history" }
    : { kind: "text", text: content };
}

/**
 * Returns the three versions. If base is not stored, the base in the result is empty. Returns
 * trouble if the content of a side cannot be read.
 */
export function readThreeVersions(world: StateAndDisk, problem: OpenProblem): Result<ThreeVersions> {
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

type ResolutionWords = { readonly label: string; readonly does: string };

const CONFLICT_RESOLUTION_WORDS: Readonly<Record<ResolutionKind, ResolutionWords>> = {
  mine: { label: "Take mine", does: "keeps the local version and uploads it" },
  theirs: { label: "Take theirs", does: "replaces the local file by the version on the service" },
  merged: { label: "Save the result", does: "writes your merged version to the file and uploads it" },
  keep: { label: "Keep it", does: "keeps the local file and uploads it as a new document with a new id" },
  delete: { label: "Delete it", does: "moves the local file to the trash" },
  recreate: {
    label: "Create it again",
    does: "creates a new document at the new place, with a new id, and deletes the old one with its history on the service",
  },
};

const BLOCKED_WORDS: Readonly<Partial<Record<ResolutionKind, ResolutionWords>>> = {
  mine: { label: "Upload mine again", does: "keeps the local version and uploads or submits it again" },
  theirs: { label: "Take theirs", does: "drops the local edit and takes the version on the service" },
};

const RENAMED_WORDS: Readonly<Partial<Record<ResolutionKind, ResolutionWords>>> = {
  keep: {
    label: "Keep it",
    does: "restores the version on the service under the old name; the renamed file stays as it is",
  },
  delete: {
    label: "Delete it on the service",
    does: "deletes the document on the service; the renamed file stays as it is",
  },
};

/** @param reason reason of the block; null for an open conflict or a review */
export function describeResolution(
  kind: ResolutionKind,
  isConflict: boolean,
  reason: BlockReason | null,
): ResolutionWords {
  const specialWords = reason === "renamed-out-of-mirror" ? RENAMED_WORDS : isConflict ? {} : BLOCKED_WORDS;
  return specialWords[kind] ?? CONFLICT_RESOLUTION_WORDS[kind];
}
