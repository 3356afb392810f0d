/** Metrics of linked folders as text for a metrics collector. The text has no paths. */

import { type Metric, formatMetrics, type MetricSample } from "../../common/metrics-text.ts";
import type { FolderStatus, MirrorState, StatusReading } from "./status.ts";

const EXPORTED_FOLDER_STATES: readonly MirrorState[] = [
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

/** Metrics of each folder. Times are in seconds. */
const GAUGES: Readonly<Record<string, readonly [help: string, read: (seen: StatusReading) => number | null]>> = {
  last_proof_timestamp_seconds: [
    "Time of the last sync after which both sides were equal.",
    ({ status }) => toSeconds(status.syncedAt),
  ],
  documents: ["Documents that are synced.", ({ status }) => status.documents],
  folders: ["Folders that are synced.", ({ status }) => status.folders],
  conflicts: ["Documents in conflict.", ({ status }) => status.conflicts.length],
  in_review: ["Documents with a change in review.", ({ status }) => status.reviews.length],
  needs_attention: [
    "Documents with a problem to fix.",
    ({ status }) => status.attention.filter(({ waits }) => !waits).length,
  ],
  waiting: ["Documents that are pending.", ({ status }) => status.attention.filter(({ waits }) => waits).length],
  blocked: [
    "Documents that are blocked, for any reason.",
    ({ status }) => status.attention.filter(({ path }) => path !== "").length,
  ],
  effects_cut_off: ["Interrupted steps that the next sync completes.", ({ status }) => status.pending],
  last_run_end_timestamp_seconds: [
    "When the last run that did anything ended.",
    ({ status: { lastRun } }) => toSeconds(lastRun?.endedAt ?? null),
  ],
  last_run_duration_seconds: [
    "How long the last run that did anything took.",
    ({ status: { lastRun } }) =>
      lastRun === null || lastRun.endedAt === null ? null : Math.max(0, lastRun.endedAt - lastRun.startedAt) / 1_000,
  ],
  daemon_start_timestamp_seconds: ["When the daemon was started.", ({ daemon }) => toSeconds(daemon?.since ?? null)],
  daemon_up: ["Whether a daemon syncs the folder.", ({ daemon }) => Number(daemon !== null)],
  daemon_paused: ["Whether the daemon is paused.", ({ daemon }) => Number(daemon?.paused === true)],
};

/**
 * @param mirrors folders with unique names
 * @param unfit number of registry entries that cannot be trusted
 */
export function makeMirrorMetrics(mirrors: readonly FolderStatus[], unfit: number): string {
  return formatMetrics([
    makeMetric(
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
        EXPORTED_FOLDER_STATES.map(
          (one): MetricSample => ({ labels: { mirror: mirror.name, state: one }, value: Number(state === one) }),
        ),
      ),
    },
    ...Object.entries(GAUGES).map(([name, [help, read]]) =>
      makeMetric(`mdmirror_${name}`, help, mirrors, ({ reading }) =>
        reading.kind === "ok" ? read(reading.value) : null,
      ),
    ),
    {
      name: "mdmirror_requests_total",
      help: "Requests of the daemon to the service since its start, by result.",
      type: "counter",
      samples: mirrors.flatMap(listRequestSamples),
    },
    {
      name: "mdmirror_unreadable_entries",
      help: "Damaged entries in the list of linked folders.",
      type: "gauge",
      samples: [{ labels: {}, value: unfit }],
    },
  ]);
}

function listRequestSamples({ mirror, reading }: FolderStatus): readonly MetricSample[] {
  const requestCounts = reading.kind === "ok" ? Object.entries(reading.value.daemon?.requests ?? {}) : [];
  return requestCounts.map(([result, value]) => ({ labels: { mirror: mirror.name, result }, value }));
}

function makeMetric(
  name: string,
  help: string,
  mirrors: readonly FolderStatus[],
  of: (one: FolderStatus) => number | null,
): Metric {
  const samples = mirrors.flatMap((one): MetricSample[] => {
    const metricValue = of(one);
    return metricValue === null ? [] : [{ labels: { mirror: one.mirror.name }, value: metricValue }];
  });
  return { name, help, type: "gauge", samples };
}

function toSeconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1_000;
}
