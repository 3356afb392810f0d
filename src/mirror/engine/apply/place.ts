import type { Digest } from "../../../contract/digest.ts";
import type { DirId, DocId } from "../../../contract/ids.ts";
import { isWithin, type LocalPath, parentOf, rebase, type RemotePath } from "../../../contract/path.ts";
import type { ActionOf, Outcome } from "../../model/action.ts";
import type { BlockReason } from "../../model/block.ts";
import type { Fault, ParentRef, RemoteTraits } from "../../ports/remote.ts";
import type { Intent } from "../../ports/state.ts";
import {
  findContentCode,
  makeBlock,
  makeEvent,
  outcomeOfFault,
  refuseWithBlock,
  stale,
  STALE,
  type ValueOrOutcome,
  withOutcome,
  withValue,
} from "./effect.ts";
import { identifyMove, type WriteRequest } from "./run-effect.ts";
import { fromServicePath, toService, type World } from "../run/world.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import { isSameInodeAndBirth, type Stamp } from "../../model/record.ts";
import type { PathState } from "../../ports/disk.ts";
import { commit } from "./commit.ts";

/**
 * Answer to the question which item has the path of a write.
 * - `stale`: the next listing will contain the item, so the next plan can avoid the path.
 * - `blocked`: no listing will contain the item. The write is blocked and not sent again.
 */
type PathOccupant = { readonly kind: "stale" | "blocked"; readonly detail: string };

/**
 * Reads the item at a path that the service reports as taken (409 `path_already_exists`). Returns
 * whether this key can read the item, and whether the item's path is spelled as in the request. If
 * the service has the item under another spelling, the next plan uses that fact. If the read fails,
 * the write is blocked, because mdmirror does not repeat a 4xx unchecked (I08).
 * @param self id of the document or folder to move; null for a new item
 */
async function examineTakenPath(
  ctx: CycleContext,
  path: RemotePath,
  self: DocId | DirId | null,
): Promise<PathOccupant> {
  const items = await ctx.world.remote.itemsAt(toService(ctx.world, path));
  const itemPlaces = items.map((item) => ({ id: item.id, path: fromServicePath(ctx.world, item.path) }));
  if (itemPlaces.some((place) => place.path === path && place.id !== self))
    return { kind: "stale", detail: "the path is in use on the service" };
  const [otherItem] = itemPlaces;
  if (otherItem === undefined)
    return { kind: "blocked", detail: "the path is in use on the service, by a document that this key cannot read" };
  const bothNames = `${JSON.stringify(path)} and ${JSON.stringify(otherItem.path ?? path)}`;
  if (otherItem.id === self)
    return {
      kind: "blocked",
      detail: `the service treats ${bothNames} as the same name, and cannot change its spelling`,
    };
  const detail = `the service treats ${bothNames} as the same name, and already has the second`;
  return { kind: hasLearnedNames(ctx) ? "stale" : "blocked", detail };
}

/**
 * Returns the outcome for a document or folder that the service refused to create. The outcome is
 * stale if the next plan can avoid the refusal; otherwise the item is blocked.
 * @param digest content of the new document; a change of the content ends the block; null for a
 * folder
 */
export async function refuseCreation(
  ctx: CycleContext,
  { localPath: path, remotePath }: { readonly localPath: LocalPath; readonly remotePath: RemotePath },
  digest: Digest | null,
  fault: Fault,
): Promise<Outcome> {
  if (fault.kind !== "problem" || fault.status === 404) return outcomeOfFault(fault);
  const code = findContentCode(fault);
  const blockBecause = (reason: BlockReason, detail: string, digest: Digest | null): Outcome =>
    refuseWithBlock(ctx, fault, { key: path, path, reason, code, detail, digest });
  if (fault.code === "path_already_exists" || fault.code === "type_mismatch") {
    const { kind, detail } = await examineTakenPath(ctx, remotePath, null);
    return kind === "stale" ? stale(detail) : blockBecause("occupied-unseen", detail, null);
  }
  const isAboutName = fault.pointers.some((pointer) => pointer === "/path" || pointer === "/name");
  if (isAboutName && hasLearnedNames(ctx)) return stale(NAME_RULES_LEARNED);
  return fault.status === 403
    ? blockBecause("read-only", fault.detail, null)
    : blockBecause("refused", fault.detail, digest);
}

