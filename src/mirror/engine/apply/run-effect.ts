/**
 * Runs every effect in the same steps: prepare, journal a row, perform, conclude. After a crash, or
 * if no answer arrives, mdmirror observes the result instead of performing the effect again. The
 * same code then concludes the effect.
 */
import type { Outcome } from "../../model/action.ts";
import type { Fault, ParentRef } from "../../ports/remote.ts";
import type { Intent } from "../../ports/state.ts";
import type { CycleContext, RefusedWrite } from "../run/cycle-context.ts";
import { type StateChange, type StoredContent, writeChange } from "./commit.ts";
import { findOpenReason, outcomeOfFault, type ValueOrOutcome } from "./effect.ts";
import type { DirId, DocId } from "../../../contract/ids.ts";
import type { Block } from "../../model/record.ts";
import { nameOf, type RemotePath } from "../../../contract/path.ts";

export type ResultSource = {
  readonly from: "answer" | "observation";
  /** Id of the answered request; null after an observation, and if the answer has no id. */
  readonly requestId: string | null;
  /** Reason why no answer arrived; null after an answer, or if the process was killed before. */
  readonly fault: Fault | null;
};

const ANSWER_SOURCE: ResultSource = { from: "answer", requestId: null, fault: null };
const OBSERVATION_SOURCE: ResultSource = { from: "observation", requestId: null, fault: null };

type PreparedEffect<Row extends Intent, Input> = {
  readonly row: Row;
  readonly input: Input;
  /** Content to store in the transaction that opens the journal row. */
  readonly keeps?: StoredContent;
  /**
   * Request that must not be repeated after a refusal; undefined for a request that may be
   * repeated.
   */
  readonly request?: WriteRequest;
};

export type EffectResult<Seen> =
  | { readonly kind: "seen"; readonly seen: Seen; readonly requestId?: string | null }
  /** The effect did not happen, or needs no further change. The journal row is removed. */
  | ({ readonly kind: "over"; readonly outcome: Outcome } & Partial<EffectEnd>)
  /** The result is unknown. The journal row stays open, and the next cycle observes the result. */
  | { readonly kind: "open"; readonly outcome: Outcome };

/**
 * A request that failed. If the fault is uncertain, only an observation shows whether the request
 * had an effect.
 */
type FailedRequest = { readonly kind: "failed"; readonly fault: Fault };

export type EffectEnd = {
  readonly outcome: Outcome;
  /** Changes to make in the transaction that removes the journal row; null without changes. */
  readonly change: StateChange | null;
  readonly next?: NextPhase;
};

/** Journal row of the next phase. Without `run`, the next cycle performs the phase. */
type NextPhase = {
  readonly row: Intent;
  readonly run?: (ctx: CycleContext, rowId: number) => Promise<Outcome>;
};

interface EffectConclusion<Row extends Intent, Seen> {
  /**
   * Returns the changes of state. Runs in the transaction that closes the journal row, so the
   * function must not wait.
   */
  conclude(ctx: CycleContext, row: Row, seen: Seen, source: ResultSource): EffectEnd;
}

/** Methods that recovery needs. A later phase of an effect has only these methods. */
export interface EffectPhase<Row extends Intent, Seen> extends EffectConclusion<Row, Seen> {
  /**
   * Finds out whether the effect happened. Changes nothing, so `observe` may be called several
   * times.
   * @param fault reason why no answer arrived; null after a crash
   */
  observe(ctx: CycleContext, row: Row, fault: Fault | null): Promise<EffectResult<Seen>> | EffectResult<Seen>;
}

export interface Effect<Action, Row extends Intent, Input, Seen> extends EffectPhase<Row, Seen> {
  /** Checks that both sides are as the plan expects. Sends no request and changes no file. */
  prepare(ctx: CycleContext, action: Action): Promise<ValueOrOutcome<PreparedEffect<Row, Input>>>;
  /** Sends the request. If a file may have changed since `prepare`, checks the file first. */
  perform(ctx: CycleContext, row: Row, input: Input): Promise<EffectResult<Seen> | FailedRequest>;
  /**
   * Returns the outcome of a request that failed and changed nothing. Without this method, the
   * fault alone decides the outcome.
   */
  refuse?(ctx: CycleContext, row: Row, input: Input, fault: Fault): Promise<Outcome> | Outcome;
}

