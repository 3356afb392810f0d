import type { ActionOf, Outcome } from "../../model/action.ts";
import type { Digest } from "../../../contract/digest.ts";
import { makeRecord } from "../../model/base.ts";
import { type LocalPath, parentOf } from "../../../contract/path.ts";
import type { DiskOutcome, WrittenStamp } from "../../ports/disk.ts";
import { flushAtEnd } from "./durability.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import { fromServicePath } from "../run/world.ts";
import { commit, hasNewChangeId, withCurrentPath, writeChange } from "./commit.ts";
import {
  chooseEventCode,
  DONE,
  explainWrite,
  fetchText,
  fetchWithoutStoring,
  makeEvent,
  makeLocalOrigin,
  makeRemoteOrigin,
  outcomeOfDisk,
  readLocal,
  type RemoteText,
  stale,
  STALE,
  staleIfInUse,
  type ValueOrOutcome,
  withOutcome,
  withValue,
} from "./effect.ts";
import { ensureFolders } from "./folder.ts";
import { adoptOwnVersion, findCommonSentVersion, wasPosted } from "./unanswered-writes.ts";
import { isBlank, sameExceptTextForm } from "../../model/text-form.ts";
import type { DocumentRecord } from "../../model/record.ts";
import type { Policy } from "../../model/policy.ts";
import { mayReplaceLocal } from "../run/files-in-use.ts";
import { merge } from "./merge.ts";
import { runLocalEffect } from "./run-effect.ts";
import { keepMineBeside, openConflict } from "./conflict.ts";
import { updateFile, writeFile } from "./write-file.ts";

/**
 * LIMIT: number of new files in one journal row. Each change of a row writes the whole row, so
 * longer rows would be slow.
 */
const MAX_FILES_PER_ROW = 64;

/**
 * Runs `create`, which writes new files. The journal contains the paths of the files until `create`
 * has ended.
 * ORDER: the journal rows are flushed before `create`. A power cut may damage the files and lose
 * the records of the documents. Without the rows, the damaged files would look like edits by the
 * user.
 */
export async function journalNewFiles<T>(
  { world: { state }, run }: CycleContext,
  actions: readonly Pick<ActionOf<"create-local">, "id" | "localPath">[],
  create: () => Promise<T>,
): Promise<T> {
  if (actions.length === 0) return create();
  const rows: number[] = [];
  state.transactSafely(() => {
    for (let start = 0; start < actions.length; start += MAX_FILES_PER_ROW) {
      const files = actions.slice(start, start + MAX_FILES_PER_ROW).map(({ id, localPath: path }) => ({ id, path }));
      rows.push(state.openIntent(run, { kind: "create", files }));
    }
  });
  const result = await create();
  state.transact(() => {
    for (const row of rows) state.removeIntent(row);
  });
  return result;
}

/**
 * Downloads a new document into a new file. The journal contains the file's path until the record
 * is committed. If the process ends before the commit, the next run matches the file to its
 * document.
 */
export async function createLocal(ctx: CycleContext, action: ActionOf<"create-local">): Promise<Outcome> {
  const { id, localPath, remotePath } = action;
  const { state, links } = ctx.world;
  const remoteResult = await fetchWithoutStoring(ctx, id);
  if (remoteResult.kind === "end") return remoteResult.outcome;
  const { text, digest, file } = remoteResult.value;
  // Perhaps the document is on the service again because the service saved an edit from this folder
  // late.
  const record = action.comesBack === true ? state.record(id) : null;
  const adoptionOutcome = record === null ? null : adoptOwnVersion(ctx, record, remoteResult.value, "lately");
  if (adoptionOutcome !== null) return adoptionOutcome;
  const isMoved = fromServicePath(ctx.world, file.path) !== remotePath;
  // ORDER: content with links is stored before the file is created, because the file contains
  // another form of the links. After a crash, the next run matches the file to its document by the
  // stored content, even if link targets have moved.
  if (isMoved || links?.forms.mayLink(text)) state.putKnownText(digest, text, makeRemoteOrigin(localPath, id));
  if (isMoved) return stale("it was moved on the service meanwhile");
  const createOutcome = await ctx.group.runTogether(() => ctx.world.disk.create(localPath, text));
  const creationResult = endCreation(ctx, action, digest, text, createOutcome);
  if (creationResult.kind === "end") return creationResult.outcome;
  return recordCreated(ctx, action, remoteResult.value, creationResult.value);
}

async function recordCreated(
  ctx: CycleContext,
  action: ActionOf<"create-local">,
  { file, text, digest }: RemoteText,
  { stamp }: WrittenStamp,
): Promise<Outcome> {
  const version = { changeId: file.lastChangeId, digest };
  if (version.changeId !== action.changeId) ctx.notes.tally.readsOther = true;
  flushAtEnd(ctx, action.id, action.localPath);
  ctx.notes.counts.createdLocal++;
  const record = makeRecord(action.id, action.localPath, action.remotePath, file.protected, {
    ...version,
    localDigest: digest,
    stamp,
    stampTrusted: false,
    durable: false,
  });
  const contentToStore = { digest, text, origin: makeLocalOrigin(action.localPath, action.id, action.why) };
  const event = makeEvent(action, "local", { after: digest });
  const removedRows = { tombstone: action.id, conflict: action.id };
  const change = { keeps: contentToStore, record, version: { id: action.id, ...version }, removes: removedRows, event };
  // Several records share one transaction. If the process is killed before the commit, the next
  // plan records the file.
  await ctx.group.commit(() => writeChange(ctx, change), "late", text.length);
  return DONE;
}

/**
 * Returns the stamp of the created file, or the outcome if it could not be created. If the folder
 * is missing, creates the folder and tries again.
 */
