import type { DirId } from "../../contract/ids.ts";
import type { FolderResource } from "../../contract/resources.ts";
import type { Action, Outcome } from "../../core/action.ts";
import type { DirLink } from "../../core/link.ts";
import { ancestorsOf, isWithin, type LocalPath, nameOf, parentOf, type RemotePath, rebase } from "../../core/path.ts";
import type { Answer } from "../../core/ports/remote.ts";
import type { Intent } from "../../core/ports/state.ts";
import { commit, makeHold, outcomeOfDisk, outcomeOfFault, stale } from "../effect.ts";
import { settleIntent } from "../settle-writes.ts";
import { fromService, type PassContext, toService, trashPlace } from "../world.ts";
import { folderAt } from "./place.ts";

type Of<Kind extends Action["kind"]> = Extract<Action, { kind: Kind }>;

/** Makes the folders above a path that are not there (a document that comes back after its folder was deleted). */
export function ensureFolders(ctx: PassContext, path: LocalPath): Outcome | null {
  for (const folder of ancestorsOf(path)) {
    if (ctx.world.disk.look(folder).kind !== "absent") continue;
    const made = ctx.world.disk.makeFolder(folder);
    if (made.kind !== "done") return outcomeOfDisk(made);
  }
  return null;
}

function linkFolder(ctx: PassContext, dirId: DirId, localPath: LocalPath, remotePath: RemotePath): DirLink | null {
  const look = ctx.world.disk.look(localPath);
  if (look.kind !== "folder") return null;
  ctx.folderIds.set(remotePath, dirId);
  return { id: dirId, localPath, remotePath, dev: look.dev, ino: look.ino, birthMs: look.birthMs };
}

export function makeFolderLocal(ctx: PassContext, action: Of<"make-folder-local">): Outcome {
  const { disk, state } = ctx.world;
  const made = disk.makeFolder(action.localPath);
  if (made.kind !== "done") return outcomeOfDisk(made);
  ctx.folderIds.set(action.remotePath, action.dirId);
  return commit(ctx, {
    also: () =>
      state.putDir({ id: action.dirId, localPath: action.localPath, remotePath: action.remotePath, ...made.value }),
    event: { kind: action.kind, side: "local", id: action.dirId, path: action.localPath, detail: action.why },
  });
}