/**
 * An effect on the disk.
 * ORDER: `perform` does not wait, so each effect on the disk ends before the next effect opens its
 * journal row. The flush of that row also flushes the ends of all earlier effects. A power cut can
 * therefore lose only the end of the last effect.
 */
export interface LocalEffect<Action, Row extends Intent, Input, Seen> extends EffectConclusion<Row, Seen> {
  prepare(ctx: CycleContext, action: Action): ValueOrOutcome<PreparedEffect<Row, Input>>;
  perform(ctx: CycleContext, row: Row, input: Input): EffectResult<Seen>;
  /** Completes or reverts an unfinished effect after a crash. May be repeated. */
  observe(ctx: CycleContext, row: Row): EffectResult<Seen>;
}

export async function runEffect<Action, Row extends Intent, Input, Seen>(
  ctx: CycleContext,
  effect: Effect<Action, Row, Input, Seen>,
  action: Action,
): Promise<Outcome> {
  const preparation = await effect.prepare(ctx, action);
  if (preparation.kind === "end") return preparation.outcome;
  const { row, input, request } = preparation.value;
  const earlierOutcome = request === undefined ? null : findEarlierRefusal(ctx, request);
  if (earlierOutcome !== null) return earlierOutcome;
  const rowId = await openJournalRow(ctx, preparation.value);
  const answer = await effect.perform(ctx, row, input);
  if (answer.kind === "failed" && answer.fault.kind === "uncertain")
    return recoverEffect(ctx, effect, rowId, row, answer.fault);
  const result = answer.kind === "failed" ? await refuseRequest(ctx, effect, preparation.value, answer.fault) : answer;
  const requestId = result.kind === "seen" ? (result.requestId ?? null) : null;
  return endEffect(ctx, effect, rowId, row, result, { ...ANSWER_SOURCE, requestId });
}

async function refuseRequest<Row extends Intent, Input>(
  ctx: CycleContext,
  effect: Pick<Effect<never, Row, Input, never>, "refuse">,
  { row, input, request }: PreparedEffect<Row, Input>,
  fault: Fault,
): Promise<EffectResult<never>> {
  const outcome = effect.refuse === undefined ? outcomeOfFault(fault) : await effect.refuse(ctx, row, input, fault);
  return { kind: "over", outcome: request === undefined ? outcome : rememberRefusal(ctx, request, outcome) };
}

/** @param fault reason why no answer arrived; null if the row comes from an earlier run */
export async function recoverEffect<Row extends Intent, Seen>(
  ctx: CycleContext,
  effect: EffectPhase<Row, Seen>,
  rowId: number,
  row: Row,
  fault: Fault | null,
): Promise<Outcome> {
  const result = await effect.observe(ctx, row, fault);
  return endEffect(ctx, effect, rowId, row, result, { ...OBSERVATION_SOURCE, fault });
}

/** Resolves when the journal row and its content are committed. Only then may the effect begin. */
async function openJournalRow(ctx: CycleContext, { row, keeps }: PreparedEffect<Intent, unknown>): Promise<number> {
  const { state } = ctx.world;
  let rowId = 0;
  const openRow = () => {
    if (keeps !== undefined) state.putKnownText(keeps.digest, keeps.text, keeps.origin);
    rowId = state.openIntent(ctx.run, row);
  };
  await ctx.group.commit(openRow, "soon", keeps?.text.length ?? 0);
  return rowId;
}

async function endEffect<Row extends Intent, Seen>(
  ctx: CycleContext,
  effect: EffectPhase<Row, Seen>,
  rowId: number,
  row: Row,
  shown: EffectResult<Seen>,
  source: ResultSource,
): Promise<Outcome> {
  if (shown.kind === "open") return shown.outcome;
  const resultHolder: { last?: ConcludedRow } = {};
  await ctx.group.commit(() => {
    resultHolder.last = concludeEffect(ctx, effect, rowId, row, shown, source);
  }, "late");
  const { outcome, next, nextId } = resultHolder.last!;
  return next?.run === undefined ? outcome : next.run(ctx, nextId);
}

type ConcludedRow = EffectEnd & { readonly nextId: number };

