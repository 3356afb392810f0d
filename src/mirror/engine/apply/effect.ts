/** Reads what an effect needs at its start, and returns the outcomes of failures. */

import type { DocId } from "../../../contract/ids.ts";
import type { FieldCode } from "../../../contract/problem.ts";
import type { FileWithContent } from "../../../contract/resources.ts";
import { type Action, type ActionOf, type Outcome, type OutcomeOf, subjectOf } from "../../model/action.ts";
import { type Digest, digestOf } from "../../../contract/digest.ts";
import type { Block, DocumentRecord, Stamp } from "../../model/record.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { DiskOutcome, LocalText, OnText } from "../../ports/disk.ts";
import { type Answer, ENDS_A_RUN, type Fault } from "../../ports/remote.ts";
import type { EventFields, EventSide, MirrorEvent } from "../../ports/state.ts";
import { findUse } from "../run/files-in-editors.ts";
import { localContentName, remoteContentName } from "./text-name.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import { isBlank } from "../../model/text-form.ts";
import type { World } from "../run/world.ts";

export const DONE: OutcomeOf<"done"> = { kind: "done" };

export function stale(detail: string): OutcomeOf<"stale"> {
  return { kind: "stale", detail };
}

/** Outcomes of steps whose document is not as the plan expects. */
export const STALE = {
  noRecord: stale("mdmirror removed its record of this document meanwhile"),
  baseMoved: stale("the last synced version of this document changed meanwhile"),
  editedRemotely: stale("it was edited on the service meanwhile"),
  conflictEnded: stale("the conflict ended meanwhile"),
} as const;

/** An outcome, or a value to continue with. */
export type ValueOrEnd<T> =
  | { readonly kind: "got"; readonly value: T }
  | { readonly kind: "end"; readonly outcome: Outcome };

export function got<T>(value: T): ValueOrEnd<T> {
  return { kind: "got", value };
}

export function ended(outcome: Outcome): { readonly kind: "end"; readonly outcome: Outcome } {
  return { kind: "end", outcome };
}

/**
 * Returns the outcome of a failed read, or of a failed write that certainly changed nothing. A 404
 * is stale: the next cycle proves whether the document is gone.
 */
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
 * Returns the code under which refused content is blocked. If the service found a link without a
 * target, that is the code of the field; otherwise the code of the whole answer.
 */
export function contentCodeOf({ code, fieldCodes = [] }: Extract<Fault, { kind: "problem" }>): string {
  const unresolved: FieldCode = "unresolved_reference";
  return fieldCodes.includes(unresolved) ? unresolved : code;
}

/**
 * Returns true if the service answers that no document has this id, or none that this key may see.
 */
export function isNotFound(answer: Answer<unknown>): boolean {
  return !answer.ok && answer.fault.kind === "problem" && answer.fault.status === 404;
}

/**
 * Returns the outcome of an effect on the disk that was not done. The disk is unchanged; after a
 * fault (no space, no permission) the next run tries again.
 */
export function outcomeOfDisk(end: Exclude<DiskOutcome<unknown>, { kind: "done" }>): Outcome {
  if (end.kind === "stale") return stale(end.detail);
  const { errno, detail } = end;
  return { kind: "later", code: errno, detail: `${errno}: ${detail}`, unreachable: false, requestId: null };
}

/**
 * Checks, right before a file is replaced or removed, whether somebody has started to work on it
 * since the plan. If so, the next cycle blocks the change.
 * @returns null if nobody has
 */
export function blockIfInUse(
  ctx: CycleContext,
  file: { readonly id: DocId; readonly localPath: LocalPath },
): Outcome | null {
  const inUse = findUse(ctx, file);
  return inUse === null ? null : stale(inUse.why);
}

