import type { DocId } from "../../../contract/ids.ts";
import type { FieldCode } from "../../../contract/problem.ts";
import type { FileWithContent } from "../../../contract/resources.ts";
import { type Action, type ActionOf, getSubject, type Outcome, type OutcomeOf } from "../../model/action.ts";
import { type Digest, digestOf } from "../../../contract/digest.ts";
import type { Block, DocumentRecord, Stamp } from "../../model/record.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { DiskOutcome, LocalText, StoreContent } from "../../ports/disk.ts";
import { type Answer, ENDS_A_RUN, type Fault } from "../../ports/remote.ts";
import type { EventFields, EventSide, State, ContentOrigin } from "../../ports/state.ts";
import { findUse } from "../run/files-in-use.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import { isBlank } from "../../model/text-form.ts";
import type { World } from "../run/world.ts";
import { once } from "../../../common/once.ts";
import type { RecordColumns } from "../../model/left-out.ts";
import type { BaseTree } from "../../model/tree.ts";

export const DONE: OutcomeOf<"done"> = { kind: "done" };

export function stale(detail: string): OutcomeOf<"stale"> {
  return { kind: "stale", detail };
}

export const STALE = {
  noRecord: stale("mdmirror removed its record of this document meanwhile"),
  baseMoved: stale("the last synced version of this document changed meanwhile"),
  editedRemotely: stale("it was edited on the service meanwhile"),
  conflictEnded: stale("the conflict ended meanwhile"),
} as const;

/** Value to continue with, or the outcome that ends the step. */
export type ValueOrOutcome<T> =
  | { readonly kind: "got"; readonly value: T }
  | { readonly kind: "end"; readonly outcome: Outcome };

export function withValue<T>(value: T): ValueOrOutcome<T> {
  return { kind: "got", value };
}

export function withOutcome(outcome: Outcome): { readonly kind: "end"; readonly outcome: Outcome } {
  return { kind: "end", outcome };
}

/** Returns the outcome of a failed read, or of a failed write that certainly changed nothing. */
export function outcomeOfFault(fault: Fault, block: Block | null = null): Outcome {
  switch (fault.kind) {
    case "problem":
      if (fault.status === 404) return { ...stale(`${fault.code}: ${fault.detail}`), isNotFound: true };
      return { kind: "refused", code: fault.code, detail: fault.detail, requestId: fault.requestId, block };
    case "uncertain":
      return { kind: "uncertain", detail: fault.detail, requestId: fault.requestId };
    case "later":
      return {
        kind: "later",
        code: fault.cause,
        detail: fault.detail,
        requestId: fault.requestId,
        unreachable: ENDS_A_RUN.has(fault.cause),
      };
    case "locked-out":
      return {
        kind: "later",
        code: fault.code,
        detail: `${fault.code}: ${fault.detail}`,
        requestId: fault.requestId,
        unreachable: true,
      };
  }
}

/**
 * Returns the error code for a block of refused content. If the answer contains the code for a link
 * without a target, returns that code; otherwise the code of the whole answer.
 */
export function findContentCode({ code, fieldCodes = [] }: Extract<Fault, { kind: "problem" }>): string {
  const unresolvedCode: FieldCode = "unresolved_reference";
  return fieldCodes.includes(unresolvedCode) ? unresolvedCode : code;
}

/**
 * Returns true for a 404. The document may still exist: this key may not be allowed to read the
 * document.
 */
export function isNotFound(answer: Answer<unknown>): boolean {
  return !answer.ok && answer.fault.kind === "problem" && answer.fault.status === 404;
}

/** Returns the outcome of a failed change of a file. The next run tries the change again. */
export function outcomeOfDisk(end: Exclude<DiskOutcome<unknown>, { kind: "done" }>): Outcome {
  if (end.kind === "stale") return stale(end.detail);
  const { errno, detail } = end;
  return { kind: "later", code: errno, detail: `${errno}: ${detail}`, unreachable: false, requestId: null };
}

/**
 * Checks whether somebody has opened or edited the file since the plan. Called right before the
 * file is replaced or removed. If so, the step is stale, and the next cycle blocks the change.
 * @returns null if nobody uses the file
 */
export function staleIfInUse(
  ctx: CycleContext,
  file: { readonly id: DocId; readonly localPath: LocalPath },
): Outcome | null {
  const fileUse = findUse(ctx, file);
  return fileUse === null ? null : stale(fileUse.why);
}

/**
 * Returns the reason for a write. Adds a note if mdmirror waited for an editor that had the file
 * open.
 */
export function explainWrite(
  ctx: CycleContext,
  { why, localPath }: { readonly why: string; readonly localPath: LocalPath },
): string {
  return why + (ctx.notes.waitedEnough.get(localPath) ?? "");
}

type BlockFields = Pick<Block, "key" | "path" | "reason" | "detail"> & Partial<Block>;

export function makeBlock(ctx: CycleContext, fields: BlockFields): Block {
  return { code: null, requestId: null, digest: null, changeId: null, since: ctx.world.clock.now(), ...fields };
}

