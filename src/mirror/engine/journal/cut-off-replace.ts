import type { DocId } from "../../../contract/ids.ts";
import type { Conflict, Link } from "../../model/link.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { moveBase, moveBaseUnderEdit } from "../../model/settle.ts";
import type { LocalText } from "../../ports/disk.ts";
import type { Intent } from "../../ports/state.ts";
import type { Change } from "../apply/commit.ts";
import { dropCopies } from "../apply/conflict-copies.ts";
import { holdsChanges } from "../apply/late-write.ts";
import type { PassContext } from "../run/pass-context.ts";

type Replace = Extract<Intent, { kind: "replace" }>;

/**
 * Returns how base moves for a replace that died after the file had its new text and before base
 * moved. On the base before, what mdmirror wrote itself would count as an edit of its user, and
 * undo what has come to the service since (I10). Base also follows where the file was edited
 * meanwhile and still holds all that the version changed; else nobody knows of what that text was
 * made, and base stays.
 */
export function followReplaced(ctx: PassContext, intent: Replace): Change {
  const { state, disk } = ctx.world;
  const { id, path, expect, nextChangeId: changeId, nextDigest: digest, baseDigest, settles = false } = intent;
  const link = state.link(id);
  if (changeId === undefined || digest === undefined || link === null) return {};
  // What is in review was made on the base before: the next look at the live text settles both,
  // unless its user has given it up.
  if (link.digest !== baseDigest || (link.submissions.length > 0 && !settles)) return {};
  const found = disk.read(path);
  if (found.kind !== "done" || !isMadeOf(ctx, intent, link, found.value)) return {};
  const { stamp, digest: after } = found.value;
  const whole = { changeId, digest, localDigest: digest, stamp, stampTrusted: false, durable: false };
  const moved = after === digest ? moveBase(link, whole) : moveBaseUnderEdit(link, changeId, digest, stamp);
  const detail = "written before the process ended; base is the written version";
  return {
    link: settles ? { ...moved, submissions: [] } : moved,
    version: { id, changeId, digest },
    ...endedConflict(ctx, id, path, { baseChangeId: changeId, baseDigest: digest }),
    event: { kind: "recover", side: "local", id, path, detail, before: expect, after },
  };
}

function isMadeOf(ctx: PassContext, { writes, nextDigest }: Replace, link: Link, found: LocalText): boolean {
  return found.digest === writes || holdsChanges(ctx, link.digest, nextDigest ?? null, found.text);
}

/**
 * During a conflict only a text that ends it is written. Its sidecar may be gone already, which its
 * user did not do; one that cannot be removed stays, with its conflict.
 */
function endedConflict(
  ctx: PassContext,
  id: DocId,
  at: LocalPath,
  base: Pick<Conflict, "baseChangeId" | "baseDigest">,
) {
  const conflict = ctx.world.state.conflict(id);
  if (conflict === null) return {};
  return dropCopies(ctx, conflict, at).kind === "got"
    ? { removes: { conflict: id } }
    : { conflict: { ...conflict, ...base } };
}
