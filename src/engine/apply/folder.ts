import type { FolderResource } from "../../contract/resources.ts";
import type { ActionOf, Outcome } from "../../model/action.ts";
import type { HoldReason } from "../../model/hold.ts";
import { inodeKey } from "../../planner/match/inode.ts";
import type { RemotePath } from "../../model/path.ts";
import type { Answer, Fault } from "../../ports/remote.ts";
import type { Intent } from "../../ports/state.ts";
import { judgeTaken, learnedNames, MORE_REFUSED, saysTaken } from "./in-the-way.ts";
import { ended, eventOf, type Got, got, makeHold, outcomeOfDisk, outcomeOfFault, stale } from "./effect.ts";
import { commit, commitWithOthers } from "./commit.ts";
import { settleIntent } from "../journal/settle-writes.ts";
import { toService, trashPlace } from "../run/world.ts";
import type { PassContext } from "../run/pass-context.ts";
import { linkFolder } from "./folder-link.ts";
import { ensureFolders } from "./parents.ts";
import { noteRefused, refusedBefore } from "./refused-before.ts";
import { didNotHappen } from "./unsettled.ts";

/**
 * Makes folders here. Those of one depth are made side by side and committed in one transaction,
 * for which the steps that put something into them wait.
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
    event: eventOf(action, "local"),
  } as const;
  return commitWithOthers(ctx, change, "soon");
}

export async function makeFolderRemote(ctx: PassContext, action: ActionOf<"make-folder-remote">): Promise<Outcome> {
  const { remote, state } = ctx.world;
  const path = toService(ctx.world, action.remotePath);
  const request = `folder ${path}`;
  const refused = refusedBefore(ctx, request, { key: action.localPath, path: action.localPath });
  if (refused !== null) return refused;
  const intent = {
    kind: "post-folder",
    localPath: action.localPath,
    remotePath: action.remotePath,
  } as const satisfies Intent;
  const intentId = state.openIntent(ctx.run, intent);
  const answer = await remote.createFolder(path);
  const made = answer.ok ? got(answer.value) : await findMade(ctx, path, answer.fault);
  if (made.kind === "end") return made.outcome;
  if (!answer.ok && made.value === null) {
    state.closeIntent(intentId);
    if (answer.fault.kind === "uncertain") return didNotHappen("write", answer.fault);
    return noteRefused(ctx, request, await refusedFolder(ctx, action, answer));
  }
  const link = made.value === null ? null : linkFolder(ctx, made.value.id, action.localPath, action.remotePath);
  if (link === null) {
    state.closeIntent(intentId);
    return stale("the folder went meanwhile");
  }
  return commit(ctx, {
    closes: intentId,
    dir: link,
    event: eventOf(action, "remote", { id: link.id, requestId: answer.ok ? answer.requestId : null }),
  });
}

/**
 * Looks for a folder that could not be made, because the answer was lost or somebody else had made
 * it.
 * @returns null where there is none
 */
async function findMade(ctx: PassContext, path: RemotePath, fault: Fault): Promise<Got<FolderResource | null>> {
  const isLost = fault.kind === "uncertain";
  if (!isLost && !(fault.kind === "problem" && fault.code === "path_already_exists")) return got(null);
  const found = await ctx.world.remote.findFolder(path);
  if (!found.ok && isLost) return ended(outcomeOfFault(fault));
  // If looking for it fails, the refusal stands: it is not sent again without a look (I08).
  return got(found.ok ? found.value : null);
}

async function refusedFolder(
  ctx: PassContext,
  { localPath, remotePath }: ActionOf<"make-folder-remote">,
  answer: Extract<Answer<unknown>, { ok: false }>,
): Promise<Outcome> {
  const { fault } = answer;
  if (fault.kind !== "problem") return outcomeOfFault(fault);
  if (learnedNames(ctx)) return stale(MORE_REFUSED);
  const isTaken = saysTaken(fault);
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

export function removeFolderLocal(ctx: PassContext, action: ActionOf<"remove-folder-local">): Outcome {
  const { disk } = ctx.world;
  const end = disk.removeFolder(action.localPath, trashPlace(ctx.world, action.localPath));
  if (end.kind !== "done") return outcomeOfDisk(end);
  return commit(ctx, {
    ...(action.dirId === null ? {} : { removes: { dir: action.dirId } }),
    event: eventOf(action, "local"),
  });
}

export async function removeFolderRemote(ctx: PassContext, action: ActionOf<"remove-folder-remote">): Promise<Outcome> {
  const { remote, state, disk } = ctx.world;
  if (disk.look(action.localPath).kind === "folder") return stale("the folder exists again");
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
  if (answer.ok || saysGone(answer.fault)) {
    ctx.notes.folderIds.delete(action.remotePath);
    return commit(ctx, {
      closes: intentId,
      removes: { dir: action.dirId },
      event: eventOf(action, "remote"),
    });
  }
  const { fault } = answer;
  if (fault.kind === "uncertain") {
    const settled = await settleIntent(ctx, intentId, intent, fault);
    if (settled.kind === "done") ctx.notes.folderIds.delete(action.remotePath);
    return settled;
  }
  state.closeIntent(intentId);
  return refusedRemoval(ctx, action, fault);
}

function saysGone(fault: Fault): boolean {
  return fault.kind === "problem" && fault.code === "folder_not_found";
}

function refusedRemoval(ctx: PassContext, action: ActionOf<"remove-folder-remote">, fault: Fault): Outcome {
  const { remote, state } = ctx.world;
  if (fault.kind !== "problem") return outcomeOfFault(fault);
  if (fault.code === "folder_not_empty") {
    // Something is in it that this key cannot read, or that came meanwhile: the folder is made here
    // again after the next listing.
    state.removeDir(action.dirId);
    return stale("the folder still holds something on the service, so it comes back");
  }
  const { code, detail, requestId } = fault;
  if (remote.traits().folderDelete === "no") return undeletable(ctx, action, code, requestId);
  const reason = code === "changes_in_review" ? "delete-pending" : "delete-refused";
  return heldFolder(ctx, action, { reason, code, detail, requestId });
}

/**
 * A deployment that cannot delete folders: the folder, deleted locally, stays there empty, and
 * nothing is sent again.
 */
function undeletable(
  ctx: PassContext,
  action: ActionOf<"remove-folder-remote">,
  code: string,
  requestId: string | null,
): Outcome {
  const detail = "this service cannot delete folders; the empty folder stays on the service";
  return heldFolder(ctx, action, { reason: "folder-stays", code, detail, requestId });
}

function heldFolder(
  ctx: PassContext,
  { dirId: key, localPath: path }: ActionOf<"remove-folder-remote">,
  why: {
    readonly reason: HoldReason;
    readonly code: string;
    readonly detail: string;
    readonly requestId: string | null;
  },
): Outcome {
  const { code, detail, requestId } = why;
  return { kind: "refused", code, detail, requestId, hold: makeHold(ctx, { key, path, ...why }) };
}

export function forgetFolder(ctx: PassContext, action: ActionOf<"forget-folder">): Outcome {
  ctx.world.state.removeDir(action.dirId);
  return { kind: "done" };
}