/**
 * Returns the outcome of a refused request. The outcome contains a block, so that mdmirror does not
 * repeat the request.
 * @param fields fields of the block. Without a code or detail in `fields`, the block gets those of
 * the refusal
 */
export function refuseWithBlock(
  ctx: CycleContext,
  { code, detail, requestId }: Pick<OutcomeOf<"refused">, "code" | "detail" | "requestId">,
  fields: Pick<Block, "key" | "path" | "reason"> & Partial<Block>,
): OutcomeOf<"refused"> {
  return { kind: "refused", code, detail, requestId, block: makeBlock(ctx, { code, detail, requestId, ...fields }) };
}

export type RemoteText = { readonly file: FileWithContent; readonly text: string; readonly digest: Digest };

export async function fetchText(ctx: CycleContext, id: DocId, path: LocalPath): Promise<ValueOrOutcome<RemoteText>> {
  const remoteResult = await fetchWithoutStoring(ctx, id);
  if (remoteResult.kind === "got")
    ctx.world.state.putKnownText(remoteResult.value.digest, remoteResult.value.text, makeRemoteOrigin(path, id));
  return remoteResult;
}

/**
 * Reads a document and stores its content, because another user may change the document before a
 * later read (I03).
 */
export async function readDocument(ctx: CycleContext, id: DocId, path: LocalPath): Promise<Answer<FileWithContent>> {
  const answer = await ctx.world.remote.getFile(id);
  if (answer.ok) ctx.world.state.putText(answer.value.content, makeRemoteOrigin(path, id));
  return answer;
}

/**
 * Reads a document. The caller must store the content, at the latest in the commit that uses the
 * content.
 */
export async function fetchWithoutStoring(ctx: CycleContext, id: DocId): Promise<ValueOrOutcome<RemoteText>> {
  const earlierRead = takeEarlierRead(ctx, id);
  if (earlierRead !== null) return withValue(earlierRead);
  const { clock, remote } = ctx.world;
  const answer = await remote.getFile(id);
  // ORDER: other steps send their requests first, because processing the content takes longer than
  // an answer.
  if (clock.turn !== undefined) await clock.turn();
  if (!answer.ok) return withOutcome(outcomeOfFault(answer.fault));
  const { value: file } = answer;
  return withValue({ file, text: file.content, digest: digestOf(file.content) });
}

/**
 * Returns the document if this cycle read the document before the safety checks; otherwise null. A
 * second call returns null, so that a later step reads the current version.
 */
function takeEarlierRead({ notes, world }: CycleContext, id: DocId): RemoteText | null {
  const earlierRead = notes.readBefore.get(id);
  if (earlierRead === undefined) return null;
  notes.readBefore.delete(id);
  const { file, digest } = earlierRead;
  const text = world.state.text(digest);
  return text === null ? null : { file: { ...file, content: text }, text, digest };
}

/**
 * Returns the content of base. If the content store has lost base's content, reads the document and
 * stores its content. If the service has another version, the step is stale.
 */
export async function readBase(
  ctx: CycleContext,
  record: DocumentRecord,
  path: LocalPath,
): Promise<ValueOrOutcome<string>> {
  const storedText = ctx.world.state.text(record.digest);
  if (storedText !== null) return withValue(storedText);
  const remoteResult = await fetchText(ctx, record.id, path);
  if (remoteResult.kind === "end") return remoteResult;
  return remoteResult.value.file.lastChangeId === record.changeId
    ? withValue(remoteResult.value.text)
    : withOutcome(STALE.editedRemotely);
}

type LocalContent = { readonly text: string; readonly stamp: Stamp; readonly stampTrusted: boolean };

/**
 * Reads and stores the local content. Returns stale if the content does not have the digest
 * `expect`.
 */
export function readLocal(ctx: CycleContext, id: DocId, path: LocalPath, expect: Digest): ValueOrOutcome<LocalContent> {
  const localResult = requireDigest(ctx.world.disk.read(path), expect);
  if (localResult.kind === "got")
    ctx.world.state.putKnownText(expect, localResult.value.text, makeLocalOrigin(path, id));
  return localResult;
}

/** Reads local content. The caller must store the content, at the latest with the journal row. */
export async function readWithoutStoring(
  ctx: CycleContext,
  path: LocalPath,
  expect: Digest,
): Promise<ValueOrOutcome<LocalContent>> {
  return requireDigest(await ctx.group.runTogether(() => ctx.world.disk.read(path)), expect);
}

function requireDigest(read: DiskOutcome<LocalText>, expect: Digest): ValueOrOutcome<LocalContent> {
  if (read.kind !== "done") return withOutcome(outcomeOfDisk(read));
  if (read.value.digest !== expect) return withOutcome(stale("the file was changed after the scan"));
  return withValue(read.value);
}

/**
 * Returns the action with the current digest of the local content. The digest depends on the
 * targets of the file's links, and some targets may have been created since the plan.
 */
export function withCurrentLinks<A extends ActionOf<"create-remote" | "put">>(
  { world: { links, state } }: CycleContext,
  action: A,
  id: DocId | null,
): A {
  if (links === undefined) return action;
  const storeText: StoreContent = (digest, text, path) => state.putKnownText(digest, text, makeLocalOrigin(path, id));
  const currentDigest = links.digestWithCurrentLinks(action.localPath, action.expect, storeText);
  return currentDigest === action.expect ? action : { ...action, expect: currentDigest };
}