export async function makeFolderRemote(ctx: PassContext, action: Of<"make-folder-remote">): Promise<Outcome> {
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
      if (!found.ok)
        return answer.fault.kind === "uncertain" ? outcomeOfFault(answer.fault) : outcomeOfFault(found.fault);
      made = found.value;
    }
    if (made === null) {
      state.closeIntent(intentId);
      return refusedFolder(ctx, action.localPath, answer);
    }
  }
  const link = made === null ? null : linkFolder(ctx, made.id, action.localPath, action.remotePath);
  if (link === null) {
    state.closeIntent(intentId);
    return stale("the folder went meanwhile");
  }
  return commit(ctx, {
    closes: intentId,
    also: () => state.putDir(link),
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

function refusedFolder(
  ctx: PassContext,
  localPath: LocalPath,
  answer: Extract<Answer<unknown>, { ok: false }>,
): Outcome {
  const { fault } = answer;
  if (fault.kind !== "problem") return outcomeOfFault(fault);
  if (ctx.world.remote.traits().refusedCharacters !== ctx.refusedAtStart)
    return stale("the service refuses more characters in names than was known");
  const taken = fault.code === "path_already_exists" || fault.code === "type_mismatch";
  const reason = taken ? "occupied-unseen" : fault.status === 403 ? "read-only" : "refused";
  return outcomeOfFault(
    fault,
    makeHold(ctx, {
      key: localPath,
      path: localPath,
      reason,
      code: fault.code,
      detail: fault.detail,
      requestId: fault.requestId,
    }),
  );
}

/** Base learns where a folder stands, and with it what is below: whoever moved it there, its documents stayed where they are in it. */
export function linkFolderBoth(ctx: PassContext, action: Of<"link-folder">): Outcome {
  const { state } = ctx.world;
  const link = linkFolder(ctx, action.dirId, action.localPath, action.remotePath);
  if (link === null) return stale("the folder went meanwhile");
  state.transact(() => {
    const before = state.dir(action.dirId);
    if (before !== null && before.localPath !== action.localPath)
      state.moveMembers("local", before.localPath, action.localPath, before.remotePath);
    if (before !== null && before.remotePath !== action.remotePath)
      state.moveMembers("remote", before.remotePath, action.remotePath, action.localPath);
    state.putDir(link);
  });
  return { kind: "done" };
}

export function moveFolderLocal(ctx: PassContext, action: Of<"move-folder-local">): Outcome {
  const { disk, state } = ctx.world;
  const intentId = state.openIntent(ctx.run, {
    kind: "move-folder",
    dirId: action.dirId,
    from: action.from,
    to: action.to,
  });
  const end = disk.moveFolder(action.from, action.to);
  if (end.kind !== "done") {
    state.closeIntent(intentId);
    return outcomeOfDisk(end);
  }
  if (!action.temporary) ctx.counts.movedLocal++;
  for (const [id, path] of ctx.toFlush)
    if (isWithin(path, action.from)) ctx.toFlush.set(id, rebase(path, action.from, action.to));
  return commit(ctx, {
    closes: intentId,
    also: () => state.moveSubtree("local", action.from, action.to),
    event: {
      kind: action.kind,
      side: "local",
      id: action.dirId,
      path: action.to,
      detail: `${action.why} (from ${action.from})`,
    },
  });
}

/** One PATCH for a folder and all below it. A deployment without that route is remembered; the next plan moves file by file. */
export async function moveFolderRemote(
  ctx: PassContext,
  action: Of<"rename-folder-remote" | "reparent-folder-remote">,
): Promise<Outcome> {
  const { remote, state } = ctx.world;
  const parent = action.kind === "reparent-folder-remote" ? await folderAt(ctx, parentOf(action.to)) : null;
  if (parent?.kind === "end") return parent.outcome;
  const intent = {
    kind: "patch-folder",
    dirId: action.dirId,
    from: action.from,
    to: action.to,
  } as const satisfies Intent;
  const intentId = state.openIntent(ctx.run, intent);
  const answer =
    parent === null
      ? await remote.renameFolder(action.dirId, nameOf(action.to))
      : await remote.moveFolder(action.dirId, parent.value);
  if (!answer.ok) return folderMoveFailed(ctx, action, intentId, intent, answer);
  const to = fromService(ctx.world, answer.value.path) ?? action.to;
  if (!action.temporary) ctx.counts.movedRemote++;
  moveFolderIds(ctx, action.from, to);
  return commit(ctx, {
    closes: intentId,
    also: () => state.moveSubtree("remote", action.from, to),
    event: {
      kind: action.kind,
      side: "remote",
      id: action.dirId,
      path: action.to,
      detail: `${action.why} (${action.from} → ${to})`,
      requestId: answer.requestId,
    },
  });
}

async function folderMoveFailed(
  ctx: PassContext,
  action: Of<"rename-folder-remote" | "reparent-folder-remote">,
  intentId: number,
  intent: Extract<Intent, { kind: "patch-folder" }>,
  answer: Extract<Answer<unknown>, { ok: false }>,
): Promise<Outcome> {
  const { fault } = answer;
  if (fault.kind === "uncertain") {
    const settled = await settleIntent(ctx, intentId, intent);
    if (settled.kind !== "done") return settled;
    const moved = ctx.world.state.load().dirs.get(action.dirId)?.remotePath === action.to;
    if (moved) moveFolderIds(ctx, action.from, action.to);
    return moved ? settled : stale("the move did not happen");
  }
  ctx.world.state.closeIntent(intentId);
  if (ctx.world.remote.traits().folderPatch === "no")
    return stale("this service cannot move a folder as one; its documents are moved one by one");
  if (fault.kind !== "problem" || fault.code === "path_already_exists")
    return fault.kind === "problem" ? stale("something is at that path on the service") : outcomeOfFault(fault);
  const reason =
    fault.status === 403
      ? "read-only"
      : fault.status === 400 && parentOf(action.to) === ""
        ? "no-move-to-root"
        : "refused";
  return outcomeOfFault(
    fault,
    makeHold(ctx, {
      key: action.dirId,
      path: action.from,
      reason,
      code: fault.code,
      detail: fault.detail,
      requestId: fault.requestId,
    }),
  );
}

function moveFolderIds(ctx: PassContext, from: RemotePath, to: RemotePath): void {
  const moved = [...ctx.folderIds].filter(([path]) => isWithin(path, from));
  for (const [path] of moved) ctx.folderIds.delete(path);
  for (const [path, id] of moved) ctx.folderIds.set(rebase(path, from, to), id);
}

export function removeFolderLocal(ctx: PassContext, action: Of<"remove-folder-local">): Outcome {
  const { disk, state } = ctx.world;
  const end = disk.removeFolder(action.localPath, trashPlace(ctx.world, action.localPath));
  if (end.kind !== "done") return outcomeOfDisk(end);
  return commit(ctx, {
    also: () => state.removeDir(action.dirId),
    event: { kind: action.kind, side: "local", id: action.dirId, path: action.localPath, detail: action.why },
  });
}

export async function removeFolderRemote(ctx: PassContext, action: Of<"remove-folder-remote">): Promise<Outcome> {
  const { remote, state, disk } = ctx.world;
  if (disk.look(action.localPath).kind === "folder") return stale("the folder is there again");
  if (remote.traits().folderDelete === "no") return undeletable(ctx, action, "folder_delete_unsupported", null);
  const intent = {
    kind: "delete-folder",
    dirId: action.dirId,
    remotePath: action.remotePath,
  } as const satisfies Intent;
  const intentId = state.openIntent(ctx.run, intent);
  const answer = await remote.deleteFolder(action.dirId);
  const gone = !answer.ok && answer.fault.kind === "problem" && answer.fault.code === "folder_not_found";
  if (answer.ok || gone) {
    ctx.folderIds.delete(action.remotePath);
    return commit(ctx, {
      closes: intentId,
      also: () => state.removeDir(action.dirId),
      event: { kind: action.kind, side: "remote", id: action.dirId, path: action.localPath, detail: action.why },
    });
  }
  const { fault } = answer;
  // Nothing of ours is in it, and nothing more than it can be lost: the next listing shows whether it is still there.
  state.closeIntent(intentId);
  if (fault.kind !== "problem") return outcomeOfFault(fault);
  if (fault.code === "folder_not_empty") {
    // Something is in it that this key cannot read, or that came meanwhile: the folder comes back and is listed again.
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

/** A deployment without that route: the empty folder stays there, deleted here, and nothing is sent again. */
function undeletable(
  ctx: PassContext,
  action: Of<"remove-folder-remote">,
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

export function forgetFolder(ctx: PassContext, action: Of<"forget-folder">): Outcome {
  ctx.world.state.removeDir(action.dirId);
  return { kind: "done" };
}
