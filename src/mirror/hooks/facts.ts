import { join } from "node:path";
import type { WaitReason } from "../engine/daemon/phase.ts";
import { type RunState, runStateOf } from "../engine/run/run-state.ts";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { attentionJson, type OpenProblems } from "../operations/results/attention.ts";
import type { AttentionEntry } from "../operations/results/shapes.ts";
import type { EventName } from "./hook.ts";
import { type StateSummary, readStateSummary } from "../state/glance.ts";

/** State of a linked folder for hooks: paths, codes and numbers, never content. */
export type Facts = {
  readonly state: RunState["state"];
  /** Number of changes that this process has synced. */
  readonly changes: Changes;
  /**
   * Open problems by their event. `attention`: they require a person; `conflict`: also those in
   * review that need no local choice; `stopped`, `offline`: the reasons.
   */
  readonly problems: Readonly<Record<ProblemEvent, readonly HookItem[]>>;
  /** Milliseconds for which the service has not been reached. */
  readonly offlineMs: number;
  /** Changes in review, each as `SINCE PATH`; null if unknown. */
  readonly reviews: readonly string[] | null;
};

/** Events that happen when a problem begins. */
type ProblemEvent = Exclude<EventName, "review-settled" | "in-sync">;

/** Numbers of changes, by the names of the counts of `sync --json`. */
export type Changes = Readonly<Record<string, number>>;

/** One problem. `path`: path of the problem; "" is the whole folder. */
export type HookItem = Omit<AttentionEntry, "detail">;

/** State of a folder, from the report of a run or from the state file. */
export type FolderState = Pick<RunState, "state" | "attention"> & Pick<OpenProblems, "safetyStop">;

type KnownFacts = {
  /** Why the service is unreachable, and for how long; null if it is reached. */
  readonly offline?: { readonly code: WaitReason; readonly ms: number } | null;
  readonly changes?: Changes;
};

/** @param root a folder that has `.mdmirror/` */
export function factsOf(
  root: string,
  { state, attention, safetyStop }: FolderState,
  { offline = null, changes = {} }: KnownFacts = {},
): Facts {
  const isOffline = offline !== null || state === "offline";
  const unreached = { path: "", kind: "offline", code: offline?.code ?? null, next: "mdmirror doctor" };
  return {
    state: isOffline ? "offline" : state,
    changes,
    problems: {
      // Pending problems need no action of a person.
      attention: itemsOf({ attention: attention.filter(({ waits }) => !waits) }),
      conflict: itemsOf({ attention: attention.filter(({ kind }) => CONFLICTS.has(kind)) }),
      stopped: itemsOf({ safetyStop }),
      offline: isOffline ? [unreached] : [],
    },
    offlineMs: offline?.ms ?? 0,
    reviews: readSummary(root)?.totals.reviews.map(({ path, since }) => `${since} ${path}`) ?? null,
  };
}

/** Reads what the last run left in the state file; null if the file cannot be read. */
export function readStoredFacts(root: string): Facts | null {
  const glance = readSummary(root);
  if (glance === null) return null;
  const { meta, blocks } = glance;
  const stored = runStateOf({ meta: (key) => meta.get(key) ?? null, blocks, newestRun: null });
  return factsOf(root, stored);
}

/**
 * Kinds of problem with two conflicting edits: local, or in review, where somebody decides in the
 * web app.
 */
const CONFLICTS: ReadonlySet<string> = new Set(["conflict", "review-conflict"]);

/**
 * Returns problems without their details, in which a service may repeat content that was sent to
 * it.
 */
function itemsOf(open: Partial<OpenProblems>): HookItem[] {
  const entries = attentionJson({ attention: [], safetyStop: null, fault: null, ...open });
  return entries.map(({ path, kind, code, next }) => ({ path, kind, code, next }));
}

/** Reads the state file; null if it cannot be read, which the run itself reports. */
function readSummary(root: string): StateSummary | null {
  const glanced = readStateSummary(join(root, MIRROR_FOLDER));
  return glanced.kind === "read" ? glanced.value : null;
}
