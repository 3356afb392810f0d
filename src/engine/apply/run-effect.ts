import type { Outcome } from "../../model/action.ts";
import type { Fault } from "../../ports/remote.ts";
import type { Intent } from "../../ports/state.ts";
import type { PassContext } from "../run/pass-context.ts";
import { type Change, type Kept, write } from "./commit.ts";
import type { Got } from "./effect.ts";

/**
 * The one way through an effect: prepare, journal a row, perform, conclude. Where no answer says
 * what happened, and after a crash, the effect is observed instead and concluded by the same code.
 */

/** How it is known what an effect has done. */
export type Source =
  | { readonly from: "answer"; readonly requestId: string | null }
  /** `fault`: why no answer says it; null: the process ended meanwhile. */
  | { readonly from: "observation"; readonly fault: Fault | null };

/** What is journalled, and what `perform` needs beside it and no recovery does. */
export type Ready<Row extends Intent, Beside> = {
  readonly row: Row;
  readonly beside: Beside;
  /** Content that is stored in the transaction that opens the row. */
  readonly keeps?: Kept;
};

/** What an answer or an observation shows. */
export type Shown<Seen> =
  | { readonly kind: "seen"; readonly seen: Seen; readonly requestId?: string | null }
  /** The effect did not happen, or there is nothing to conclude: the row is closed. */
  | { readonly kind: "over"; readonly outcome: Outcome; readonly change?: Change }
  /** What happened is not known: the row stays open, and the next cycle observes. */
  | { readonly kind: "open"; readonly outcome: Outcome };

/** The effect may have happened; only an observation shows it. */
type Unknown = { readonly kind: "unknown"; readonly fault: Fault };

export type Concluded = {
  readonly outcome: Outcome;
  /** What is written in the transaction that closes the row; null: nothing. */
  readonly change: Change | null;
  readonly next?: NextPhase;
};

/** A row that is opened as another one is closed, and how the effect goes on with it. */
type NextPhase = {
  readonly row: Intent;
  readonly goOn: (ctx: PassContext, rowId: number) => Promise<Outcome>;
};

/** All that recovery needs. A later phase of an effect has no more. */
export interface Phase<Row extends Intent, Seen> {
  /** Only reads. Idempotent. `fault`: why no answer says what happened; null: after a crash. */
  observe(ctx: PassContext, row: Row, fault: Fault | null): Promise<Shown<Seen>>;
  /**
   * Called within the transaction that closes the row. Reads base as it is then and does not wait.
   */
  conclude(ctx: PassContext, row: Row, seen: Seen, source: Source): Concluded;
}

export interface Effect<Action, Row extends Intent, Beside, Seen> extends Phase<Row, Seen> {
  /** Checks that what the plan expects is still so. Sends and writes nothing of the effect. */
  prepare(ctx: PassContext, action: Action): Promise<Got<Ready<Row, Beside>>>;
  /** Sends or writes. Judges a refusal. Its last looks at the disk come before its request. */
  perform(ctx: PassContext, row: Row, beside: Beside): Promise<Shown<Seen> | Unknown>;
}

export async function runEffect<Action, Row extends Intent, Beside, Seen>(
  ctx: PassContext,
  effect: Effect<Action, Row, Beside, Seen>,
  action: Action,
): Promise<Outcome> {
  const ready = await effect.prepare(ctx, action);
  if (ready.kind === "end") return ready.outcome;
  const { row, beside } = ready.value;
  const rowId = await journal(ctx, ready.value);
  const shown = await effect.perform(ctx, row, beside);
  if (shown.kind === "unknown") return recoverEffect(ctx, effect, rowId, row, shown.fault);
  const requestId = shown.kind === "seen" ? (shown.requestId ?? null) : null;
  return end(ctx, effect, rowId, row, shown, { from: "answer", requestId });
}

/**
 * Observes what the effect of an open row has done, and concludes it.
 * @param fault why no answer says it; null: the row is of an earlier run, or of a crash
 */
export async function recoverEffect<Row extends Intent, Seen>(
  ctx: PassContext,
  effect: Phase<Row, Seen>,
  rowId: number,
  row: Row,
  fault: Fault | null,
): Promise<Outcome> {
  const shown = await effect.observe(ctx, row, fault);
  return end(ctx, effect, rowId, row, shown, { from: "observation", fault });
}

/** Resolves when the row is committed with its content: only then may the effect begin. */
async function journal(ctx: PassContext, { row, keeps }: Ready<Intent, unknown>): Promise<number> {
  const { state } = ctx.world;
  let rowId = 0;
  const open = () => {
    if (keeps !== undefined) state.putKnownText(keeps.digest, keeps.text, keeps.name);
    rowId = state.openIntent(ctx.run, row);
  };
  await ctx.group.commit(open, "soon", keeps?.text.length ?? 0);
  return rowId;
}

/** The one place where an effect ends: the transaction that closes its row moves base. */
async function end<Row extends Intent, Seen>(
  ctx: PassContext,
  effect: Phase<Row, Seen>,
  rowId: number,
  row: Row,
  shown: Shown<Seen>,
  source: Source,
): Promise<Outcome> {
  if (shown.kind === "open") return shown.outcome;
  const { state } = ctx.world;
  const ends: { concluded?: Concluded; nextId?: number } = {};
  await ctx.group.commit(() => {
    const concluded: Concluded =
      shown.kind === "seen"
        ? effect.conclude(ctx, row, shown.seen, source)
        : { outcome: shown.outcome, change: shown.change ?? null };
    if (concluded.change !== null) write(ctx, concluded.change);
    state.closeIntent(rowId);
    if (concluded.next !== undefined) ends.nextId = state.openIntent(ctx.run, concluded.next.row);
    ends.concluded = concluded;
  }, "late");
  const { outcome, next } = ends.concluded!;
  return next === undefined ? outcome : next.goOn(ctx, ends.nextId!);
}

/** Returns the phase that follows when a row turns into `row`. */
export function phase<Row extends Intent, Seen>(effect: Phase<Row, Seen>, row: Row): NextPhase {
  return { row, goOn: (ctx, rowId) => recoverEffect(ctx, effect, rowId, row, null) };
}