/** Returns the reason for writing a file, with a note if somebody was working on the file. */
export function reasonForWrite(
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
 * Returns the outcome of a refusal, with a block, so that the same request is not sent again.
 * @param fields fields of the block. By default, code and detail are those of the refusal
 */
export function refusedWith(
  ctx: CycleContext,
  { code, detail, requestId }: Pick<OutcomeOf<"refused">, "code" | "detail" | "requestId">,
  fields: Pick<Block, "key" | "path" | "reason"> & Partial<Block>,
): OutcomeOf<"refused"> {
  return { kind: "refused", code, detail, requestId, block: makeBlock(ctx, { code, detail, requestId, ...fields }) };
}

export type RemoteText = { readonly file: FileWithContent; readonly text: string; readonly digest: Digest };

/** Reads a document. Its content is stored before any code uses it (I03). */
export async function fetchText(ctx: CycleContext, id: DocId, path: LocalPath): Promise<ValueOrEnd<RemoteText>> {
  const fetched = await fetchWithoutStoring(ctx, id);
  if (fetched.kind === "got")
    ctx.world.state.putKnownText(fetched.value.digest, fetched.value.text, remoteContentName(path, id));
  return fetched;
}

/**
 * Reads a document for its version and path. Stores its content too, because another user may
 * change it before the next read (I03).
 */
export async function readFacts(ctx: CycleContext, id: DocId, path: LocalPath): Promise<Answer<FileWithContent>> {
  const answer = await ctx.world.remote.getFile(id);
  if (answer.ok) ctx.world.state.putText(answer.value.content, remoteContentName(path, id));
  return answer;
}

/**
 * Reads a document without storing its content. The caller must store the content no later than in
 * the commit that uses it, and must remove nothing before that.
 */
export async function fetchWithoutStoring(ctx: CycleContext, id: DocId): Promise<ValueOrEnd<RemoteText>> {
  const before = takeReadBefore(ctx, id);
  if (before !== null) return got(before);
  const { clock, remote } = ctx.world;
  const answer = await remote.getFile(id);
  // ORDER: the next request is sent before this content is processed, which takes longer than an
  // answer.
  if (clock.turn !== undefined) await clock.turn();
  if (!answer.ok) return ended(outcomeOfFault(answer.fault));
  const { value: file } = answer;
  return got({ file, text: file.content, digest: digestOf(file.content) });
}

/**
 * Returns the document if this cycle read it before the safety checks. Each read is used once; the
 * next call reads again.
 */
function takeReadBefore({ notes, world }: CycleContext, id: DocId): RemoteText | null {
  const before = notes.readBefore.get(id);
  if (before === undefined) return null;
  notes.readBefore.delete(id);
  const { file, digest } = before;
  const text = world.state.text(digest);
  return text === null ? null : { file: { ...file, content: text }, text, digest };
}

/**
 * Returns the content of base, and makes sure that it is in the store. If the store lost the
 * content, reads the document from the service, provided that it is still at that version.
 * Otherwise the content of base is lost, and the next plan decides.
 */
export async function readBase(
  ctx: CycleContext,
  record: DocumentRecord,
  path: LocalPath,
): Promise<ValueOrEnd<string>> {
  const stored = ctx.world.state.text(record.digest);
  if (stored !== null) return got(stored);
  const live = await fetchText(ctx, record.id, path);
  if (live.kind === "end") return live;
  return live.value.file.lastChangeId === record.changeId ? got(live.value.text) : ended(STALE.editedRemotely);
}

type LocalRead = { readonly text: string; readonly stamp: Stamp; readonly stampTrusted: boolean };

/** Reads the local content, which must still have the digest `expect`, and stores it. */
export function readLocal(ctx: CycleContext, id: DocId, path: LocalPath, expect: Digest): ValueOrEnd<LocalRead> {
  const read = asExpected(ctx.world.disk.read(path), expect);
  if (read.kind === "got") ctx.world.state.putKnownText(expect, read.value.text, localContentName(path, id));
  return read;
}

/**
 * Reads local content together with other steps, without storing it. The caller must store it no
 * later than in the journal row that uses it.
 */
export async function readWithoutStoring(
  ctx: CycleContext,
  path: LocalPath,
  expect: Digest,
): Promise<ValueOrEnd<LocalRead>> {
  return asExpected(await ctx.group.runTogether(() => ctx.world.disk.read(path)), expect);
}

function asExpected(read: DiskOutcome<LocalText>, expect: Digest): ValueOrEnd<LocalRead> {
  if (read.kind !== "done") return ended(outcomeOfDisk(read));
  if (read.value.digest !== expect) return ended(stale("the file was changed after the scan"));
  return got(read.value);
}

/**
 * Returns an action whose digest fits the current targets of the file's links: some targets may
 * have been created since the plan.
 */
export function withPresentLinks<A extends ActionOf<"create-remote" | "put">>(
  { world: { links, state } }: CycleContext,
  action: A,
  id: DocId | null,
): A {
  if (links === undefined) return action;
  const keep: OnText = (digest, text, path) => state.putKnownText(digest, text, localContentName(path, id));
  const expect = links.digestWithCurrentLinks(action.localPath, action.expect, keep);
  return expect === action.expect ? action : { ...action, expect };
}

/**
 * Returns the log entry for an action: its document or folder, and the reason. Fields of
 * `overrides` override these.
 */
export function eventOf(action: Action, side: EventSide, overrides: Partial<EventFields> = {}): EventFields {
  return { kind: action.kind, side, ...subjectOf(action), detail: action.why, ...overrides };
}

/**
 * Returns the outcome of a write that failed or got no answer, if a later read could not show
 * either whether the write arrived.
 * @param outcome outcome of the read
 * @param fault fault of the write, if there was one
 */
export function outcomeWithoutProof(outcome: Outcome, fault: Fault | null): OutcomeOf<"uncertain" | "later"> {
  const detail =
    fault === null ? "mdmirror read the document, but cannot see whether its upload arrived" : fault.detail;
  if (outcome.kind === "later") return outcome;
  return { kind: "uncertain", detail, requestId: fault?.kind === "uncertain" ? fault.requestId : null };
}

/**
 * Returns the outcome of a write if the read that should show its result failed.
 * @param fault fault of the read, or of the write if the read has none
 */
export function outcomeOfFailedRead(fault: Fault | null): OutcomeOf<"uncertain" | "later"> {
  return outcomeWithoutProof({ kind: "uncertain", detail: "", requestId: null }, fault);
}

/** Returns the result that leaves the journal row of a local effect open. */
export function leaveOpen(detail: string): { readonly kind: "open"; readonly outcome: Outcome } {
  return { kind: "open", outcome: { kind: "uncertain", detail, requestId: null } };
}

/** Returns the reason why the journal row of an effect stays open; null if it can be closed. */
export function whyOpen(outcome: Outcome): string | null {
  return outcome.kind === "uncertain" || outcome.kind === "later" ? outcome.detail : null;
}

/**
 * Returns the outcome of a write that a read proved was not done. The next plan sends the write
 * again, based on the current state.
 * @param fault reason why the result was not known; shown if the service keeps failing
 */
export function provenNotDone(request: "write" | "move" | "deletion", fault: Fault | null): OutcomeOf<"stale"> {
  const cause = fault === null || fault.detail === "" ? "" : `: ${fault.detail}`;
  return { kind: "stale", detail: `the ${request} did not happen${cause}` };
}

/** Code of events in which a document lost its content: the safety checks count these events. */
const EMPTIED = "emptied";

/**
 * Returns true if content is blank and the earlier content was not. Earlier content that the store
 * lost counts as not blank.
 */
export function becomesBlank({ state }: Pick<World, "state">, before: Digest | null, text: string): boolean {
  return before !== null && isBlank(text) && !isBlank(state.text(before) ?? "lost");
}

/** Returns the event code for replacing one content by another. */
export function contentEventCode(
  world: Pick<World, "state">,
  before: Digest | null,
  text: string,
): Pick<MirrorEvent, "code"> {
  return { code: becomesBlank(world, before, text) ? EMPTIED : null };
}
