import { join } from "node:path";
import type { WaitReason } from "../engine/daemon/phase.ts";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { glanceAtState } from "../state/glance.ts";
import type { GlanceCache } from "../folder/glances.ts";
import type { RunReport } from "../folder/run.ts";
import { attentionJson } from "../operations/results/attention.ts";

/** State of a linked folder for hooks: paths, codes and numbers, never content. */
export type Facts = {
  readonly state: RunReport["state"];
  /** Changes synced since the hook ran for `in-sync`, as far as this process saw. */
  readonly changes: Changes;
  /** Problems that require a person. */
  readonly attention: readonly Item[];
  /** Conflicts, also those in review that need no local choice. */
  readonly conflicts: readonly Item[];
  /** Reasons of a stop. */
  readonly stopped: readonly Item[];
  /** Reasons why the service was not reached. */
  readonly offline: readonly Item[];
  /** Milliseconds for which it has not been reached. */
  readonly offlineMs: number;
  /** Changes in review, by `SINCE PATH`; null if not known. */
  readonly reviews: readonly string[] | null;
};

/** By the names of the counts of `sync --json`. */
export type Changes = Readonly<Record<string, number>>;

/** `path`: "" is the whole folder. */
export type Item = {
  readonly path: string;
  readonly kind: string;
  readonly code: string | null;
  readonly next: string;
};

export type Seen = Pick<RunReport, "state" | "attention" | "safetyStop">;

const NO_GLANCES: Pick<GlanceCache, "at"> = { at: glanceAtState };

/** Reason and duration of an unreachable service. */
export type Offline = { readonly code: WaitReason; readonly ms: number };

/**
 * @param root a folder that has `.mdmirror/`
 * @param glances for a process that reads states repeatedly
 * @param offline later facts of a daemon than its last run; null if the service is reached
 */
export function factsOf(
  root: string,
  report: Seen,
  offline: Offline | null,
  changes: Changes,
  glances: Pick<GlanceCache, "at"> = NO_GLANCES,
): Facts {
  // Pending changes need nobody.
  const asking = report.attention.filter(({ waits }) => !waits);
  const attention = itemsOf(asking);
  return {
    state: offline === null ? report.state : "offline",
    changes,
    attention,
    conflicts: itemsOf(report.attention.filter(({ kind }) => CONFLICTS.has(kind))),
    stopped: attentionJson({ attention: [], safetyStop: report.safetyStop, fault: null }).map(itemOf),
    offline: offline === null ? [] : [{ path: "", kind: "offline", code: offline.code, next: "mdmirror doctor" }],
    offlineMs: offline?.ms ?? 0,
    reviews: reviewsOf(root, glances),
  };
}

/** Two conflicting edits: local, or in review, where somebody decides in the web app. */
const CONFLICTS: ReadonlySet<string> = new Set(["conflict", "review-conflict"]);

function itemsOf(attention: Seen["attention"]): Item[] {
  return attentionJson({ attention, safetyStop: null, fault: null }).map(itemOf);
}

/** Leaves out the detail, in which a service may repeat what was sent to it. */
function itemOf({ path, kind, code, next }: Item): Item {
  return { path, kind, code, next };
}

/** A state that cannot be read is reported by the run itself. */
function reviewsOf(root: string, glances: Pick<GlanceCache, "at">): readonly string[] | null {
  const glanced = glances.at(join(root, MIRROR_FOLDER));
  if (glanced.kind !== "read") return null;
  return glanced.value.survey.reviews.map(({ path, since }) => `${since} ${path}`);
}
