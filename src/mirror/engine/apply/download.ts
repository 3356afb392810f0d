import type { Digest } from "../../../contract/digest.ts";
import type { ActionOf, Outcome } from "../../model/action.ts";
import { flushAtEnd } from "./flush.ts";
import { sameExceptTextForm, isBlank } from "../../model/text-form.ts";
import { makeRecord } from "../../model/base.ts";
import {
  STALE,
  makeEvent,
  fetchText,
  staleIfInUse,
  readLocal,
  type RemoteText,
  stale,
  explainWrite,
  chooseEventCode,
} from "./effect.ts";
import type { DocumentRecord } from "../../model/record.ts";
import type { Policy } from "../../model/policy.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { mayReplaceLocal } from "../run/files-in-editors.ts";
import { commit, hasNewChangeId, withCurrentPath } from "./commit.ts";
import { merge } from "./merge.ts";
import { runLocalEffect } from "./run-effect.ts";
import { findCommonSentVersion, adoptOwnVersion, wasPosted } from "./unanswered-writes.ts";
import { fromServicePath } from "../run/world.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import { keepMineBeside, openConflict } from "./conflict.ts";
import { updateFile, writeFile } from "./write-file.ts";

/**
 * Downloads new content and replaces the file. If the service has base's content with a new change
 * id, only records that id.
 */
export async function writeLocal(ctx: CycleContext, action: ActionOf<"write-local">): Promise<Outcome> {
  const record = ctx.world.state.record(action.id);
  if (record === null) return STALE.noRecord;
  const remoteOrEnd = await fetchText(ctx, action.id, action.localPath);
  if (remoteOrEnd.kind === "end") return remoteOrEnd.outcome;
  const { file, text, digest } = remoteOrEnd.value;
  if (file.lastChangeId !== action.changeId) ctx.notes.tally.readsOther = true;
  if (digest === record.digest) {
    if (hasNewChangeId(ctx, record)) return STALE.baseMoved;
    const recordWithNewId = { ...withCurrentPath(ctx, record), changeId: file.lastChangeId, protected: file.protected };
    // Records a version with a new id even if its content equals base's. The history then has all
    // ids. If the service is restored from a backup, it shows an earlier id again, and mdmirror
    // notices the restore.
    return commit(ctx, {
      record: recordWithNewId,
      version: { id: record.id, changeId: recordWithNewId.changeId, digest },
    });
  }
  const adoptionOutcome = adoptOwnVersion(ctx, record, remoteOrEnd.value, "this-run");
  if (adoptionOutcome !== null) return adoptionOutcome;
  // The service's version contains an edit that this run sent, but the file has base's content: the
  // user has reverted the edit. The two versions must be merged.
  if (findCommonSentVersion(ctx, record, text, "this-run") !== null)
    return merge(ctx, { ...action, kind: "merge", review: false });
  const { id, localPath: path, expect } = action;
  return updateFile(ctx, {
    id,
    path,
    text,
    expect,
    base: record,
    next: { changeId: file.lastChangeId, digest },
    counts: "downloaded",
    event: makeEvent(action, "local", {
      detail: explainWrite(ctx, action),
      ...chooseEventCode(ctx.world, expect, text),
    }),
  });
}

/**
 * Handles a document that is new on both sides at one path. The first rule that applies decides:
 * - The contents are equal, except for line ends, BOM, final newline or the form of links: records
 *   the document. The local file stays unchanged.
 * - The document is empty on the service: the local content becomes the document's next edit.
 * - The user chose a preferred side for the first sync: takes that side. The other content stays in
 *   the content store. No other rule overwrites content (I05).
 * - The conflict policy is `copy`: keeps the local content in a copy beside the document.
 * - Otherwise: opens a conflict without a base. The policies `local` and `remote` do not apply:
 *   after the state file was lost, every edited document looks new on both sides.
 */
