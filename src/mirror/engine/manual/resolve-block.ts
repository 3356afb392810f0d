import type { Conflict, Link } from "../../model/link.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { copiesNotes, type ManualEnd, isUnseenContent, keepText, notDone } from "./run-manually.ts";
import { deleteRemote, trashLocal, writeBack } from "../apply/presence.ts";
import { fetchText, stale } from "../apply/effect.ts";
import { commit } from "../apply/commit.ts";
import { trashConflictCopies } from "../apply/conflict-copies.ts";
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
  return { outcome, notes: ["your version is kept in .mdmirror/trash", ...dropOther(ctx, at, conflict)] };
}

/** Keeps the local text of such a document. The next run sends it as a new document. */
export function keepAsNew(ctx: PassContext, { link, at }: Placed, conflict: Conflict | null): ManualEnd {
  const digest = keepText(ctx, at, link.id);
  if (digest === null) return notDone(stale(`no file is at ${at}`));
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
  return { outcome, notes: [note, ...dropOther(ctx, at, conflict)] };
}

/**
 * ORDER: the copy goes after link and conflict have ended. A crash in between leaves a `(theirs)`
 * file without a conflict; in the other order, the conflict would end as decided for the local
 * text.
 * @returns sentences for the user
 */
function dropOther(ctx: PassContext, at: LocalPath, conflict: Conflict | null): readonly string[] {
  const dropped = conflict === null ? null : trashConflictCopies(ctx, conflict, at);
  if (dropped === null) return [];
  return dropped.kind === "end" ? [`${conflict!.newestCopyPath} stays`] : copiesNotes(dropped.value);
}
