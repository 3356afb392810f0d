import { join } from "node:path";
import type { WaitReason } from "../engine/daemon/phase.ts";
import { type RunState, makeRunState } from "../engine/run/run-state.ts";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { toAttentionJson, type OpenProblems } from "../operations/results/attention.ts";
import type { AttentionEntry } from "../operations/results/shapes.ts";
import type { EventName } from "./hook.ts";
import { readStateSummary, type StateSummary } from "../state/read-beside.ts";

/** State of a linked folder for hooks: paths, codes and counts, never content. */
export type HookFacts = {
  readonly state: RunState["state"];
  /** Numbers of changes that this process has synced, by kind. */
  readonly changes: ChangeCounts;
  /**
   * Open problems by the event that reports them.
   * - `attention`: problems that require a person
   * - `conflict`: all conflicts, even those in review, which need no local choice
   * - `stopped`: reasons of the stop
   * - `offline`: reason why the service cannot be reached
   */
  readonly problems: Readonly<Record<ProblemEvent, readonly HookItem[]>>;
  /** Milliseconds since the service was last reached; 0 if it is reachable. */
  readonly offlineMs: number;
  /**
   * Changes in review; null if they are unknown. Each is a time in milliseconds since the epoch, a
   * space and a path.
   */
  readonly reviews: readonly string[] | null;
};

type ProblemEvent = Exclude<EventName, "review-settled" | "in-sync">;

/** Numbers of changes, by the same kinds as `counts` in `sync --json`. */
export type ChangeCounts = Readonly<Record<string, number>>;

/** One problem in a message to a hook. Its path is "" if the problem concerns the whole folder. */
export type HookItem = Omit<AttentionEntry, "detail">;

export type FolderState = Pick<RunState, "state" | "attention"> & Pick<OpenProblems, "safetyStop">;

type KnownFacts = {
  /** Reason for an unreachable service, and for how many milliseconds; null if it is reachable. */
  readonly offline?: { readonly code: WaitReason; readonly ms: number } | null;
  readonly changes?: ChangeCounts;
};

/** @param root a folder that has `.mdmirror/` */
export function collectFacts(
  root: string,
  { state, attention, safetyStop }: FolderState,
  { offline = null, changes = {} }: KnownFacts = {},
): HookFacts {
  const isOffline = offline !== null || state === "offline";
  const offlineItem = { path: "", kind: "offline", code: offline?.code ?? null, next: "mdmirror doctor" };
  return {
    state: isOffline ? "offline" : state,
    changes,
    problems: {
      // A pending problem requires no person, so it is left out.
      attention: listItems({ attention: attention.filter(({ waits }) => !waits) }),
      conflict: listItems({ attention: attention.filter(({ kind }) => CONFLICTS.has(kind)) }),
      stopped: listItems({ safetyStop }),
      offline: isOffline ? [offlineItem] : [],
    },
    offlineMs: offline?.ms ?? 0,
    reviews: readSummary(root)?.totals.reviews.map(({ path, since }) => `${since} ${path}`) ?? null,
  };
}

/** Reads the state that the last run stored; null if the state file cannot be read. */
export function readStoredFacts(root: string): HookFacts | null {
  const glance = readSummary(root);
  if (glance === null) return null;
  const { meta, blocks } = glance;
  const storedState = makeRunState({ meta: (key) => meta.get(key) ?? null, blocks, newestRun: null });
  return collectFacts(root, storedState);
}

/** Kinds of conflicts. The user decides a `review-conflict` in the web app. */
const CONFLICTS: ReadonlySet<string> = new Set(["conflict", "review-conflict"]);

/** Leaves out the details of problems, because a detail from the service may contain content. */
function listItems(open: Partial<OpenProblems>): HookItem[] {
  const entries = toAttentionJson({ attention: [], safetyStop: null, fault: null, ...open });
  return entries.map(({ path, kind, code, next }) => ({ path, kind, code, next }));
}

/** Returns null if the state file cannot be read. The run itself reports that fault. */
function readSummary(root: string): StateSummary | null {
  const summaryResult = readStateSummary(join(root, MIRROR_FOLDER));
  return summaryResult.kind === "read" ? summaryResult.value : null;
}
