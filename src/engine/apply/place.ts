import type { ActionOf, Outcome } from "../../model/action.ts";
import type { HoldReason } from "../../model/hold.ts";
import { type Hold, type Link, type Stamp, sameInodeAndBirth } from "../../model/link.ts";
import { isWithin, type LocalPath, nameOf, parentOf, type RemotePath, rebase } from "../../model/path.ts";
import type { Answer, Fault, ParentRef, WrittenFile } from "../../ports/remote.ts";
import type { Intent } from "../../ports/state.ts";
import { movePlace, renameVersion } from "../../model/settle.ts";
import { ended, eventOf, type Got, got, makeHold, outcomeOfDisk, outcomeOfFault, stale } from "./effect.ts";
import { commit } from "./commit.ts";
import { settleIntent } from "../journal/settle-writes.ts";
import { fromService, recordEvent, toService } from "../run/world.ts";
import type { PassContext } from "../run/pass-context.ts";
import { ensureFolders } from "./parents.ts";
import { moveRequest, noteRefused, refusedBefore } from "./refused-before.ts";
import { idOfBaseText } from "./read-back.ts";
import { judgeRefusedMove } from "./in-the-way.ts";

export function moveLocal(ctx: PassContext, action: ActionOf<"move-local">): Outcome {
  const { disk, state } = ctx.world;
  const link = state.link(action.id);
  if (link === null) return stale("its link went meanwhile");
  const parents = ensureFolders(ctx, action.to);
  if (parents !== null) return parents;
  const intentId = state.openIntent(ctx.run, { kind: "move", id: action.id, from: action.from, to: action.to });
  // The text may have been edited since the plan: a move takes it along whatever it is.
  const end = disk.move(action.from, action.to, null);
  if (end.kind !== "done") {
    // The file has both names: recovery completes the move.
    if (!end.parked) state.closeIntent(intentId);
    return outcomeOfDisk(end);
  }
  if (!action.temporary) ctx.notes.counts.movedLocal++;
  return commit(ctx, {
    link: { ...movePlace(link, { localPath: action.to }), stamp: end.value.stamp, stampTrusted: false },
    closes: intentId,
    ...heldAt(ctx, action),
    event: eventOf(action, "local", { detail: `${action.why} (from ${action.from})`, from: action.from }),
  });
}

/**
 * The hold of what was moved, at its new path: links to it lead where its hold says that it is. One
 * that concerns a place alone ends at another.
 */
function heldAt({ notes, world }: PassContext, { id, from, to }: ActionOf<"move-local">): { hold?: Hold } {
  if (!notes.held.has(id)) return {};
  const hold = world.state.holds().find(({ key, path }) => key === id && path === from);
  return hold === undefined || (hold.digest ?? hold.changeId) === null ? {} : { hold: { ...hold, path: to } };
}

/** Changes a document's name or folder on the service by one PATCH, and commits its new place. */
export async function moveRemote(
  ctx: PassContext,
  action: ActionOf<"rename-remote" | "reparent-remote">,
): Promise<Outcome> {
  const { remote, state } = ctx.world;
  const link = state.link(action.id);
  if (link === null) return stale("its link went meanwhile");
  const parent = action.kind === "reparent-remote" ? await folderAt(ctx, parentOf(action.to)) : null;
  if (parent?.kind === "end") return parent.outcome;
  const request = moveRequest(link, action, parent?.value ?? null);
  const stands = whereItIs(ctx, action.stands);
  const refused = refusedBefore(ctx, request, { key: action.id, path: stands });
  if (refused !== null) return refused;
  const { id, from, to } = action;
  const intent = { kind: "patch", id, from, to, stands } as const satisfies Intent;
  const intentId = state.openIntent(ctx.run, intent);
  const answer =
    parent === null
      ? await remote.renameFile(action.id, nameOf(action.to))
      : await remote.moveFile(action.id, parent.value);
  if (answer.ok) return landMove(ctx, action, intentId, answer);
  if (answer.fault.kind === "uncertain") return settleIntent(ctx, intentId, intent, answer.fault);
  state.closeIntent(intentId);
  return noteRefused(ctx, request, await refusedMove(ctx, action, parent?.value ?? null, answer.fault));
}

async function refusedMove(
  ctx: PassContext,
  action: ActionOf<"rename-remote" | "reparent-remote">,
  parent: ParentRef | null,
  fault: Fault,
): Promise<Outcome> {
  const judged = await judgeRefusedMove(ctx, fault, action.to, action.id);
  if (judged.kind === "end") return judged.outcome;
  const { problem, taken } = judged.value;
  const rootRefused = parent?.kind === "root" && problem.status === 400;
  const hold = makeHold(ctx, {
    key: action.id,
    path: whereItIs(ctx, action.stands),
    reason: reasonOf(problem, taken !== null, rootRefused),
    code: problem.code,
    detail: rootRefused
      ? "this service cannot move a document to the root; its edits still travel"
      : (taken?.detail ?? problem.detail),
    requestId: problem.requestId,
  });
  return outcomeOfFault(problem, hold);
}

/**
 * Where a file is now that was at a path when the plan was made. RACE: a folder above it may have
 * moved locally during the request, and a block at the old path would end immediately (I08).
 */
export function whereItIs(ctx: PassContext, stood: LocalPath): LocalPath {
  let path = stood;
  for (const { from, to } of ctx.notes.movedHere) if (isWithin(path, from)) path = rebase(path, from, to);
  return path;
}

/**
 * The reason of the hold for a refused move.
 * @param taken whether its path is taken by something that no look shows
 * @param toRoot whether it led to the root
 */
