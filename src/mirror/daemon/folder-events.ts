import type { DaemonEvent } from "../engine/daemon/interface.ts";
import type { Log } from "../ports/world.ts";
import type { Trouble } from "../../common/trouble.ts";

/** Events of one folder: events of the engine, and events of opening and lending the folder. */
export type FolderEvent =
  | { readonly kind: "opened"; readonly at: number; readonly url: string; readonly notes: readonly string[] }
  | { readonly kind: "lent"; readonly at: number; readonly what: string }
  | { readonly kind: "returned"; readonly at: number; readonly what: string }
  /** A command moved the folder to the path `to`; null if a command unlinked the folder. */
  | { readonly kind: "left"; readonly at: number; readonly to: string | null }
  /** Syncing failed. The daemon opens the folder again after `retryMs` milliseconds. */
  | { readonly kind: "broken"; readonly at: number; readonly trouble: Trouble; readonly retryMs: number }
  | DaemonEvent;

/** @param log log of the folder; null if the folder is closed */
export type OnFolderEvent = (root: string, event: FolderEvent, log: Log | null) => void;

export type EventOf<Kind extends FolderEvent["kind"]> = Extract<FolderEvent, { readonly kind: Kind }>;
type LogLine = Parameters<Log["write"]>;

/**
 * For each kind of event, a function that returns a line for the folder's log; null if the event is
 * not logged, or if the engine itself logs the event. A line has paths and numbers, but no content.
 */
const LOG_LINES: { readonly [Kind in FolderEvent["kind"]]: (event: EventOf<Kind>) => LogLine | null } = {
  change: makeChangeLine,
  run: makeRunLine,
  phase: makePhaseLine,
  opened: () => ["info", "opened", { pid: process.pid }],
  lent: ({ kind, what }) => ["info", kind, { what }],
  returned: ({ kind, what }) => ["info", kind, { what }],
  // The log has moved with the folder, so mdmirror cannot write a line at the old path.
  left: () => null,
  broken: ({ trouble, retryMs }) => ["error", "broken", { code: trouble.code ?? null, waitMs: retryMs }],
  "deletion-pending": ({ kind, path }) => ["info", kind, { path }],
  "deletion-called-off": ({ kind, path }) => ["info", kind, { path }],
  woke: ({ sleptMs }) => ["info", "woke", { ms: sleptMs }],
  "watch-limit": () => null,
};

export function logEvent(log: Log, event: FolderEvent): void {
  const formatLine = LOG_LINES[event.kind] as (event: FolderEvent) => LogLine | null;
  const line = formatLine(event);
  if (line !== null) log.write(...line);
}

function makeChangeLine(event: EventOf<"change">): LogLine {
  const { what, side, id, path, outcome, code, requestId, changeId, run } = event;
  const level = outcome === "done" || outcome === "submitted" ? "info" : "warn";
  return [level, "change", { what, side, id, path, outcome, code, requestId, changeId, run }];
}

function makeRunLine({ report }: EventOf<"run">): LogLine {
  const { state, run, cycles, counts, attention, fault } = report;
  const nonZero: Partial<typeof counts> = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
  const faultFields = fault === null ? {} : { reason: fault.kind, requestId: fault.requestId };
  const fields = { state, run, cycles, attention: attention.length, ...nonZero, ...faultFields };
  return [state === "in-sync" || state === "attention" ? "info" : "warn", "run", fields];
}

function makePhaseLine({ phase: { kind, ...more } }: EventOf<"phase">): LogLine | null {
  if (kind === "ended") return ["info", "phase", { phase: kind }];
  if (kind !== "waiting" && kind !== "stopped") return null;
  return ["warn", "phase", { phase: kind, ...("why" in more ? { reason: more.why } : {}) }];
}
