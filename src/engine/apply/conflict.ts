import type { Outcome } from "../../model/action.ts";
import type { Digest } from "../../model/digest.ts";
import type { DocId } from "../../contract/ids.ts";
import { type Conflict, isBeingReplaced, type Link, type ShownVersion } from "../../model/link.ts";
import type { LocalPath } from "../../model/path.ts";
import { sidecarPath } from "../../model/sidecar-path.ts";
import { flushFiles } from "../journal/durable.ts";
import { type Got, got, outcomeOfDisk, type RemoteText, stale } from "./effect.ts";
import { commit, whereItStands, withIdNow } from "./commit.ts";
import { keepFileText } from "./keep-file-text.ts";
import { keepSidecar } from "./keep-sidecar.ts";
import { seenHere } from "./text-name.ts";
import { recordEvent, trashPlace } from "../run/world.ts";
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
  if (isOverBudget(ctx, link.id)) return stale("more conflicts than a run may open without a question");
  const at = sidecarPath(standsAt(ctx, link, found));
  const intentId = state.openIntent(ctx.run, { kind: "sidecar", id: link.id, path: at, writes: remote.digest });
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
  const now = clock.now();
  const conflict: Conflict = {
    id: link.id,
    baseDigest: base?.digest ?? null,
    baseChangeId: base?.changeId ?? null,
    sidecarPath: at,
    sidecarIno: 0,
    sidecarDev: 0,
    ...inodeOf(ctx, at),
    shown: [{ changeId: remote.file.lastChangeId, digest: remote.digest, at: now }],
    looksGone: 0,
    since: now,
  };
  return commit(ctx, {
    text: whereItStands(ctx, withIdNow(ctx, link)),
    closes: intentId,
    version: { id: link.id, changeId: remote.file.lastChangeId, digest: remote.digest },
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

/** The inode of a sidecar as it is now; nothing where none is there. */
function inodeOf({ world: { disk } }: PassContext, at: LocalPath): Partial<Conflict> {
  const look = disk.look(at);
  return look.kind === "file" ? { sidecarIno: look.stamp.ino, sidecarDev: look.stamp.dev } : {};
}

/**
 * Makes the sidecar show the service's present version, unless the user edited it.
 * @returns the conflict from now on; the caller commits it
 */
export async function showVersion(
  ctx: PassContext,
  conflict: Conflict,
  { file, text, digest }: RemoteText,
  documentPath: LocalPath,
): Promise<Got<Conflict>> {
  const { disk, state, clock } = ctx.world;
  const last = conflict.shown.at(-1)!;
  const replaced = isBeingReplaced(conflict);
  const found = disk.look(conflict.sidecarPath);
  const edited = found.kind === "file" && ![...conflict.shown, { digest }].some((one) => one.digest === found.digest);
  const places = !edited && (digest !== last.digest || replaced);
  // An edited sidecar goes on showing the version it was made from; the newer one is recorded, so
  // that it is not fetched again.
  const at = edited ? last.at : clock.now();
  const shown = withVersion(conflict.shown, { changeId: file.lastChangeId, digest, at }, places);
  // A pass took it away to replace it and ended before it could: the document may have moved since.
  const sidecar = replaced && found.kind === "absent" ? sidecarPath(documentPath) : conflict.sidecarPath;
  const renewed: Conflict = { ...conflict, sidecarPath: sidecar, looksGone: 0, shown };
  if (places) {
    // ORDER: recorded before the old sidecar is taken away: if this is interrupted, or the disk is
    // full, the missing sidecar was not removed by its user.
    state.putConflict({ ...renewed, sidecarIno: 0 });
    const placed = placeSidecar(ctx, sidecar, text, digest, conflict.shown);
    if (placed.kind === "end") return placed;
    await flushFiles(ctx.world, [sidecar]);
  }
  return got({ ...renewed, ...inodeOf(ctx, sidecar) });
}

/** @param places it is put there now; else a known text keeps the time at which it was shown */
function withVersion(shown: Conflict["shown"], version: ShownVersion, places: boolean): ShownVersion[] {
  const last = shown.at(-1)!;
  if (version.digest !== last.digest) return [...shown, version];
  return [...shown.slice(0, -1), places ? version : { ...version, at: last.at }];
}

type Placed = { readonly kind: "placed" } | { readonly kind: "end"; readonly outcome: Outcome };

/**
 * Writes a text as a sidecar. A file that is there already (from a state that was lost, or made by
 * somebody) goes to the trash first, because somebody may have edited it.
 * @param own versions that it may show: to replace one of them is nothing to tell
 */
function placeSidecar(
  ctx: PassContext,
  at: LocalPath,
  text: string,
  digest: Digest,
  own: Conflict["shown"] = [],
): Placed {
  const { disk } = ctx.world;
  const look = disk.look(at);
  if (look.kind === "file" && look.digest === digest) return { kind: "placed" };
  if (look.kind === "file") {
    const isOwn = own.some((one) => one.digest === look.digest);
    const before = isOwn ? null : keepFileText(ctx.world, at, seenHere(at, null, MADE_WAY));
    const place = trashPlace(ctx.world, at);
    const moved = disk.trash(at, look.digest, place);
    if (moved.kind !== "done") return { kind: "end", outcome: outcomeOfDisk(moved) };
    if (!isOwn) tellMadeWay(ctx, at, place, before);
  } else if (look.kind !== "absent")
    return { kind: "end", outcome: stale(`${at} is taken, so the other version cannot be shown there`) };
  const made = disk.create(at, text);
  return made.kind === "done" ? { kind: "placed" } : { kind: "end", outcome: outcomeOfDisk(made) };
}

/** So that the run, `log` and `history` tell of what was no sidecar of this conflict. */
function tellMadeWay(ctx: PassContext, at: LocalPath, place: string, before: Digest | null): void {
  const keptAs = `.mdmirror/${place}`;
  const detail = `made way for the other version of a conflict; kept as ${keptAs}`;
  ctx.notes.tally.madeWay.push({ path: at, keptAs });
  recordEvent(ctx.world, ctx.run, { kind: "trash-local", side: "local", id: null, path: at, detail, before });
}

const MADE_WAY = "what made way for the other version of a conflict";

/** Moves the sidecar to the trash, whether it was edited or not. */
export function dropSidecar(ctx: PassContext, conflict: Conflict, shown: Digest): Outcome | null {
  const { disk } = ctx.world;
  const look = disk.look(conflict.sidecarPath);
  if (look.kind !== "file") return null;
  keepSidecar(ctx.world, conflict);
  const end = disk.trash(
    conflict.sidecarPath,
    look.digest === shown ? shown : look.digest,
    trashPlace(ctx.world, conflict.sidecarPath),
  );
  return end.kind === "done" ? null : outcomeOfDisk(end);
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
    const at = sidecarPath(document, "mine", nth);
    const look = disk.look(at);
    if (look.kind === "absent" || look.kind === "unknown") return at;
    if (look.kind === "file" && look.digest === digest) return at;
  }
}
