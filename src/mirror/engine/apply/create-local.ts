import type { ChangeId } from "../../../contract/ids.ts";
import type { ActionOf, Outcome } from "../../model/action.ts";
import type { Digest } from "../../../contract/digest.ts";
import { makeRecord } from "../../model/base.ts";
import { parentOf } from "../../../contract/path.ts";
import type { DiskOutcome, WrittenStamp } from "../../ports/disk.ts";
import { flushAtEnd } from "./flush.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import { fromServicePath } from "../run/world.ts";
import { writeChange } from "./commit.ts";
import {
  DONE,
  withEnd,
  makeEvent,
  fetchWithoutStoring,
  type ValueOrEnd,
  withValue,
  outcomeOfDisk,
  stale,
} from "./effect.ts";
import { ensureFolders } from "./parents.ts";
import { adoptOwnVersion } from "./unanswered-writes.ts";
import { nameLocalContent, nameRemoteContent } from "./text-name.ts";

/** LIMIT: number of new files in one journal row. A row is always read and written as a whole. */
const MAX_FILES_PER_ROW = 64;

/**
 * Runs `create`, which writes new files. The journal contains the paths of the files until `create`
 * has ended.
 * ORDER: the journal rows are flushed before `create`. A power cut may damage the files and lose
 * their records. Without the rows, the damaged files would look like edits by the user.
 */
export async function journalNewFiles<T>(
  { world: { state }, run }: CycleContext,
  actions: readonly Pick<ActionOf<"create-local">, "id" | "localPath">[],
  create: () => Promise<T>,
): Promise<T> {
  if (actions.length === 0) return create();
  const rows: number[] = [];
  state.transactSafely(() => {
    for (let first = 0; first < actions.length; first += MAX_FILES_PER_ROW) {
      const files = actions.slice(first, first + MAX_FILES_PER_ROW).map(({ id, localPath: path }) => ({ id, path }));
      rows.push(state.openIntent(run, { kind: "create", files }));
    }
  });
  const result = await create();
  state.transact(() => {
    for (const row of rows) state.closeIntent(row);
  });
  return result;
}

/**
 * Downloads a new document into a new file. The file's path is in the journal until the record is
 * committed. After a crash before the commit, the file exists without a record; the next run
 * matches the file to its document.
 */
export async function createLocal(ctx: CycleContext, action: ActionOf<"create-local">): Promise<Outcome> {
  const { id, localPath, remotePath } = action;
  const { state, links } = ctx.world;
  const remoteOrEnd = await fetchWithoutStoring(ctx, id);
  if (remoteOrEnd.kind === "end") return remoteOrEnd.outcome;
  const { text, digest, file } = remoteOrEnd.value;
  // Perhaps the document is on the service again because the service saved an edit from this folder
  // late.
  const record = action.comesBack === true ? state.record(id) : null;
  const adoptionOutcome = record === null ? null : adoptOwnVersion(ctx, record, remoteOrEnd.value, "lately");
  if (adoptionOutcome !== null) return adoptionOutcome;
  const isMoved = fromServicePath(ctx.world, file.path) !== remotePath;
  // ORDER: content with links is stored before the file is created, because the links have another
  // form in the file. After a crash, the stored content lets the next run match the file to its
  // document, even if link targets have moved.
  if (isMoved || links?.forms.mayLink(text)) state.putKnownText(digest, text, nameRemoteContent(localPath, id));
  if (isMoved) return stale("it was moved on the service meanwhile");
  const createOutcome = await ctx.group.runTogether(() => ctx.world.disk.create(localPath, text));
  const writtenOrEnd = endCreation(ctx, action, digest, text, createOutcome);
  if (writtenOrEnd.kind === "end") return writtenOrEnd.outcome;
  const createdVersion = { changeId: file.lastChangeId, digest, isProtected: file.protected };
  return recordCreated(ctx, action, createdVersion, writtenOrEnd.value, text);
}

type CreatedVersion = { readonly changeId: ChangeId; readonly digest: Digest; readonly isProtected: boolean };

async function recordCreated(
  ctx: CycleContext,
  action: ActionOf<"create-local">,
  { changeId, digest, isProtected }: CreatedVersion,
  { stamp }: WrittenStamp,
  text: string,
): Promise<Outcome> {
  const version = { changeId, digest };
  if (changeId !== action.changeId) ctx.notes.tally.readsOther = true;
  flushAtEnd(ctx, action.id, action.localPath);
  ctx.notes.counts.createdLocal++;
  const record = makeRecord(action.id, action.localPath, action.remotePath, isProtected, {
    ...version,
    localDigest: digest,
    stamp,
    stampTrusted: false,
    durable: false,
  });
  const contentToStore = { digest, text, name: nameLocalContent(action.localPath, action.id, action.why) };
  const event = makeEvent(action, "local", { after: digest });
  const removes = { tombstone: action.id, conflict: action.id };
  const change = { keeps: contentToStore, record, version: { id: action.id, ...version }, removes, event };
  // The record is committed later, together with others. If the process is killed earlier, the next
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
): ValueOrEnd<WrittenStamp> {
  if (end.kind === "done") return withValue(end.value);
  const { disk, state } = ctx.world;
  // The file may exist although an error was reported. Its content is stored now (I03), because the
  // user may edit the file before the next scan.
  state.putKnownText(digest, text, nameRemoteContent(localPath, id));
  // The folder is checked only after a failure, because the check is slow and the folder usually
  // exists.
  const isWithoutFolder = end.kind === "stale" && disk.look(parentOf(localPath)).kind === "absent";
  if (!isWithoutFolder) return withEnd(outcomeOfDisk(end));
  const folderFailure = ensureFolders(ctx, localPath);
  if (folderFailure !== null) return withEnd(folderFailure);
  const createOutcome = disk.create(localPath, text);
  return createOutcome.kind === "done" ? withValue(createOutcome.value) : withEnd(outcomeOfDisk(createOutcome));
}
