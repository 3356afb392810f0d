import type { DirId, DocId } from "../../contract/ids.ts";
import type { FolderResource } from "../../contract/resources.ts";
import type { ActionOf, Outcome } from "../../model/action.ts";
import type { DirLink } from "../../model/link.ts";
import { inodeKey } from "../../planner/match/inode.ts";
import { isWithin, type LocalPath, type RemotePath, rebase } from "../../model/path.ts";
import type { Answer } from "../../ports/remote.ts";
import type { Intent } from "../../ports/state.ts";
import { movePlace } from "../../model/settle.ts";
import { judgeTaken, learnedNames } from "./in-the-way.ts";
import { makeHold, outcomeOfDisk, outcomeOfFault, stale } from "./effect.ts";
import { commit, commitWithOthers } from "./commit.ts";
import { settleIntent } from "../journal/settle-writes.ts";
import { toService, trashPlace } from "../run/world.ts";
import type { PassContext } from "../run/pass-context.ts";
import { ensureFolders } from "./parents.ts";
import { didNotHappen } from "../journal/unsettled.ts";

function linkFolder(ctx: PassContext, dirId: DirId, localPath: LocalPath, remotePath: RemotePath): DirLink | null {
  const look = ctx.world.disk.look(localPath);
  if (look.kind !== "folder") return null;
  ctx.notes.folderIds.set(remotePath, dirId);
  return { id: dirId, localPath, remotePath, dev: look.dev, ino: look.ino, birthMs: look.birthMs };
}

/**
 * Folders of one depth are made side by side, and are in one transaction: what is to go into them
 * waits for it.
 */
export async function makeFolderLocal(ctx: PassContext, action: ActionOf<"make-folder-local">): Promise<Outcome> {
  const { disk } = ctx.world;
  // A key that reads a folder need not read the one above it.
  const parents = ensureFolders(ctx, action.localPath);
  if (parents !== null) return parents;
  const made = disk.makeFolder(action.localPath);
  if (made.kind !== "done") return outcomeOfDisk(made);
  ctx.notes.made.add(inodeKey(made.value));
  ctx.notes.folderIds.set(action.remotePath, action.dirId);
  const change = {
    dir: { id: action.dirId, localPath: action.localPath, remotePath: action.remotePath, ...made.value },
    event: { kind: action.kind, side: "local", id: action.dirId, path: action.localPath, detail: action.why },
  } as const;
  return commitWithOthers(ctx, change, "soon");
}

export async function makeFolderRemote(ctx: PassContext, action: ActionOf<"make-folder-remote">): Promise<Outcome> {
  const { remote, state } = ctx.world;
  const path = toService(ctx.world, action.remotePath);
  const intent = {
    kind: "post-folder",
    localPath: action.localPath,
    remotePath: action.remotePath,
  } as const satisfies Intent;
  const intentId = state.openIntent(ctx.run, intent);
  const answer = await remote.createFolder(path);
  let made: FolderResource | null = answer.ok ? answer.value : null;
  if (!answer.ok) {
    const taken =
      answer.fault.kind === "uncertain" ||
      (answer.fault.kind === "problem" && answer.fault.code === "path_already_exists");
    if (taken) {
      const found = await remote.findFolder(path);
      if (!found.ok && answer.fault.kind === "uncertain") return outcomeOfFault(answer.fault);
      // A refusal stands when the question by what fails: it is not sent again unread (I08).
      made = found.ok ? found.value : null;
    }
    if (made === null) {
      state.closeIntent(intentId);
      return refusedFolder(ctx, action, answer);
    }
  }
  const link = made === null ? null : linkFolder(ctx, made.id, action.localPath, action.remotePath);
  if (link === null) {
    state.closeIntent(intentId);
    return stale("the folder went meanwhile");
  }
  return commit(ctx, {
    closes: intentId,
    dir: link,
    event: {
      kind: action.kind,
      side: "remote",
      id: link.id,
      path: action.localPath,
      detail: action.why,
      requestId: answer.ok ? answer.requestId : null,
    },
  });
}

async function refusedFolder(
  ctx: PassContext,
  { localPath, remotePath }: ActionOf<"make-folder-remote">,
  answer: Extract<Answer<unknown>, { ok: false }>,
): Promise<Outcome> {
  const { fault } = answer;
  if (fault.kind !== "problem") return outcomeOfFault(fault);
  if (learnedNames(ctx)) return stale("the service refuses more characters in names than was known");
  const isTaken = fault.code === "path_already_exists" || fault.code === "type_mismatch";
  const taken = isTaken ? await judgeTaken(ctx, remotePath, null) : null;
  if (taken?.kind === "stale") return stale(taken.detail);
  const reason = isTaken ? "occupied-unseen" : fault.status === 403 ? "read-only" : "refused";
  return outcomeOfFault(
    fault,
    makeHold(ctx, {
      key: localPath,
      path: localPath,
      reason,
      code: fault.code,
      detail: taken?.detail ?? fault.detail,
      requestId: fault.requestId,
    }),
  );
}

/**
 * Base learns where a folder stands, and with it what is below: whoever moved it there, its
 * documents stayed where they are in it.
 */