export function reasonOf({ status }: { readonly status: number }, taken: boolean, toRoot: boolean): HoldReason {
  if (taken) return "occupied-unseen";
  if (toRoot) return "no-move-to-root";
  return status === 403 ? "read-only" : "refused";
}

async function landMove(
  ctx: PassContext,
  action: ActionOf<"rename-remote" | "reparent-remote">,
  intentId: number,
  answer: Extract<Answer<WrittenFile>, { ok: true }>,
): Promise<Outcome> {
  const { state } = ctx.world;
  const link = state.link(action.id);
  if (link === null) return stale("its link went meanwhile");
  const remotePath = fromService(ctx.world, answer.value.path) ?? action.to;
  const known = await idOfBaseText(ctx, link, answer.value);
  // Read again: an effect on its text may have ended during that request.
  const current = state.link(action.id);
  if (current === null) return stale("its link went meanwhile");
  // Only another folder was asked for: the name is somebody's rename. Base gets the place without
  // it, so that the next pass sees it.
  const isRenamedThere = action.kind === "reparent-remote" && nameOf(remotePath) !== nameOf(action.to);
  const moved = movePlace(current, { remotePath: isRenamedThere ? action.to : remotePath });
  // On a deployment that gives a new change id on a rename, the same text has a new id. If the text
  // is another one, or an effect on it ended during the request, the old id stays, and the next
  // pass reads the document. ORDER: the id that was read with the text, not the one that the move
  // was answered with: a PUT may have been saved and noted between the two.
  const hasNewId = known !== null && current.changeId === link.changeId;
  const now = hasNewId ? renameVersion(moved, known) : moved;
  if (!action.temporary) ctx.notes.counts.movedRemote++;
  const done = commit(ctx, {
    link: now,
    ...newVersion(current, now),
    closes: intentId,
    event: eventOf(action, "remote", {
      path: link.localPath,
      detail: `${action.why} (${action.from} → ${remotePath})`,
      from: current.localPath,
      remoteMove: { from: action.from, to: remotePath },
      requestId: answer.requestId,
    }),
  });
  if (isRenamedThere) return stale("it was renamed on the service meanwhile");
  if (nameOf(remotePath) !== nameOf(action.to)) return renamedOtherwise(ctx, action, remotePath, answer.requestId);
  // The move is done, but not the document: another pass must look at the version that was seen.
  return now.changeId === known ? done : stale("it has another version on the service by now");
}

function newVersion(
  before: Link,
  { id, changeId, digest }: Link,
): { version?: Pick<Link, "id" | "changeId" | "digest"> } {
  return changeId === before.changeId ? {} : { version: { id, changeId, digest } };
}

/**
 * The service answered that the move is done, but gave another name: asking again would give the
 * same (I08).
 */
function renamedOtherwise(
  ctx: PassContext,
  action: ActionOf<"rename-remote" | "reparent-remote">,
  remotePath: RemotePath,
  requestId: string | null,
): Outcome {
  const [asked, given] = [nameOf(action.to), nameOf(remotePath)].map((name) => JSON.stringify(name));
  const detail = `the service changed the requested name ${asked} to ${given}`;
  const path = whereItIs(ctx, action.stands);
  const hold = makeHold(ctx, { key: action.id, path, reason: "refused", code: null, detail, requestId });
  return { kind: "refused", code: "renamed-otherwise", detail, requestId, hold };
}

/** The id of a folder by its path below the prefix, as a request names a parent. */
export async function folderAt(ctx: PassContext, path: RemotePath): Promise<Got<ParentRef>> {
  const whole = toService(ctx.world, path);
  if (whole === "") return got({ kind: "root" });
  const known = ctx.notes.folderIds.get(path);
  if (known !== undefined) return got({ kind: "folder", id: known });
  const found = await ctx.world.remote.findFolder(whole);
  if (!found.ok) return ended(outcomeOfFault(found.fault));
  if (found.value === null) return ended(stale(`the folder ${path} does not exist on the service`));
  ctx.notes.folderIds.set(path, found.value.id);
  return got({ kind: "folder", id: found.value.id });
}

/**
 * The stamp of a file that was found at another place than base's. If this pass has written it
 * since the walk, the link has the newer stamp: an older one would name another inode, and the
 * document would not be recognised.
 */
function stampAt(ctx: PassContext, path: LocalPath, known: Stamp | null): Stamp | null {
  const walked = ctx.notes.local?.files.get(path)?.stamp ?? null;
  if (walked === null || (known !== null && sameInodeAndBirth(known, walked))) return walked ?? known;
  const now = ctx.world.disk.look(path);
  return now.kind === "file" && known !== null && sameInodeAndBirth(known, now.stamp) ? known : walked;
}

/** Both sides have it at these places already: only base is changed. */
export function relink(ctx: PassContext, action: ActionOf<"relink">): Outcome {
  const { state } = ctx.world;
  const link = state.link(action.id);
  if (link === null) return stale("its link went meanwhile");
  const stamp = link.localPath === action.localPath ? link.stamp : stampAt(ctx, action.localPath, link.stamp);
  state.transact(() => {
    state.putLink({
      ...movePlace(link, { localPath: action.localPath, remotePath: action.remotePath }),
      stamp,
      stampTrusted: false,
    });
    recordEvent(
      ctx.world,
      ctx.run,
      eventOf(action, "both", {
        detail: `${action.why} (on the service: ${action.remotePath})`,
        from: link.localPath === action.localPath ? null : link.localPath,
      }),
    );
  });
  return { kind: "done" };
}