function endCreation(
  ctx: CycleContext,
  { id, localPath }: ActionOf<"create-local">,
  digest: Digest,
  text: string,
  end: DiskOutcome<WrittenStamp>,
): ValueOrOutcome<WrittenStamp> {
  if (end.kind === "done") return withValue(end.value);
  const { disk, state } = ctx.world;
  // The file may exist although the disk reported an error. The content is stored now (I03),
  // because the user may edit the file before the next scan.
  state.putKnownText(digest, text, makeRemoteOrigin(localPath, id));
  // The folder is checked only after a failure, because the check is slow and the folder usually
  // exists.
  const isWithoutFolder = end.kind === "stale" && disk.look(parentOf(localPath)).kind === "absent";
  if (!isWithoutFolder) return withOutcome(outcomeOfDisk(end));
  const folderFailure = ensureFolders(ctx, localPath);
  if (folderFailure !== null) return withOutcome(folderFailure);
  const createOutcome = disk.create(localPath, text);
  return createOutcome.kind === "done" ? withValue(createOutcome.value) : withOutcome(outcomeOfDisk(createOutcome));
}

/**
 * Downloads new content and replaces the file. If the service has base's content with a new change
 * id, only records that id.
 */
export async function writeLocal(ctx: CycleContext, action: ActionOf<"write-local">): Promise<Outcome> {
  const record = ctx.world.state.record(action.id);
  if (record === null) return STALE.noRecord;
  const remoteResult = await fetchText(ctx, action.id, action.localPath);
  if (remoteResult.kind === "end") return remoteResult.outcome;
  const { file, text, digest } = remoteResult.value;
  if (file.lastChangeId !== action.changeId) ctx.notes.tally.readsOther = true;
  if (digest === record.digest) {
    if (hasNewChangeId(ctx, record)) return STALE.baseMoved;
    const recordWithNewId = { ...withCurrentPath(ctx, record), changeId: file.lastChangeId, protected: file.protected };
    // A new id is recorded even if the content equals base's, so that the history has all ids. A
    // service that is restored from a backup shows an earlier id again, by which mdmirror notices
    // the restore.
    return commit(ctx, {
      record: recordWithNewId,
      version: { id: record.id, changeId: recordWithNewId.changeId, digest },
    });
  }
  const adoptionOutcome = adoptOwnVersion(ctx, record, remoteResult.value, "this-run");
  if (adoptionOutcome !== null) return adoptionOutcome;
  // The service's version contains an edit that this run sent, but the file has base's content, so
  // the user has reverted the edit. The file and the service's version must be merged.
  if (findCommonSentVersion(ctx, record, text, "this-run") !== null) return merge(ctx, { ...action, kind: "merge" });
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
      code: chooseEventCode(ctx.world, expect, text),
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
export async function meetDocument(ctx: CycleContext, action: ActionOf<"meet">): Promise<Outcome> {
  const localResult = readLocal(ctx, action.id, action.localPath, action.expect);
  if (localResult.kind === "end") return localResult.outcome;
  const remoteResult = await fetchText(ctx, action.id, action.localPath);
  if (remoteResult.kind === "end") return remoteResult.outcome;
  const { file, digest } = remoteResult.value;
  if (fromServicePath(ctx.world, file.path) !== action.remotePath)
    return stale("it was moved on the service meanwhile");
  const version = { changeId: file.lastChangeId, digest };
  const { stamp, stampTrusted } = localResult.value;
  const adoptedRecord = makeRecord(action.id, action.localPath, action.remotePath, file.protected, {
    ...version,
    localDigest: action.expect,
    stamp,
    stampTrusted,
    // A power cut may still damage the file, because mdmirror cannot know whether the program that
    // created the file has flushed it.
    durable: false,
  });
  flushAtEnd(ctx, action.id, action.localPath);
  const event = makeEvent(action, "both", { before: action.expect });
  const adoptionChange = {
    record: adoptedRecord,
    version: { id: action.id, ...version },
    removes: { tombstone: action.id },
  };
  const equality = compareContents(ctx, action, localResult.value.text, remoteResult.value);
  if (equality !== null) {
    const { detail, localDigest } = equality;
    return commit(ctx, {
      ...adoptionChange,
      record: { ...adoptedRecord, localDigest },
      event: { ...event, detail, after: digest },
    });
  }
  const { prefer, why } = chooseSide(ctx, action.localPath, remoteResult.value);
  // The service's version becomes the base of the local content. The next cycle sends the local
  // content as an edit.
  const rebasedRecord = { ...adoptedRecord, localDigest: digest };
  if (prefer === "local") {
    return commit(ctx, { ...adoptionChange, record: rebasedRecord, event: { ...event, detail: why, after: digest } });
  }
  if (mayReplaceLocal({ ...ctx.settings, prefer }, action.localPath)) {
    const keptText = prefer === "remote" ? null : localResult.value.text;
    return replaceLocal(ctx, action, { rebased: rebasedRecord, keptText, remote: remoteResult.value, why });
  }
  return openConflict(
    ctx,
    rebasedRecord,
    action.localPath,
    remoteResult.value,
    null,
    "new on both sides at this path, with different content",
  );
}

/**
 * Compares the local content with the content on the service. If both are equal, returns a sentence
 * for the log that names the kind of equality. Also returns the digest that the local content would
 * have on the service.
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
  const staleOutcome = staleIfInUse(ctx, action);
  if (staleOutcome !== null) return staleOutcome;
  if (keptText !== null) {
    const copyFailure = await keepMineBeside(ctx, rebased, localPath, keptText, expect);
    if (copyFailure !== null) return copyFailure;
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
 * document is empty on the service, the local content wins, even over the user's preferred side,
 * because no content is lost. An empty local file has no such rule: the user may be about to write
 * into the file.
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