export async function recordNewOnBothSides(ctx: CycleContext, action: ActionOf<"meet">): Promise<Outcome> {
  const localOrEnd = readLocal(ctx, action.id, action.localPath, action.expect);
  if (localOrEnd.kind === "end") return localOrEnd.outcome;
  const remoteOrEnd = await fetchText(ctx, action.id, action.localPath);
  if (remoteOrEnd.kind === "end") return remoteOrEnd.outcome;
  const { file, digest } = remoteOrEnd.value;
  if (fromServicePath(ctx.world, file.path) !== action.remotePath)
    return stale("it was moved on the service meanwhile");
  const version = { changeId: file.lastChangeId, digest };
  const { stamp, stampTrusted } = localOrEnd.value;
  const adoptedRecord = makeRecord(action.id, action.localPath, action.remotePath, file.protected, {
    ...version,
    localDigest: action.expect,
    stamp,
    stampTrusted,
    // A power cut may still damage the file: perhaps a killed run created it, or a program saved it
    // without an fsync.
    durable: false,
  });
  flushAtEnd(ctx, action.id, action.localPath);
  const event = makeEvent(action, "both", { before: action.expect });
  const adoptionChange = {
    record: adoptedRecord,
    version: { id: action.id, ...version },
    removes: { tombstone: action.id },
  };
  const equality = compareContents(ctx, action, localOrEnd.value.text, remoteOrEnd.value);
  if (equality !== null) {
    const { detail, localDigest } = equality;
    return commit(ctx, {
      ...adoptionChange,
      record: { ...adoptedRecord, localDigest },
      event: { ...event, detail, after: digest },
    });
  }
  const { prefer, why } = chooseSide(ctx, action.localPath, remoteOrEnd.value);
  // The service's version becomes the base of the local content. The next cycle sends the local
  // content as an edit.
  const rebasedRecord = { ...adoptedRecord, localDigest: digest };
  if (prefer === "local") {
    return commit(ctx, { ...adoptionChange, record: rebasedRecord, event: { ...event, detail: why, after: digest } });
  }
  if (mayReplaceLocal({ ...ctx.settings, prefer }, action.localPath)) {
    const keptText = prefer === "remote" ? null : localOrEnd.value.text;
    return replaceLocal(ctx, action, { rebased: rebasedRecord, keptText, remote: remoteOrEnd.value, why });
  }
  return openConflict(
    ctx,
    rebasedRecord,
    action.localPath,
    remoteOrEnd.value,
    null,
    "new on both sides at this path, with different content",
  );
}

/**
 * Compares the local content with the service's. If they are equal, returns a sentence for the log
 * that says in what way. Also returns the digest that the local content would have on the service.
 * @returns null if the contents differ
 */
function compareContents(
  { world: { links } }: CycleContext,
  { localPath, expect }: ActionOf<"meet">,
  local: string,
  remote: RemoteText,
): { readonly detail: string; readonly localDigest: Digest } | null {
  if (remote.digest === expect) return { detail: "equal content: linked", localDigest: expect };
  if (links?.readsAs(localPath, expect, remote) === true)
    return {
      detail: "equal except for the form of links: linked, the file stays unchanged",
      localDigest: remote.digest,
    };
  if (!sameExceptTextForm(local, remote.text)) return null;
  const detail = "equal except for line ends, BOM or final newline: linked, the file stays unchanged";
  return { detail, localDigest: expect };
}

type LocalReplacement = {
  readonly rebased: DocumentRecord;
  /** Local content to keep in a file beside the document; null if there is none to keep. */
  readonly keptText: string | null;
  readonly remote: RemoteText;
  readonly why: string;
};

async function replaceLocal(
  ctx: CycleContext,
  action: ActionOf<"meet">,
  { rebased, keptText, remote, why }: LocalReplacement,
): Promise<Outcome> {
  const { id, localPath, expect } = action;
  const inUse = staleIfInUse(ctx, action);
  if (inUse !== null) return inUse;
  if (keptText !== null) {
    const copyOrEnd = await keepMineBeside(ctx, rebased, localPath, keptText, expect);
    if (copyOrEnd.kind === "end") return copyOrEnd.outcome;
  }
  const detail =
    keptText === null
      ? why
      : "new on both sides; the conflict policy takes the version on the service; your version is beside it";
  return runLocalEffect(ctx, writeFile, {
    id,
    path: localPath,
    text: remote.text,
    expect,
    base: null,
    next: { changeId: remote.file.lastChangeId, digest: remote.digest },
    adopts: { remotePath: rebased.remotePath, protected: rebased.protected },
    counts: keptText === null ? "downloaded" : "byPolicy",
    event: makeEvent(action, "both", { detail: explainWrite(ctx, { why: detail, localPath }) }),
  });
}

/**
 * Decides which side wins if a document is new on both sides with different contents. If the
 * document is empty on the service, the local content wins, whatever the user prefers: no content
 * is lost. An empty local file, in contrast, need not lose, because the user may be about to write
 * into it.
 */
function chooseSide(
  ctx: CycleContext,
  path: LocalPath,
  { text: remote, digest }: Pick<RemoteText, "text" | "digest">,
): { readonly prefer: Policy["prefer"]; readonly why: string } {
  const { prefer } = ctx.settings;
  if (wasPosted(ctx, path, digest))
    return {
      prefer: "local",
      why: "mdmirror uploaded this version earlier, and the service saved it late; local changes since then are an edit of it",
    };
  if (isBlank(remote)) return { prefer: "local", why: "new on both sides, empty on the service" };
  return { prefer, why: `new on both sides; --prefer ${prefer} decides` };
}
