import type { ActionOf, Outcome } from "../../model/action.ts";
import { isWithin, nameOf, parentOf, type RemotePath, rebase } from "../../model/path.ts";
import type { Answer, ParentRef } from "../../ports/remote.ts";
import type { Intent } from "../../ports/state.ts";
import { eventOf, makeHold, outcomeOfDisk, outcomeOfFault, stale } from "./effect.ts";
import { commit } from "./commit.ts";
import { settleIntent } from "../journal/settle-writes.ts";
import { fromService } from "../run/world.ts";
import type { PassContext } from "../run/pass-context.ts";
import { ensureFolders } from "./parents.ts";
import { folderAt, reasonOf, whereItIs } from "./place.ts";
import { judgeRefusedMove } from "./in-the-way.ts";

/** Moves a folder with all below it. */

export function moveFolderLocal(ctx: PassContext, action: ActionOf<"move-folder-local">): Outcome {
  const { disk, state } = ctx.world;
  const parents = ensureFolders(ctx, action.to);
  if (parents !== null) return parents;
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
  if (!action.temporary) ctx.notes.counts.movedLocal++;
  ctx.notes.movedHere.push({ from: action.from, to: action.to });
  for (const [id, path] of ctx.notes.toFlush)
    if (isWithin(path, action.from)) ctx.notes.toFlush.set(id, rebase(path, action.from, action.to));
  return commit(ctx, {
    closes: intentId,
    moved: { side: "local", from: action.from, to: action.to },
    event: eventOf(action, "local", { detail: `${action.why} (from ${action.from})`, from: action.from }),
  });
}

/**
 * Moves a folder on the service by one PATCH. If the deployment has no such route, that is
 * remembered, and the next plan moves file by file.
 */
export async function moveFolderRemote(
  ctx: PassContext,
  action: ActionOf<"rename-folder-remote" | "reparent-folder-remote">,
): Promise<Outcome> {
  const { remote, state } = ctx.world;
  const parent = action.kind === "reparent-folder-remote" ? await folderAt(ctx, parentOf(action.to)) : null;
  if (parent?.kind === "end") return parent.outcome;
  const intent = {
    kind: "patch-folder",
    dirId: action.dirId,
    from: action.from,
    to: action.to,
    stands: whereItIs(ctx, action.stands),
  } as const satisfies Intent;
  const intentId = state.openIntent(ctx.run, intent);
  const answer =
    parent === null
      ? await remote.renameFolder(action.dirId, nameOf(action.to))
      : await remote.moveFolder(action.dirId, parent.value);
  if (!answer.ok) return folderMoveFailed(ctx, action, parent?.value ?? null, intentId, intent, answer);
  const to = fromService(ctx.world, answer.value.path) ?? action.to;
  if (!action.temporary) ctx.notes.counts.movedRemote++;
  moveFolderIds(ctx, action.from, to);
  return commit(ctx, {
    closes: intentId,
    moved: { side: "remote", from: action.from, to },
    event: eventOf(action, "remote", {
      detail: `${action.why} (${action.from} → ${to})`,
      from: state.dir(action.dirId)?.localPath ?? null,
      requestId: answer.requestId,
    }),
  });
}

async function folderMoveFailed(
  ctx: PassContext,
  action: ActionOf<"rename-folder-remote" | "reparent-folder-remote">,
  parent: ParentRef | null,
  intentId: number,
  intent: Extract<Intent, { kind: "patch-folder" }>,
  answer: Extract<Answer<unknown>, { ok: false }>,
): Promise<Outcome> {
  const { fault } = answer;
  if (fault.kind === "uncertain") {
    const settled = await settleIntent(ctx, intentId, intent, fault);
    if (settled.kind === "done") moveFolderIds(ctx, action.from, action.to);
    return settled;
  }
  ctx.world.state.closeIntent(intentId);
  if (ctx.world.remote.traits().folderPatch === "no")
    return stale("this service cannot move a folder as one; its documents are moved one by one");
  const judged = await judgeRefusedMove(ctx, fault, action.to, action.dirId);
  if (judged.kind === "end") return judged.outcome;
  const { problem, taken } = judged.value;
  if (problem.status === 400 && parent?.kind === "root")
    return stale("this service cannot move a folder to the root; its documents are moved to a new folder in the root");
  return outcomeOfFault(
    problem,
    makeHold(ctx, {
      key: action.dirId,
      path: whereItIs(ctx, action.stands),
      reason: reasonOf(problem, taken !== null, false),
      code: problem.code,
      detail: taken?.detail ?? problem.detail,
      requestId: problem.requestId,
    }),
  );
}

function moveFolderIds(ctx: PassContext, from: RemotePath, to: RemotePath): void {
  const moved = [...ctx.notes.folderIds].filter(([path]) => isWithin(path, from));
  for (const [path] of moved) ctx.notes.folderIds.delete(path);
  for (const [path, id] of moved) ctx.notes.folderIds.set(rebase(path, from, to), id);
}
