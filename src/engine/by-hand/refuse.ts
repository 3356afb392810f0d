import type { ChangeId, DirId, DocId } from "../../contract/ids.ts";
import type { Action } from "../../model/action.ts";
import type { Digest } from "../../model/digest.ts";
import { joinPath, type LocalPath } from "../../model/path.ts";
import { moveBase } from "../../model/settle.ts";
import { createLocal } from "../apply/create-local.ts";
import { ensureFolders } from "../apply/parents.ts";
import { type HandEnd, notDone } from "./by-hand.ts";
import { DONE, outcomeOfDisk, stale } from "../apply/effect.ts";
import { commit } from "../apply/commit.ts";
import { keepAsNew } from "./resolve-hold.ts";
import type { PassContext } from "../run/pass-context.ts";

/**
 * Takes back what a guard stopped. Each function does what a user could have done in the folder;
 * the next run sends what follows from it.
 */

const WHY = "brought back: its deletion was refused";

/**
 * A document that was deleted here: its file comes back with the same text, and nothing is sent.
 */
export async function fileBack(
  ctx: PassContext,
  { id, localPath, remotePath, changeId }: Extract<Action, { kind: "delete-remote" }>,
): Promise<HandEnd> {
  const { state, disk } = ctx.world;
  const link = state.link(id);
  if (link === null) return notDone(stale("its link went meanwhile"));
  // The plan names a free path where another file has taken the document's.
  const at = disk.look(link.localPath).kind === "absent" ? link.localPath : localPath;
  const text = state.text(link.localDigest);
  if (text === null) {
    const outcome = await createLocal(ctx, { kind: "create-local", why: WHY, id, localPath: at, remotePath, changeId });
    return { outcome, notes: [] };
  }
  const parents = ensureFolders(ctx, at);
  if (parents !== null) return notDone(parents);
  const made = disk.create(at, text);
  if (made.kind !== "done") return notDone(outcomeOfDisk(made));
  ctx.notes.toFlush.set(id, at);
  const outcome = commit(ctx, {
    event: { kind: "restore", side: "local", id, path: at, detail: WHY, after: link.localDigest },
  });
  return { outcome, notes: at === link.localPath ? [] : [`it is ${at} now: another file is at ${link.localPath}`] };
}

/** A folder that was removed here comes back, with the documents in it. */
export function folderBack(ctx: PassContext, path: LocalPath): HandEnd {
  const refused = ensureFolders(ctx, joinPath(path, "."));
  return { outcome: refused ?? DONE, notes: [] };
}

/** A folder that is gone there stays, and the next run makes it there as a new one. */
export function folderStays(ctx: PassContext, dirId: DirId): HandEnd {
  ctx.world.state.removeDir(dirId);
  return { outcome: DONE, notes: [] };
}

/**
 * A document that is gone from the service for good: its file stays, and the next run sends it as a
 * new document.
 */
export function staysAsNew(ctx: PassContext, { id, localPath }: Extract<Action, { kind: "trash-local" }>): HandEnd {
  const link = ctx.world.state.link(id);
  if (link === null) return notDone(stale("its link went meanwhile"));
  const { outcome, notes } = keepAsNew(ctx, { link, at: localPath }, ctx.world.state.conflict(id));
  return { outcome, notes: notes.slice(1) };
}

/**
 * A conflict whose sidecar was removed: the next run writes it again, as one that was about to be
 * replaced.
 */
export function otherVersionBack(ctx: PassContext, id: DocId): HandEnd {
  const { state } = ctx.world;
  const conflict = state.conflict(id);
  if (conflict === null) return notDone(stale("the conflict ended meanwhile"));
  state.putConflict({ ...conflict, sidecarIno: 0, looksGone: 0 });
  return { outcome: DONE, notes: [] };
}

/**
 * The service shows an earlier version, because it was put back from a backup. That version becomes
 * the base, so that the local text is an edit of it, which the next run sends.
 * @param earlier the version that it shows, whose text was seen
 */
export function newerTextBack(
  ctx: PassContext,
  id: DocId,
  earlier: { readonly changeId: ChangeId; readonly digest: Digest },
): HandEnd {
  const { state, disk } = ctx.world;
  const link = state.link(id);
  if (link === null) return notDone(stale("its link went meanwhile"));
  const look = disk.look(link.localPath);
  if (look.kind !== "file") return notDone(stale(`no file is at ${link.localPath}`));
  const base = { ...earlier, localDigest: earlier.digest, stamp: look.stamp, stampTrusted: false, durable: true };
  const outcome = commit(ctx, {
    link: moveBase(link, base),
    event: {
      kind: "restore",
      side: "both",
      id,
      path: link.localPath,
      detail: "the text here goes up over the earlier version that the service shows",
      before: earlier.digest,
      after: look.digest,
    },
  });
  return { outcome, notes: [] };
}