export type MoveRequest = {
  /** New parent folder; null if the item stays in its folder. */
  readonly parent: ParentRef | null;
  /** Local path that the document or folder had in the plan. */
  readonly lastLocalPath: LocalPath;
};

export async function prepareMove(
  ctx: CycleContext,
  move: { readonly id: DocId | DirId } & Pick<ActionOf<"rename-remote">, "from" | "to" | "lastLocalPath">,
): Promise<
  ValueOrOutcome<{ readonly currentPath: LocalPath; readonly input: MoveRequest; readonly request: WriteRequest }>
> {
  const { id, lastLocalPath } = move;
  const parent = await findNewParent(ctx, move);
  if (parent.kind === "end") return parent;
  const currentPath = followLocalMoves(ctx, lastLocalPath);
  const request = { facts: identifyMove(move, parent.value), item: { key: id, path: currentPath } };
  return withValue({ currentPath, input: { parent: parent.value, lastLocalPath }, request });
}

type MoveIntent = Extract<Intent, { kind: "patch" | "patch-folder" }>;

/**
 * Returns the outcome of a move that the service refused. The outcome is stale if the next plan can
 * avoid the refusal; otherwise the move is blocked.
 */
export async function refuseMove(
  ctx: CycleContext,
  row: MoveIntent,
  { parent, lastLocalPath }: MoveRequest,
  fault: Fault,
): Promise<Outcome> {
  if (row.kind === "patch-folder" && ctx.world.remote.traits().folderPatch === "no") return FOLDER_NOT_MOVED_WHOLE;
  if (fault.kind !== "problem") return outcomeOfFault(fault);
  if (fault.pointers.includes("/name") && hasLearnedNames(ctx)) return stale(NAME_RULES_LEARNED);
  const { status, code, requestId } = fault;
  const path = followLocalMoves(ctx, lastLocalPath);
  const key = row.kind === "patch" ? row.id : row.dirId;
  const blockBecause = (reason: BlockReason, detail: string): Outcome =>
    outcomeOfFault(fault, makeBlock(ctx, { key, path, reason, code, detail, requestId }));
  if (code === "path_already_exists") {
    const occupant = await examineTakenPath(ctx, row.to, key);
    return occupant.kind === "stale" ? stale(occupant.detail) : blockBecause("occupied-unseen", occupant.detail);
  }
  if (parent?.kind === "root" && status === 400)
    return row.kind === "patch" ? blockBecause("no-move-to-root", DOCUMENT_NOT_TO_ROOT) : FOLDER_NOT_TO_ROOT;
  return blockBecause(status === 403 ? "read-only" : "refused", fault.detail);
}

const FOLDER_NOT_MOVED_WHOLE = stale(
  "this service cannot move a whole folder; mdmirror moves its documents one by one",
);
const DOCUMENT_NOT_TO_ROOT = "this service cannot move a document to the root; its edits are still synced";
const FOLDER_NOT_TO_ROOT = stale(
  "this service cannot move a folder to the root; mdmirror moves its documents to a new folder in the root",
);

const NAME_RULES_LEARNED = "after planning this step, mdmirror learned more about the names that the service accepts";

/**
 * Returns true if the service has shown, since the plan was made, that it forbids certain names or
 * treats certain names as equal.
 */
function hasLearnedNames({ world, traitsAtStart: before }: CycleContext): boolean {
  const currentTraits: RemoteTraits = world.remote.traits();
  return (
    currentTraits.refusedCharacters !== before.refusedCharacters ||
    currentTraits.foldsCase !== before.foldsCase ||
    currentTraits.foldsUnicode !== before.foldsUnicode
  );
}

/**
 * Returns true if the user moved the file back after the move on the service was interrupted. Base
 * still has the old local path, so a plan would not find the user's move. The plan would move the
 * file to the path that the user left.
 */
