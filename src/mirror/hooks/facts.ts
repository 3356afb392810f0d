import { join } from "node:path";
import type { WaitReason } from "../engine/daemon/phase.ts";
import { type RunState, runStateOf } from "../engine/run/run-state.ts";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { attentionJson, type OpenProblems } from "../operations/results/attention.ts";
import type { AttentionEntry } from "../operations/results/shapes.ts";
import { type StateSummary, readStateSummary } from "../state/glance.ts";

/** State of a linked folder for hooks: paths, codes and numbers, never content. */
export type Facts = {
  readonly state: RunState["state"];
  /** Number of changes that this process has synced. */
  readonly changes: Changes;
  /** Problems that require a person. */
  readonly attention: readonly HookItem[];
  /** Conflicts, also those in review that need no local choice. */
  readonly conflicts: readonly HookItem[];
  /** Reasons of a stop. */
  readonly stopped: readonly HookItem[];
  /** Reasons why the service is not reached. */
  readonly offline: readonly HookItem[];
  /** Milliseconds for which the service has not been reached. */
  readonly offlineMs: number;
  /** Changes in review, each as `SINCE PATH`; null if unknown. */
  readonly reviews: readonly string[] | null;
};

/** Numbers of changes, by the names of the counts of `sync --json`. */
export type Changes = Readonly<Record<string, number>>;

/** One problem. `path`: path of the problem; "" is the whole folder. */
export type HookItem = Omit<AttentionEntry, "detail">;

/** State of a folder, from the report of a run or from the state file. */
export type FolderState = Pick<RunState, "state" | "attention"> & Pick<OpenProblems, "safetyStop">;

/** Reason why the service is unreachable, and for how long. */
type OfflineFact = { readonly code: WaitReason; readonly ms: number };

type StoredFacts = {
  /** Reason and duration; null if the service is reached. */
  readonly offline?: OfflineFact | null;
  readonly changes?: Changes;
};

/** @param root a folder that has `.mdmirror/` */
export function factsOf(
  root: string,
  { state, attention, safetyStop }: FolderState,
  { offline = null, changes = {} }: StoredFacts = {},
): Facts {
  return {
    state: offline === null ? state : "offline",
    changes,
    // Pending problems need no action of a person.
    attention: itemsOf(attention.filter(({ waits }) => !waits)),
    conflicts: itemsOf(attention.filter(({ kind }) => CONFLICTS.has(kind))),
    stopped: attentionJson({ attention: [], safetyStop, fault: null }).map(itemOf),
    offline: offline === null ? [] : [{ path: "", kind: "offline", code: offline.code, next: "mdmirror doctor" }],
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

function itemsOf(attention: FolderState["attention"]): HookItem[] {
  return attentionJson({ attention, safetyStop: null, fault: null }).map(itemOf);
}

/**
 * Returns an item without its detail, in which a service may repeat content that was sent to it.
 */
function itemOf({ path, kind, code, next }: HookItem): HookItem {
  return { path, kind, code, next };
}

/** Reads the state file; null if it cannot be read, which the run itself reports. */
function readSummary(root: string): StateSummary | null {
  const glanced = readStateSummary(join(root, MIRROR_FOLDER));
  return glanced.kind === "read" ? glanced.value : null;
}
