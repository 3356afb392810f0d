import type { Conflict, Link } from "../../model/link.ts";
import { copiesNotes, type ManualEnd, isUnseenContent, keepText, notDone } from "./run-manually.ts";
import { deleteRemote, trashLocal, writeBack } from "../apply/presence.ts";
import { fetchText, stale } from "../apply/effect.ts";
import { commit } from "../apply/commit.ts";
import { dropConflict } from "../apply/conflict-course.ts";
import { runLocalEffect } from "../apply/run-effect.ts";
import type { Placed } from "./resolve.ts";
import type { PassContext } from "../run/pass-context.ts";

/** Ends blocked changes about a document's presence or place. */

/**
 * Deletes a document on the service whose file was renamed to a name that is not synced, as its
 * user decided. It is read again first, as before any deletion.
 */
export async function deleteOnService(ctx: PassContext, link: Link): Promise<ManualEnd> {
  const { id, localPath, remotePath, changeId } = link;
  const why = "the file was renamed to a name that is not synced; mdmirror resolve --delete deleted the document";
  const outcome = await deleteRemote(ctx, { kind: "delete-remote", why, id, localPath, remotePath, changeId });
  if (outcome.kind === "done") ctx.world.state.removeBlock(id);
  return { outcome, notes: [] };
}

/**
 * Keeps such a document: the service's text is written under the old name, and the renamed file is
 * left alone.
 */
export async function restoreOldName(ctx: PassContext, link: Link): Promise<ManualEnd> {
  const { id, localPath } = link;
  const fetched = await fetchText(ctx, id, localPath);
  if (fetched.kind === "end") return notDone(fetched.outcome);
  const detail = "the file was renamed to a name that is not synced; mdmirror resolve --keep restored the document";
  const outcome = writeBack(ctx, link, localPath, fetched.value, { kind: "create-local", side: "local", detail });
  if (outcome.kind === "done") ctx.world.state.removeBlock(id);
  return { outcome, notes: [] };
}

/**
 * Handles a document that is gone from the service, not readable any more, or outside the linked
 * subtree, and was edited locally: the edit goes to the trash.
 */
export function dropLocalEdit(ctx: PassContext, { link, at, seen }: Placed, conflict: Conflict | null): ManualEnd {
  const digest = keepText(ctx, at, link.id);
  if (digest === null) return notDone(stale(`no file is at ${at}`));
  if (isUnseenContent(seen?.mine, digest)) return notDone(stale(`${at} was edited meanwhile`));
  const dropped = dropOther(ctx, conflict);
  const cause = link.standing === "outside" ? "outside" : "gone";
  const why = "mdmirror resolve discarded it";
  const outcome = trashLocal(ctx, {
    kind: "trash-local",
    why,
    id: link.id,
    localPath: at,
    expect: digest,
    cause,
  });
  if (outcome.kind !== "done") return { outcome, notes: [] };
  ctx.world.state.removeBlock(link.id);
  return { outcome, notes: ["your version is kept in .mdmirror/trash", ...dropped] };
}

/** Keeps the local text of such a document. The next run sends it as a new document. */
export function keepAsNew(ctx: PassContext, { link, at }: Placed, conflict: Conflict | null): ManualEnd {
  const digest = keepText(ctx, at, link.id);
  if (digest === null) return notDone(stale(`no file is at ${at}`));
  const dropped = dropOther(ctx, conflict);
  const outcome = commit(ctx, {
    ends: { link, trashPath: null },
    removes: { block: link.id },
    event: {
      kind: "forget",
      side: "both",
      id: link.id,
      path: at,
      detail: "you chose to keep it; mdmirror uploaded it as a new document",
      before: link.digest,
    },
  });
  const note = "it is uploaded as a new document, with a new id and no history on the service";
  return { outcome, notes: [note, ...dropped] };
}

/** @returns sentences for the user */
function dropOther(ctx: PassContext, conflict: Conflict | null): readonly string[] {
  if (conflict === null) return [];
  const { id, newestCopyPath } = conflict;
  const copies: string[] = [];
  const why = "you chose what happens to its document";
  const outcome = runLocalEffect(ctx, dropConflict, { kind: "drop-conflict", id, newestCopyPath, why, copies });
  return outcome.kind === "done" ? copiesNotes(copies) : [`${newestCopyPath} stays`];
}