export function isMovedBack({ disk, state }: World, intent: MoveIntent): boolean {
  const { lastLocalPath } = intent;
  const base = intent.kind === "patch" ? state.record(intent.id) : state.dir(intent.dirId);
  if (base === null || lastLocalPath === base.localPath) return false;
  const atBasePath = disk.look(base.localPath);
  if (
    "stamp" in base
      ? isFileOf(atBasePath, base.stamp)
      : atBasePath.kind === "folder" && isSameInodeAndBirth(atBasePath, base)
  )
    return true;
  return (
    atBasePath.kind === (intent.kind === "patch" ? "file" : "folder") && disk.look(lastLocalPath).kind === "absent"
  );
}

function isFileOf(atPath: PathState, stamp: Stamp | null): boolean {
  return atPath.kind === "file" && stamp !== null && isSameInodeAndBirth(atPath.stamp, stamp);
}

/**
 * Returns the current path of a file, given the path in the plan.
 * RACE: this cycle may have moved a folder above the file. A block with the old path would end
 * immediately, and mdmirror would repeat the refused request (I08).
 */
export function followLocalMoves(ctx: CycleContext, planned: LocalPath): LocalPath {
  let path = planned;
  for (const { from, to } of ctx.notes.movedLocally) if (isWithin(path, from)) path = rebase(path, from, to);
  return path;
}

function findNewParent(
  ctx: CycleContext,
  { from, to }: { readonly from: RemotePath; readonly to: RemotePath },
): Promise<ValueOrOutcome<ParentRef | null>> | ValueOrOutcome<null> {
  return parentOf(from) === parentOf(to) ? withValue(null) : findFolderRef(ctx, parentOf(to));
}

/** Returns how a request names the folder at a path on the service: as root, or by id. */
async function findFolderRef(ctx: CycleContext, path: RemotePath): Promise<ValueOrOutcome<ParentRef>> {
  const fullPath = toService(ctx.world, path);
  if (fullPath === "") return withValue({ kind: "root" });
  const knownId = ctx.notes.folderIds.get(path);
  if (knownId !== undefined) return withValue({ kind: "folder", id: knownId });
  const folderAnswer = await ctx.world.remote.findFolder(fullPath);
  if (!folderAnswer.ok) return withOutcome(outcomeOfFault(folderAnswer.fault));
  if (folderAnswer.value === null) return withOutcome(stale(`the folder ${path} does not exist on the service`));
  ctx.notes.folderIds.set(path, folderAnswer.value.id);
  return withValue({ kind: "folder", id: folderAnswer.value.id });
}

/**
 * Returns the stamp of a file that was found at another path than base's: the stamp in the scan. If
 * this cycle has written the file since the scan, the file has another inode, so returns the
 * recorded stamp.
 */
function chooseStamp(ctx: CycleContext, path: LocalPath, known: Stamp | null): Stamp | null {
  const scannedStamp = ctx.notes.local?.files.get(path)?.stamp ?? null;
  if (scannedStamp === null || (known !== null && isSameInodeAndBirth(known, scannedStamp)))
    return scannedStamp ?? known;
  const pathState = ctx.world.disk.look(path);
  return pathState.kind === "file" && known !== null && isSameInodeAndBirth(known, pathState.stamp)
    ? known
    : scannedStamp;
}

/** Records a document's new paths. Both sides already have the document at these paths. */
export function recordNewPaths(ctx: CycleContext, action: ActionOf<"relink">): Outcome {
  const { state } = ctx.world;
  const record = state.record(action.id);
  if (record === null) return STALE.noRecord;
  const stamp = record.localPath === action.localPath ? record.stamp : chooseStamp(ctx, action.localPath, record.stamp);
  const { localPath, remotePath } = action;
  return commit(ctx, {
    record: { ...record, localPath, remotePath, stamp, stampTrusted: false },
    event: makeEvent(action, "both", {
      detail: `${action.why} (on the service: ${action.remotePath})`,
      from: record.localPath === action.localPath ? null : record.localPath,
    }),
  });
}