export function makeEvent(action: Action, side: EventSide, overrides: Partial<EventFields> = {}): EventFields {
  return { kind: action.kind, side, ...getSubject(action), detail: action.why, ...overrides };
}

/**
 * Returns the outcome of a write if the document on the service does not show whether the write
 * arrived.
 * @param outcome outcome of the read
 * @param fault error of the write; null if the write had no error
 */
export function outcomeWithoutProof(outcome: Outcome, fault: Fault | null): OutcomeOf<"uncertain" | "later"> {
  const detail =
    fault === null ? "mdmirror read the document, but cannot see whether its upload arrived" : fault.detail;
  if (outcome.kind === "later") return outcome;
  return { kind: "uncertain", detail, requestId: fault?.kind === "uncertain" ? fault.requestId : null };
}

/**
 * Returns the outcome of a write with an unknown result, after the read for that result failed as
 * well.
 * @param fault error of the read, or of the write if the read has no error
 */
export function outcomeOfFailedRead(fault: Fault | null): OutcomeOf<"uncertain" | "later"> {
  return outcomeWithoutProof({ kind: "uncertain", detail: "", requestId: null }, fault);
}

export function leaveOpen(detail: string): { readonly kind: "open"; readonly outcome: Outcome } {
  return { kind: "open", outcome: { kind: "uncertain", detail, requestId: null } };
}

/** Returns the reason why an effect's journal row stays open; null if the row can be removed. */
export function findOpenReason(outcome: Outcome): string | null {
  return outcome.kind === "uncertain" || outcome.kind === "later" ? outcome.detail : null;
}

/**
 * Returns the outcome of a write that, as a later read has shown, did not happen. The next plan
 * sends a new write, based on the current state.
 * @param fault reason why the result was unknown; shown to the user if the service keeps failing
 */
export function outcomeOfUndoneWrite(request: "write" | "move" | "deletion", fault: Fault | null): OutcomeOf<"stale"> {
  const cause = fault === null || fault.detail === "" ? "" : `: ${fault.detail}`;
  return { kind: "stale", detail: `the ${request} did not happen${cause}` };
}

/** Code of the event that a document became empty. The safety checks count these events. */
const EMPTIED_CODE = "emptied";

/**
 * Returns true if a document becomes blank. Earlier content that the content store has lost counts
 * as not blank.
 */
export function becomesBlank({ state }: Pick<World, "state">, before: Digest | null, text: string): boolean {
  return before !== null && isBlank(text) && !isBlank(state.text(before) ?? "lost");
}

export function chooseEventCode(world: World, before: Digest | null, text: string): string | null {
  return becomesBlank(world, before, text) ? EMPTIED_CODE : null;
}

/**
 * Returns the origin of local content: path, document, and why it was stored. Users find the
 * content by its origin.
 */
export function makeLocalOrigin(path: LocalPath, id: DocId | null, why = "found in the folder"): ContentOrigin {
  return { path, id, side: "local", why };
}

export function makeRemoteOrigin(path: LocalPath, id: DocId, why = "found on the service"): ContentOrigin {
  return { path, id, side: "remote", why };
}

export function makeMergedOrigin(path: LocalPath, id: DocId, why: string): ContentOrigin {
  return { path, id, side: "both", why };
}

/**
 * Returns a function that stores the content of a scanned file. The origin of the content is the
 * document whose record has the file's path.
 * @param columns records that base does not contain; undefined if base contains all records
 */
export function makeLocalContentStore(state: State, base: BaseTree, columns?: RecordColumns): StoreContent {
  const idsByPath = once(
    () => new Map(Array.from(base.records.values(), ({ localPath, id }) => [localPath, id] as const)),
  );
  return (digest, text, path) => {
    const id = columns === undefined ? (idsByPath().get(path) ?? null) : columns.idAt(path);
    state.putKnownText(digest, text, makeLocalOrigin(path, id));
  };
}

/**
 * Stores the current content of a file before the file is changed or removed (I03).
 * @returns digest of the content; null if the file is not text: only text is stored
 */
export function storeFileText(
  { disk, state }: Pick<World, "disk" | "state">,
  path: LocalPath,
  origin: ContentOrigin,
): Digest | null {
  const readOutcome = disk.read(path);
  if (readOutcome.kind !== "done") return null;
  state.putKnownText(readOutcome.value.digest, readOutcome.value.text, origin);
  return readOutcome.value.digest;
}

/**
 * Stores the current content of a conflict copy (I03), because the user may edit the copy and
 * remove the copy before mdmirror's next read. The origin of the content is the document, because
 * the copy exists only during the conflict.
 */
export function storeConflictCopy(world: Pick<World, "state" | "disk">, id: DocId, path: LocalPath): void {
  const document = world.state.record(id)?.localPath ?? path;
  storeFileText(world, path, makeMergedOrigin(document, id, "the other version of a conflict"));
}
