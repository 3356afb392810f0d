import { mapName } from "../contract/names.ts";
import type { Outcome } from "../core/action.ts";
import { type Conflict, type Link, linksByPath } from "../core/link.ts";
import { joinPath, type LocalPath, nameOf, parentOf, type RemotePath } from "../core/path.ts";
import type { Intent } from "../core/ports/state.ts";
import { bury } from "../core/settle.ts";
import { type HandEnd, keepText, keptNote, notDone } from "./by-hand.ts";
import { createLocal } from "./apply/download.ts";
import { ensureFolders } from "./apply/parents.ts";
import { deleteRemote, trashLocal } from "./apply/presence.ts";
import { createRemote } from "./apply/create-remote.ts";
import { commit, endLink, fetchText, outcomeOfFault, stale } from "./effect.ts";
import { dropSidecar, type Placed } from "./resolve.ts";
import { settleIntent } from "./settle-writes.ts";
import { type PassContext, recordEvent } from "./world.ts";

/** Holds about a document's presence or place, ended by a person. */

/** Its file was renamed to a name that is not mirrored, and the user means: delete it on the service. Read again first, as any deletion. */
export async function deleteThere(ctx: PassContext, link: Link): Promise<HandEnd> {
  const { id, localPath, remotePath, changeId } = link;
  const why = "renamed out of the mirror; deleted by hand";
  const outcome = await deleteRemote(ctx, { kind: "delete-remote", why, id, localPath, remotePath, changeId });
  if (outcome.kind === "done") ctx.world.state.removeHold(id);
  return { outcome, notes: [] };
}

/** …or: keep it. The service's text comes back under its old name; the renamed file is left alone. */
export async function bringBack(ctx: PassContext, link: Link): Promise<HandEnd> {
  const { id, localPath, remotePath, changeId } = link;
  const parents = ensureFolders(ctx, localPath);
  if (parents !== null) return notDone(parents);
  const why = "renamed out of the mirror; kept by hand";
  const outcome = await createLocal(ctx, { kind: "create-local", why, id, localPath, remotePath, changeId });
  if (outcome.kind === "done") ctx.world.state.removeHold(id);
  return { outcome, notes: [] };
}

/** Gone from the service, no longer readable, or moved out of the mirrored part; edited here: the edit goes to the trash. */
export function dropHere(ctx: PassContext, { link, at }: Placed, conflict: Conflict | null): HandEnd {
  const digest = keepText(ctx, at);
  if (digest === null) return notDone(stale(`no file is at ${at}`));
  const cause = link.standing === "outside" ? "outside" : "gone";
  const why = "dropped by hand";
  const outcome = trashLocal(ctx, {
    kind: "trash-local",
    why,
    id: link.id,
    localPath: at,
    expect: digest,
    cause,
  });
  if (outcome.kind !== "done") return { outcome, notes: [] };
  ctx.world.state.removeHold(link.id);
  return { outcome, notes: ["your text is kept in .mdmirror/trash", ...dropOther(ctx, conflict)] };
}

/** …or: the local text stays, and the next run sends it as a new document. */
export function keepAsNew(ctx: PassContext, { link, at }: Placed, conflict: Conflict | null): HandEnd {
  const { state } = ctx.world;
  const digest = keepText(ctx, at);
  if (digest === null) return notDone(stale(`no file is at ${at}`));
  const outcome = commit(ctx, {
    also: () => {
      endLink(ctx, link, null);
      state.removeHold(link.id);
    },
    event: {
      kind: "forget",
      side: "both",
      id: link.id,
      path: at,
      detail: "kept by hand: its text goes up as a new document",
      before: link.digest,
    },
  });
  const note = "it goes up as a new document, with a new id and no history there";
  return { outcome, notes: [note, ...dropOther(ctx, conflict)] };
}

/**
 * ORDER: after the link and the conflict ended. A `(theirs)` file that a crash leaves belongs to nothing; a conflict without its file would end as mine.
 * @returns what to tell of it
 */
function dropOther(ctx: PassContext, conflict: Conflict | null): readonly string[] {
  const dropped = conflict === null ? null : dropSidecar(ctx, conflict);
  if (dropped === null) return [];
  return dropped.kind === "end" ? [`${conflict!.sidecarPath} stays`] : keptNote("the other version", dropped.value);
}