/** Ends an effect within the caller's transaction. No other function ends an effect. */
function concludeEffect<Row extends Intent, Seen>(
  ctx: CycleContext,
  effect: EffectConclusion<Row, Seen>,
  rowId: number,
  row: Row,
  shown: Exclude<EffectResult<Seen>, { kind: "open" }>,
  source: ResultSource,
): ConcludedRow {
  const { state } = ctx.world;
  const effectEnd: EffectEnd =
    shown.kind === "seen" ? effect.conclude(ctx, row, shown.seen, source) : { change: null, ...shown };
  if (effectEnd.change !== null) writeChange(ctx, effectEnd.change);
  state.removeIntent(rowId);
  return { ...effectEnd, nextId: effectEnd.next === undefined ? 0 : state.openIntent(ctx.run, effectEnd.next.row) };
}

/** Returns a next phase that runs in this cycle. */
export function nextPhase<Row extends Intent, Seen>(effect: EffectPhase<Row, Seen>, row: Row): NextPhase {
  return { row, run: (ctx, rowId) => recoverEffect(ctx, effect, rowId, row, null) };
}

export function runLocalEffect<Action, Row extends Intent, Input, Seen>(
  ctx: CycleContext,
  effect: LocalEffect<Action, Row, Input, Seen>,
  action: Action,
): Outcome {
  const preparation = effect.prepare(ctx, action);
  if (preparation.kind === "end") return preparation.outcome;
  const { row, input } = preparation.value;
  const { state } = ctx.world;
  // ORDER: the journal row is flushed before the effect. Otherwise a power cut could lose the row
  // and keep a part of the effect, such as a document without its file.
  const rowId = state.transactSafely(() => state.openIntent(ctx.run, row));
  return concludeLocal(ctx, effect, rowId, row, effect.perform(ctx, row, input));
}

/** @returns the reason why the journal row stays open; null if the row is removed */
export function recoverLocalEffect<Row extends Intent, Seen>(
  ctx: CycleContext,
  effect: Pick<LocalEffect<never, Row, never, Seen>, "observe" | "conclude">,
  rowId: number,
  row: Row,
): string | null {
  const result = effect.observe(ctx, row);
  return findOpenReason(concludeLocal(ctx, effect, rowId, row, result, OBSERVATION_SOURCE));
}

export function concludeLocal<Row extends Intent, Seen>(
  ctx: CycleContext,
  effect: EffectConclusion<Row, Seen>,
  rowId: number,
  row: Row,
  shown: EffectResult<Seen>,
  source = ANSWER_SOURCE,
): Outcome {
  if (shown.kind === "open") return shown.outcome;
  return ctx.world.state.transact(() => concludeEffect(ctx, effect, rowId, row, shown, source)).outcome;
}

/**
 * LIMIT: number of remembered requests, so that memory stays bounded. The oldest request is
 * forgotten first, and may then be sent again.
 */
const MAX_REFUSALS = 1_000;

/**
 * A request to the service, remembered after a refusal. A block stores only the last refused
 * request. Without this memory, mdmirror would repeat a request if a user changed a document's
 * content or path and then reverted the change (I08).
 * Two requests are the same if their `facts` are equal. `item` is the document or folder that is
 * blocked if the request was refused before.
 */
export type WriteRequest = { readonly facts: string; readonly item: Pick<Block, "key" | "path"> };

function findEarlierRefusal({ notes }: CycleContext, { facts, item }: WriteRequest): Outcome | null {
  const refusal = notes.tally.refused.get(facts);
  return refusal === undefined ? null : { ...refusal, block: { ...refusal.block, ...item } };
}

function rememberRefusal({ notes }: CycleContext, { facts }: WriteRequest, outcome: Outcome): Outcome {
  const { refused } = notes.tally;
  if (concernsRequest(outcome)) refused.set(facts, outcome);
  const [oldest] = refused.keys();
  if (refused.size > MAX_REFUSALS) refused.delete(oldest!);
  return outcome;
}

/**
 * Returns true if the service refused the request itself. Returns false for a refusal because of a
 * taken path, which may become free.
 */
function concernsRequest(outcome: Outcome): outcome is RefusedWrite {
  if (outcome.kind !== "refused" || outcome.block === null) return false;
  return outcome.block.reason === "refused" || outcome.block.reason === "read-only";
}

/**
 * Returns the text that identifies a move among refused requests. The text contains the whole
 * target path, although a rename sends only a name, and a move only a folder. The service's answer
 * also depends on the part of the path that is not sent.
 */
export function identifyMove(
  { id, to }: { readonly id: DocId | DirId; readonly to: RemotePath },
  parent: ParentRef | null,
): string {
  if (parent === null) return `${id} to ${to}`;
  return `${id} into ${parent.kind === "root" ? "" : parent.id} as ${nameOf(to)}`;
}
