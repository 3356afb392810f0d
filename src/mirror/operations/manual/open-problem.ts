import type { DocId } from "../../../contract/ids.ts";
import { BLOCK_REASONS, type ResolutionKind } from "../../model/block.ts";
import type { Conflict, Block, DocumentRecord } from "../../model/record.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { BaseTree } from "../../model/tree.ts";
import type { World } from "../../engine/run/world.ts";
import { findRecordAt } from "../history/find-document.ts";
import { ok, type Result, trouble } from "../../../common/trouble.ts";

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
 * Returns trouble if the path has no open problem, or if no choice resolves the problem.
 * @param path path of the document or of its conflict copy, or the document's new path after a
 * rename
 */
export function findProblem(world: Pick<World, "state" | "disk">, path: LocalPath): Result<OpenProblem> {
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

export function isInConflict({ ways }: Pick<OpenProblem, "ways">): boolean {
  return ways === CONFLICT_WAYS;
}

function listWays(
  record: DocumentRecord,
  conflict: Conflict | null,
  block: Block | null,
): readonly ResolutionKind[] | undefined {
  // If a document is gone from the service, no version of it can be sent.
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
    // If the service cannot move a document to the root, the user may name the document's path on
    // the service.
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

/** If a file was renamed to a name that is not synced, finds its record by inode. */
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
  return trouble("usage", `${path} has no open problem`, NEXT_WITHOUT_PROBLEM);
}

/** Returns the path of the file. If its move is blocked, only the block has the current path. */
function findCurrentPath(world: Pick<World, "disk">, record: DocumentRecord, block: Block | null): LocalPath {
  return block !== null && world.disk.look(block.path).kind === "file" ? block.path : record.localPath;
}

function refuseUnresolvable(path: LocalPath, { reason, detail, code, requestId }: Block): Result<never> {
  const problem = `${path} is blocked (${reason}: ${detail}), and no choice resolves this`;
  return trouble("usage", problem, `mdmirror why ${path}`, { code, requestId });
}
