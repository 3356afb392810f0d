import type { DocId } from "../../../contract/ids.ts";
import { BLOCK_REASONS, type ResolutionKind } from "../../model/block.ts";
import type { Conflict, Block, DocumentRecord } from "../../model/link.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { BaseTree } from "../../model/tree.ts";
import type { World } from "../../engine/run/world.ts";
import { linkAt } from "../history/find-document.ts";
import { ok, type Result, trouble } from "../../../common/trouble.ts";

/** An open problem at a path: a conflict, or a block that the user can resolve. */
export type OpenProblem = {
  /** Current or last path of its file. */
  readonly path: LocalPath;
  readonly link: DocumentRecord;
  readonly conflict: Conflict | null;
  readonly block: Block | null;
  readonly ways: readonly ResolutionKind[];
};

const CONFLICT_WAYS: readonly ResolutionKind[] = ["mine", "theirs", "merged"];

const REVIEW_WAYS: readonly ResolutionKind[] = ["mine", "theirs"];

/**
 * @param path the path of the document, of its `(theirs)` file, or of its new name after a rename
 */
export function findProblem(world: Pick<World, "state" | "disk">, path: LocalPath): Result<OpenProblem> {
  const base = world.state.load();
  const link = linkNamed(world, base, path);
  const block = base.blocks.get(link?.id ?? path) ?? null;
  if (link === null) return block === null ? noOpenProblem(path) : unfit(path, block);
  const problem = problemOf(world, base, link);
  if (problem !== null) return ok(problem);
  return block === null ? noOpenProblem(link.localPath) : unfit(link.localPath, block);
}

/** Returns the open problem of a document, or null if no choice would resolve it. */
export function problemOf(world: Pick<World, "disk">, base: BaseTree, link: DocumentRecord): OpenProblem | null {
  const block = base.blocks.get(link.id) ?? null;
  const conflict = base.conflicts.get(link.id) ?? null;
  const ways = waysOf(link, conflict, block);
  return ways === undefined ? null : { path: placeNow(world, link, block), link, conflict, block, ways };
}

/** Returns true if two versions of the document wait for a choice. */
export function isInConflict({ ways }: Pick<OpenProblem, "ways">): boolean {
  return ways === CONFLICT_WAYS;
}

/**
 * Returns the possible choices; undefined if no problem is open, or no choice resolves the problem.
 */
function waysOf(
  link: DocumentRecord,
  conflict: Conflict | null,
  block: Block | null,
): readonly ResolutionKind[] | undefined {
  // Neither version can be sent while the service has no document for the content.
  if (conflict !== null && block?.reason !== "gone-or-unreadable") return CONFLICT_WAYS;
  if (block !== null) return BLOCK_REASONS[block.reason].ways;
  return link.submissions.length > 0 ? REVIEW_WAYS : undefined;
}

function linkNamed(world: Pick<World, "disk">, base: BaseTree, path: LocalPath): DocumentRecord | null {
  return (
    linkOfBlock(base, (block) => block.path === path) ??
    linkAt(base, path) ??
    linkOfCopy(base, path) ??
    linkOfRenamed(world, base, path) ??
    // A document that the service cannot move to the root is found by its path on the service.
    linkOfBlock(base, ({ reason }, link) => reason === "no-move-to-root" && link.remotePath === path)
  );
}

function linkOfBlock(base: BaseTree, isMeant: (block: Block, link: DocumentRecord) => boolean): DocumentRecord | null {
  for (const block of base.blocks.values()) {
    const link = base.links.get(block.key as DocId);
    if (link !== undefined && isMeant(block, link)) return link;
  }
  return null;
}

/** Returns the record of the document to which a conflict copy belongs. */
export function linkOfCopy(base: BaseTree, path: LocalPath): DocumentRecord | null {
  for (const conflict of base.conflicts.values())
    if (conflict.newestCopyPath === path) return base.links.get(conflict.id) ?? null;
  return null;
}

/** Finds a document that was renamed to a name that is not synced, by its inode. */
function linkOfRenamed({ disk }: Pick<World, "disk">, base: BaseTree, path: LocalPath): DocumentRecord | null {
  const atPath = disk.look(path);
  if (atPath.kind !== "file") return null;
  const { ino, dev } = atPath.stamp;
  return linkOfBlock(
    base,
    ({ reason }, { stamp }) => reason === "renamed-out-of-mirror" && stamp?.ino === ino && stamp.dev === dev,
  );
}

/** Next step if no problem is open at the path that the user passed. */
export const NEXT_WITHOUT_PROBLEM = "mdmirror conflicts lists conflicts; mdmirror sync checks again";

function noOpenProblem(path: LocalPath): Result<never> {
  return trouble("usage", `${path} has no open problem`, NEXT_WITHOUT_PROBLEM);
}

/**
 * Returns the current path of a document. A blocked move has not changed the record yet, so the
 * block has the current path.
 */
function placeNow(world: Pick<World, "disk">, link: DocumentRecord, block: Block | null): LocalPath {
  return block !== null && world.disk.look(block.path).kind === "file" ? block.path : link.localPath;
}

function unfit(path: LocalPath, { reason, detail, code, requestId }: Block): Result<never> {
  const what = `${path} is blocked (${reason}: ${detail}), and no choice resolves this`;
  return trouble("usage", what, `mdmirror why ${path}`, { code, requestId });
}
