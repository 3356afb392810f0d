import { META } from "../meta.ts";
import type { RunReport } from "../report.ts";
import { type World, zeroCounts } from "../world.ts";
import type { RunEnd } from "./run-passes.ts";
import type { Herald } from "./tell.ts";
import type { Deletions } from "./work.ts";

/** What the runs ended as: kept for `status`, told to who listens, and written down as rarely as it may be. */
export type Chronicle = {
  /** @param dueAt when a waiting deletion is due, since the epoch */
  note(ended: RunEnd & Deletions, dueAt: (path: string) => number): void;
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
  halt: null,
  stopped: [],
  staysLocal: null,
  fault: null,
};

export function createChronicle(world: World, herald: Herald): Chronicle {
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
    note(ended, dueAt) {
      const before = report;
      report = ended.report;
      if (isGood(report)) synced(ended.didSomething);
      if (report.staysLocal !== null) {
        const kept = JSON.stringify({ staysLocal: report.staysLocal });
        if (kept !== state.meta(META.lastReport)) state.setMeta(META.lastReport, kept);
      }
      for (const path of ended.begun) herald.tell({ kind: "deletion-pending", path, dueAt: dueAt(path) });
      for (const path of ended.calledOff) herald.tell({ kind: "deletion-called-off", path });
      if (ended.didSomething || before === null || before.state !== report.state || !sameAttention(before, report))
        herald.tell({ kind: "run", report });
    },
    noteInSync() {
      if (report !== null && isGood(report)) synced(false);
    },
    report: () => report,
    reportOrBlank: () => report ?? NOTHING_YET,
    inSyncAsOf: () => inSyncAsOf,
  };
}

function isGood(report: RunReport): boolean {
  return report.state === "in-sync" || report.state === "attention";
}

function sameAttention(a: RunReport, b: RunReport): boolean {
  const key = ({ attention }: RunReport) => attention.map(({ path, kind }) => `${kind} ${path}`).join("\n");
  return key(a) === key(b);
}
