import type { Outcome } from "../../model/action.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { DocId } from "../../../contract/ids.ts";
import type { Conflict, Link } from "../../model/link.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { sidecarPath } from "../../model/sidecar-path.ts";
import { flushFiles } from "./flush.ts";
import { type RemoteText, stale } from "./effect.ts";
import { commit, whereItStands, withIdNow } from "./commit.ts";
import { inodeOf, nameCopy, type Placed, placeSidecar } from "./conflict-copies.ts";
import type { PassContext } from "../run/pass-context.ts";

/**
 * Where the document's file is: where the plan found it (base does not know of a move that is
 * held), or where an effect moved it while its text was fetched.
 * @param link as it was when the action began
 */
function standsAt(ctx: PassContext, link: Link, found: LocalPath): LocalPath {
  const now = ctx.world.state.link(link.id)?.localPath;
  return now === undefined || now === link.localPath ? found : now;
}

/**
 * Opens the one conflict of a document: the local text stays, and the service's is put beside it as
 * `note (theirs).md`.
 * @param link the link from now on: its base stays the text from which both sides started
 * @param found where the plan found the file
 * @param base that text; null when both were new at one path
 */
export async function openConflict(
  ctx: PassContext,
  link: Link,
  found: LocalPath,
  remote: RemoteText,
  base: Pick<Link, "digest" | "changeId"> | null,
  why: string,
): Promise<Outcome> {
  const { state, clock } = ctx.world;
  // Only now it shows that the texts do not merge. Those that are left are in the next plan, whose
  // verdict asks the user (`conflict-flood`).
  if (isOverBudget(ctx, link.id)) return stale("more conflicts than a run may open without approval");
  const version = { changeId: remote.file.lastChangeId, digest: remote.digest };
  const { shown, sidecarPath: at } = nameCopy(ctx, link.id, standsAt(ctx, link, found), [], version);
  const intentId = state.openIntent(ctx.run, { kind: "conflict-copy", id: link.id, path: at, writes: remote.digest });
  const placed = placeSidecar(ctx, at, remote.text, remote.digest);
  if (placed.kind === "end") {
    state.closeIntent(intentId);
    return placed.outcome;
  }
  // ORDER: counted before anything else may run, because other steps compare this count with the
  // budget.
  ctx.notes.counts.conflicts++;
  // ORDER: the file is flushed before the state says that it is there. A sidecar that is missing
  // counts as removed by its user, and a power cut must not look like that.
  await flushFiles(ctx.world, [at]);
  const conflict: Conflict = {
    id: link.id,
    baseDigest: base?.digest ?? null,
    baseChangeId: base?.changeId ?? null,
    sidecarPath: at,
    shown: [...shown.slice(0, -1), { ...version, ...inodeOf(ctx, at) }],
    looksGone: 0,
    since: clock.now(),
  };
  return commit(ctx, {
    text: whereItStands(ctx, withIdNow(ctx, link)),
    closes: intentId,
    version: { id: link.id, ...version },
    conflict,
    removes: { tombstone: link.id },
    event: {
      kind: "conflict",
      side: "both",
      id: link.id,
      path: found,
      detail: why,
      outcome: "conflict",
      before: base?.digest ?? null,
      after: remote.digest,
    },
  });
}

function isOverBudget({ notes: { conflictBudget: budget, counts } }: PassContext, id: DocId): boolean {
  return budget !== null && counts.conflicts > budget.most && !budget.approved.has(id);
}

/**
 * Policy `copy`: the service's text takes the path, and the local one is kept beside it as `note
 * (mine).md`; as `note (mine 2).md` where an earlier one still is, which its user may not have
 * seen. ORDER: flushed before the file is written over: that one is fsynced and its old inode goes,
 * and a power cut would leave the local text in the store alone.
 * @returns how it failed, where it did
 */
export async function keepBeside(
  ctx: PassContext,
  link: Link,
  found: LocalPath,
  local: string,
  digest: Digest,
): Promise<Placed> {
  const at = placeBeside(ctx, standsAt(ctx, link, found), digest);
  const placed = placeSidecar(ctx, at, local, digest);
  if (placed.kind === "placed") await flushFiles(ctx.world, [at]);
  return placed;
}

/** The first that is free, or holds that text already. */
function placeBeside({ world: { disk } }: PassContext, document: LocalPath, digest: Digest): LocalPath {
  for (let nth = 1; ; nth++) {
    const at = sidecarPath(document, "mine", nth, disk.names().maxNameBytes);
    const look = disk.look(at);
    if (look.kind === "absent" || look.kind === "unknown") return at;
    if (look.kind === "file" && look.digest === digest) return at;
  }
}
