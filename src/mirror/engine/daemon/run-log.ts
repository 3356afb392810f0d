import { META } from "../run/meta.ts";
import type { RunReport } from "../run/report.ts";
import { forgetSent, rememberLastRun } from "../run/run-state.ts";
import type { World } from "../run/world.ts";
import type { EventPublisher } from "./events.ts";
import type { PendingDeletions } from "./pending-deletions.ts";
import { toWallTime } from "./timing.ts";

/** Milliseconds after which the time of the last sync is written again, if nothing else changes. */
const NOTE_SYNCED_MS = 60_000;

/** Keeps the results of runs. Writes them to the state file only when necessary. */
export class RunLog {
  readonly #world: World;
  readonly #publisher: EventPublisher;
  readonly #deletions: PendingDeletions;
  #report: RunReport | null = null;
  #isStopAnnounced = false;
  #inSyncAsOf: number | null = null;
  #writtenAt = Number.NEGATIVE_INFINITY;

  constructor(world: World, publisher: EventPublisher, deletions: PendingDeletions) {
    this.#world = world;
    this.#publisher = publisher;
    this.#deletions = deletions;
  }

  /** @param listed true if the run listed the service; otherwise both sides are not proven equal */
  note(report: RunReport, listed: boolean): void {
    const earlierReport = this.#report;
    const didSomething = report.run !== 0 && report.run !== earlierReport?.run;
    this.#report = report;
    if (listed) this.noteListed(didSomething);
    rememberLastRun(this.#world, report);
    this.#publishDeletions(report);
    if (didSomething || earlierReport === null || !haveSameEnd(earlierReport, report))
      this.#publisher.publish({ kind: "run", report });
  }

  report(): RunReport | null {
    return this.#report;
  }

  inSyncAsOf(): number | null {
    return this.#inSyncAsOf;
  }

  /**
   * Publishes the pending deletions. Publishes all of them again when a safety check is newly
   * expected to stop the sync.
   */
  #publishDeletions({ expectedStopReasons }: RunReport): void {
    const isStopExpected = expectedStopReasons !== undefined;
    const { begun, cancelled } = this.#deletions.takeChanges(isStopExpected && !this.#isStopAnnounced);
    for (const { path, dueAt, inConflict } of begun) {
      const dueTime = toWallTime(this.#world.clock, dueAt);
      this.#publisher.publish({ kind: "deletion-pending", path, dueAt: dueTime, inConflict, asks: isStopExpected });
    }
    this.#isStopAnnounced = isStopExpected;
    for (const path of cancelled) this.#publisher.publish({ kind: "deletion-called-off", path });
  }

  /**
   * Records that both sides are equal, after a listing of the service, if the last run left no
   * change.
   * @param writeNow true to write the time to the state file immediately; otherwise it is written
   * once a minute
   */
  noteListed(writeNow: boolean): void {
    if (this.#report?.state !== "in-sync") return;
    const { clock, state } = this.#world;
    this.#inSyncAsOf = clock.now();
    forgetSent(state);
    if (!writeNow && clock.monotonic() - this.#writtenAt < NOTE_SYNCED_MS) return;
    this.#writtenAt = clock.monotonic();
    state.setMeta(META.syncedAt, String(this.#inSyncAsOf));
  }
}

function haveSameEnd(a: RunReport, b: RunReport): boolean {
  return b.oneWay === undefined && a.state === b.state && toAttentionKey(a) === toAttentionKey(b);
}

function toAttentionKey({ attention }: RunReport): string {
  return attention.map(({ path, kind }) => `${kind} ${path}`).join("\n");
}
