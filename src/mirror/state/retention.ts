import { once } from "../../common/once.ts";
import type { Db } from "./database.ts";
import type { MetaTable } from "./meta.ts";
import { RowPruning } from "./prune-rows.ts";
import { TextPruning } from "./prune-texts.ts";
import type { ReferencedTexts } from "./referenced-texts.ts";
import type { TextStore } from "./texts.ts";

/**
 * How long texts are kept, and how much. `bytes`: size of the file of texts above which superseded
 * versions are pruned before their time.
 */
export type Retention = { readonly days: number; readonly bytes: number };

export type Pruned = {
  readonly texts: number;
  readonly events: number;
  readonly runs: number;
  readonly versions: number;
};

const DAY_MS = 86_400_000;

/**
 * Prunes what is past its time, in slices of about 10 ms: one for each step of the generator, so
 * that the caller can do other work between two. One at a time, and between passes: what an action
 * under way has looked up but not yet named must not be pruned under it.
 *
 * Time is counted in days of running (days on which this was called): a machine that was off for
 * two months finds all it had. A text is past its time when for so long nothing named it. Over
 * `bytes`, superseded versions of linked documents go at once, those superseded first going first;
 * all other texts, perhaps the sole copies, stay their time. The file keeps its size; freed pages
 * are used again.
 */
export class RetentionPruning {
  readonly #meta: MetaTable;
  // Once a day at most: their statements are no business of an opening.
  readonly #texts;
  readonly #rows;

  constructor(state: Db, texts: Db, store: TextStore, meta: MetaTable, referenced: ReferencedTexts) {
    this.#meta = meta;
    this.#texts = once(() => new TextPruning(state, texts, store, referenced));
    this.#rows = once(() => new RowPruning(state));
  }

  *prune(now: number, retention: Retention): Generator<void, Pruned> {
    const cutoff = this.#noteDay(now, retention.days);
    yield;
    yield* this.#texts().markIdle(now);
    const expired = cutoff === null ? 0 : yield* this.#texts().deleteExpired(cutoff);
    const evicted = yield* this.#texts().deleteOver(retention.bytes, now - DAY_MS);
    const rows = cutoff === null ? { events: 0, runs: 0, versions: 0 } : yield* this.#rows().deleteBefore(cutoff);
    return { texts: expired + evicted, ...rows };
  }

  /**
   * @returns the time before which things are pruned; null while too few days were seen. Days in
   * the future do not count.
   */
  #noteDay(now: number, days: number): number | null {
    const seen = JSON.parse(this.#meta.get("retention-days") ?? "[]") as number[];
    const valid = seen.filter((day) => day <= now);
    const last = valid.at(-1);
    if (last === undefined || now - last >= DAY_MS) valid.push(now);
    const kept = valid.slice(-(days + 1));
    this.#meta.set("retention-days", JSON.stringify(kept));
    return kept[kept.length - 1 - days] ?? null;
  }
}
