/**
 * Metrics of linked folders, for a collector that reads text files. They have names of folders,
 * never a path.
 */

import { type Metric, metricsText, type Sample } from "../../common/metrics-text.ts";
import type { FolderStatus, MirrorWord } from "./status.ts";
import type { StatusReading } from "./status.ts";

type Gauge = { readonly name: string; readonly help: string; readonly read: (seen: StatusReading) => number | null };

const STATES: readonly MirrorWord[] = [
  "in-sync",
  "attention",
  "stopped",
  "offline",
  "never",
  "gone",
  "other",
  "untrusted",
  "unreadable",
];

/**
 * Metrics with one value for each folder; null if there is no value. Times are seconds since the
 * epoch.
 */
const GAUGES: readonly Gauge[] = [
  {
    name: "last_proof_timestamp_seconds",
    help: "Time of the last sync after which both sides were equal.",
    read: ({ status: { syncedAt } }) => seconds(syncedAt),
  },
  { name: "documents", help: "Documents that are synced.", read: ({ status }) => status.documents },
  { name: "folders", help: "Folders that are synced.", read: ({ status }) => status.folders },
  { name: "conflicts", help: "Documents in conflict.", read: ({ status }) => status.conflicts.length },
  { name: "in_review", help: "Documents with a change in review.", read: ({ status }) => status.reviews.length },
  {
    name: "needs_attention",
    help: "Documents with a problem to fix.",
    read: ({ status: { attention } }) => attention.filter(({ waits }) => !waits).length,
  },
  {
    name: "waiting",
    help: "Documents that are pending.",
    read: ({ status: { attention } }) => attention.filter(({ waits }) => waits).length,
  },
  {
    name: "blocked",
    help: "Documents that are blocked, for any reason.",
    read: ({ status: { attention } }) => attention.filter(({ path }) => path !== "").length,
  },
  {
    name: "effects_cut_off",
    help: "Interrupted steps that the next sync completes.",
    read: ({ status }) => status.pending,
  },
  {
    name: "last_run_end_timestamp_seconds",
    help: "When the last run that did anything ended.",
    read: ({ status: { lastRun } }) => seconds(lastRun?.endedAt ?? null),
  },
  {
    name: "last_run_duration_seconds",
    help: "How long the last run that did anything took.",
    read: ({ status: { lastRun } }) =>
      lastRun === null || lastRun.endedAt === null ? null : Math.max(0, lastRun.endedAt - lastRun.startedAt) / 1_000,
  },
  {
    name: "daemon_start_timestamp_seconds",
    help: "When the daemon was started.",
    read: ({ daemon }) => seconds(daemon?.since ?? null),
  },
  { name: "daemon_up", help: "Whether a daemon syncs the folder.", read: ({ daemon }) => Number(daemon !== null) },
  {
    name: "daemon_paused",
    help: "Whether the daemon is paused.",
    read: ({ daemon }) => Number(daemon?.paused === true),
  },
];

/**
 * Returns the metrics as text.
 * @param mirrors folders with unique names
 */
export function mirrorMetrics(mirrors: readonly FolderStatus[], unfit: number): string {
  return metricsText([
    ofEach(
      "mdmirror_in_sync",
      "Whether both sides agreed at the last scan, and no problem is open.",
      mirrors,
      ({ state }) => Number(state === "in-sync"),
    ),
    {
      name: "mdmirror_state",
      help: "1 for the state of the folder, 0 for every other state.",
      type: "gauge",
      samples: mirrors.flatMap(({ mirror, state }) =>
        STATES.map((one): Sample => ({ labels: { mirror: mirror.name, state: one }, value: Number(state === one) })),
      ),
    },
    ...GAUGES.map(({ name, help, read }) =>
      ofEach(`mdmirror_${name}`, help, mirrors, ({ reading }) => (reading.kind === "ok" ? read(reading.value) : null)),
    ),
    {
      name: "mdmirror_requests_total",
      help: "Requests of the daemon to the service since its start, by result.",
      type: "counter",
      samples: mirrors.flatMap(requestSamples),
    },
    {
      name: "mdmirror_unreadable_entries",
      help: "Damaged entries in the list of linked folders.",
      type: "gauge",
      samples: [{ labels: {}, value: unfit }],
    },
  ]);
}

function requestSamples({ mirror, reading }: FolderStatus): readonly Sample[] {
  const ends = reading.kind === "ok" ? Object.entries(reading.value.daemon?.requests ?? {}) : [];
  return ends.map(([result, value]) => ({ labels: { mirror: mirror.name, result }, value }));
}

function ofEach(
  name: string,
  help: string,
  mirrors: readonly FolderStatus[],
  of: (one: FolderStatus) => number | null,
): Metric {
  const samples = mirrors.flatMap((one): Sample[] => {
    const value = of(one);
    return value === null ? [] : [{ labels: { mirror: one.mirror.name }, value }];
  });
  return { name, help, type: "gauge", samples };
}

function seconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1_000;
}