/**
 * A move to the root, which this service cannot do: a new document at the new place, then the old one is deleted.
 * ORDER: the old link goes before the POST: at no moment are two ids linked to one file (I11). Killed in between, the file is an unlinked one
 * that the next pass sends as new, and the old document comes down again beside it: two documents rather than none.
 */
export async function recreate(ctx: PassContext, { link, at: path }: Placed): Promise<HandEnd> {
  const { state, clock } = ctx.world;
  const remotePath = placeOf(ctx, path);
  if (remotePath === null) return notDone(stale(`the service would refuse the name ${nameOf(path)}`));
  const expect = keepText(ctx, path);
  if (expect === null) return notDone(stale(`no file is at ${path}`));
  const old = await fetchText(ctx, link.id, path);
  if (old.kind === "end") return notDone(old.outcome);
  const { file } = old.value;
  if (file.lastChangeId !== link.changeId) return notDone(stale("it was edited on the service: sync first"));
  if (file.protected) return notDone(stale("it is protected on the service, so the old document could not be deleted"));
  state.transact(() => {
    state.putTombstone(bury(link, null, clock.now()));
    state.removeLink(link.id);
  });
  const why = "made anew by hand, as the service cannot move it to the root";
  const made = await createRemote(ctx, {
    kind: "create-remote",
    why,
    localPath: path,
    remotePath,
    expect,
    tombstone: null,
  });
  const created = linksByPath(state.load().links.values()).get(path);
  if (created === undefined) {
    const open = state.intents().some(({ intent }) => intent.kind === "post" && intent.localPath === path);
    // It may have happened: the next run looks, and links what it finds.
    if (open) return notDone(made);
    state.transact(() => {
      state.putLink(link);
      state.removeTombstone(link.id);
    });
    return notDone(made);
  }
  state.removeHold(link.id);
  const deleted = await deleteOld(ctx, link);
  return { outcome: made, notes: [`new document ${created.id} at ${remotePath}; ${deleted}`] };
}

function placeOf(ctx: PassContext, path: LocalPath): RemotePath | null {
  const name = mapName(nameOf(path), "file", ctx.world.remote.traits().refusedCharacters);
  return name === null ? null : joinPath(parentOf(path), name);
}

/** Read again, then DELETE. @returns how it ended, as a clause */
async function deleteOld(ctx: PassContext, link: Link): Promise<string> {
  const { remote, state } = ctx.world;
  const stays = (why: string) =>
    `the old one (${link.id}) stays at ${link.remotePath}, ${why}; the next sync brings it here`;
  const again = await fetchText(ctx, link.id, link.localPath);
  if (again.kind === "end") return stays(clauseOf(again.outcome));
  if (again.value.file.lastChangeId !== link.changeId) return stays("as it was edited meanwhile");
  const intent = {
    kind: "delete",
    id: link.id,
    localPath: link.localPath,
    changeId: link.changeId,
  } as const satisfies Intent;
  // RACE: as in every deletion, an edit between this read and the DELETE is not seen; the contract has no conditional DELETE.
  const intentId = state.openIntent(ctx.run, intent);
  const answer = await remote.deleteFile(link.id);
  if (!answer.ok && answer.fault.kind === "uncertain") {
    const settled = await settleIntent(ctx, intentId, intent);
    return settled.kind === "done" ? "whether the old one is gone, the next sync shows" : stays(clauseOf(settled));
  }
  state.closeIntent(intentId);
  const gone = !answer.ok && answer.fault.kind === "problem" && answer.fault.status === 404;
  if (!answer.ok && !gone) return stays(clauseOf(outcomeOfFault(answer.fault)));
  ctx.counts.deletedRemote++;
  recordEvent(ctx.world, ctx.run, {
    kind: "delete-remote",
    side: "remote",
    id: link.id,
    path: link.localPath,
    detail: `made anew at the root by hand (was ${link.remotePath})`,
    before: link.digest,
    requestId: answer.ok ? answer.requestId : null,
  });
  return `the old one (${link.id}, ${link.remotePath}) is deleted`;
}

function clauseOf(outcome: Outcome): string {
  return "detail" in outcome ? `as ${outcome.detail}` : outcome.kind;
}