export function linkFolderBoth(ctx: PassContext, action: ActionOf<"link-folder">): Outcome {
  const { state } = ctx.world;
  const link = linkFolder(ctx, action.dirId, action.localPath, action.remotePath);
  if (link === null) return stale("the folder went meanwhile");
  state.transact(() => {
    const before = state.dir(action.dirId);
    if (before !== null && action.carries === null) carryAll(ctx, before, link);
    for (const id of before === null ? [] : (action.carries ?? [])) carryOne(ctx, id, before!, link);
    state.putDir(link);
  });
  return { kind: "done" };
}

function carryAll({ world: { state } }: PassContext, from: DirLink, to: DirLink): void {
  if (from.localPath !== to.localPath) state.moveMembers("local", from.localPath, to.localPath, from.remotePath);
  if (from.remotePath !== to.remotePath) state.moveMembers("remote", from.remotePath, to.remotePath, to.localPath);
}

/** A document with the sidecar beside it, as far as base has them in the folder. */
function carryOne({ world: { state } }: PassContext, id: DocId, from: DirLink, to: DirLink): void {
  const carry = (side: "localPath" | "remotePath", path: string): string =>
    isWithin(path, from[side]) ? rebase(path, from[side], to[side]) : path;
  const [link, conflict] = [state.link(id), state.conflict(id)];
  if (link !== null) {
    const localPath = carry("localPath", link.localPath);
    state.putLink(movePlace(link, { localPath, remotePath: carry("remotePath", link.remotePath) }));
  }
  if (conflict !== null) state.putConflict({ ...conflict, sidecarPath: carry("localPath", conflict.sidecarPath) });
}

export function removeFolderLocal(ctx: PassContext, action: ActionOf<"remove-folder-local">): Outcome {
  const { disk } = ctx.world;
  const end = disk.removeFolder(action.localPath, trashPlace(ctx.world, action.localPath));
  if (end.kind !== "done") return outcomeOfDisk(end);
  return commit(ctx, {
    ...(action.dirId === null ? {} : { removes: { dir: action.dirId } }),
    event: { kind: action.kind, side: "local", id: action.dirId, path: action.localPath, detail: action.why },
  });
}

export async function removeFolderRemote(ctx: PassContext, action: ActionOf<"remove-folder-remote">): Promise<Outcome> {
  const { remote, state, disk } = ctx.world;
  if (disk.look(action.localPath).kind === "folder") return stale("the folder is there again");
  if (remote.traits().folderDelete === "no") return undeletable(ctx, action, "folder_delete_unsupported", null);
  const intent = {
    kind: "delete-folder",
    dirId: action.dirId,
    remotePath: action.remotePath,
  } as const satisfies Intent;
  const open = state.intents().some((one) => one.intent.kind === intent.kind && one.intent.dirId === intent.dirId);
  if (open) return stale("whether an earlier deletion of it was done is not known yet");
  const intentId = state.openIntent(ctx.run, intent);
  const answer = await remote.deleteFolder(action.dirId);
  const gone = !answer.ok && answer.fault.kind === "problem" && answer.fault.code === "folder_not_found";
  if (answer.ok || gone) {
    ctx.notes.folderIds.delete(action.remotePath);
    return commit(ctx, {
      closes: intentId,
      removes: { dir: action.dirId },
      event: { kind: action.kind, side: "remote", id: action.dirId, path: action.localPath, detail: action.why },
    });
  }
  const { fault } = answer;
  if (fault.kind === "uncertain") {
    const settled = await settleIntent(ctx, intentId, intent);
    if (settled.kind !== "done") return settled;
    if (state.dir(action.dirId) !== null) return didNotHappen("deletion", fault);
    ctx.notes.folderIds.delete(action.remotePath);
    return settled;
  }
  state.closeIntent(intentId);
  if (fault.kind !== "problem") return outcomeOfFault(fault);
  if (fault.code === "folder_not_empty") {
    // Something is in it that this key cannot read, or that came meanwhile: the folder comes back
    // and is listed again.
    state.removeDir(action.dirId);
    return stale("the folder still holds something on the service, so it comes back");
  }
  if (remote.traits().folderDelete === "no") return undeletable(ctx, action, fault.code, fault.requestId);
  const { detail } = fault;
  const hold = makeHold(ctx, {
    key: action.dirId,
    path: action.localPath,
    reason: "delete-refused",
    code: fault.code,
    detail,
    requestId: fault.requestId,
  });
  return { kind: "refused", code: fault.code, detail, requestId: fault.requestId, hold };
}

/**
 * A deployment without that route: the empty folder stays there, deleted here, and nothing is sent
 * again.
 */
function undeletable(
  ctx: PassContext,
  action: ActionOf<"remove-folder-remote">,
  code: string,
  requestId: string | null,
): Outcome {
  const detail = "this service cannot delete folders; the empty folder stays there";
  const hold = makeHold(ctx, {
    key: action.dirId,
    path: action.localPath,
    reason: "folder-stays",
    code,
    detail,
    requestId,
  });
  return { kind: "refused", code, detail, requestId, hold };
}

export function forgetFolder(ctx: PassContext, action: ActionOf<"forget-folder">): Outcome {
  ctx.world.state.removeDir(action.dirId);
  return { kind: "done" };
}
