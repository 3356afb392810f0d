import { META } from "../run/meta.ts";
import type { RunReport } from "../run/report.ts";
import { rememberLast } from "../run/standing.ts";
import { type World, zeroCounts } from "../run/world.ts";
import type { RunEnd } from "./run-passes.ts";
import type { EventPublisher } from "./publish-events.ts";
import type { Deletions } from "./work.ts";

/**
 * What the runs ended as: kept for `status`, told to who listens, and written down as rarely as it
 * may be.
 */
export type RunLog = {
  /**
   * @param saw whether the service was listed in that run: what is kept of an earlier look proves
   * nothing of now
   * @param dueAt when a waiting deletion is due, since the epoch
   */
  note(ended: RunEnd & Deletions, saw: boolean, dueAt: (path: string) => number): void;
  /** A poll found everything as it was. */
  noteInSync(): void;
  report(): RunReport | null;
  reportOrBlank(): RunReport;
  inSyncAsOf(): number | null;
};

/** `syncedAt` is written so often at most while nothing happens. */
const NOTE_SYNCED_MS = 60_000;

const NOTHING_YET: RunReport = {
  state: "in-sync",
  run: 0,
  passes: 0,
  counts: { ...zeroCounts(), holds: 0 },
  attention: [],
  beside: [],
  halt: null,
  stopped: [],
  staysLocal: null,
  fault: null,
};

export function createRunLog(world: World, publisher: EventPublisher): RunLog {
  const { state, clock } = world;
  let report: RunReport | null = null;
  let inSyncAsOf: number | null = null;
  let writtenAt = Number.NEGATIVE_INFINITY;

  function synced(now: boolean): void {
    inSyncAsOf = clock.now();
    if (!now && clock.monotonic() - writtenAt < NOTE_SYNCED_MS) return;
    writtenAt = clock.monotonic();
    state.setMeta(META.syncedAt, String(inSyncAsOf));
  }

  return {
    note(ended, saw, dueAt) {
      const before = report;
      report = ended.report;
      if (saw && report.state === "in-sync") synced(ended.didSomething);
      rememberLast(world, report);
      for (const [path, { inConflict }] of ended.begun)
        publisher.tell({ kind: "deletion-pending", path, dueAt: dueAt(path), inConflict });
      for (const path of ended.calledOff) publisher.tell({ kind: "deletion-called-off", path });
      if (ended.didSomething || before === null || before.state !== report.state || !sameAttention(before, report))
        publisher.tell({ kind: "run", report });
    },
    noteInSync() {
      if (report?.state === "in-sync") synced(false);
    },
    report: () => report,
    reportOrBlank: () => report ?? NOTHING_YET,
    inSyncAsOf: () => inSyncAsOf,
  };
}

function sameAttention(a: RunReport, b: RunReport): boolean {
  const key = ({ attention }: RunReport) => attention.map(({ path, kind }) => `${kind} ${path}`).join("\n");
  return key(a) === key(b);
}
