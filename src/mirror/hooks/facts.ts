import { join } from "node:path";
import type { WaitReason } from "../engine/daemon/phase.ts";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { glanceAtState } from "../state/glance.ts";
import type { Glances } from "../folder/glances.ts";
import type { RunReport } from "../folder/run.ts";
import { attentionJson } from "../operations/results/attention.ts";

/** How a mirror stands, as far as hooks are told of it: paths, codes and numbers, never a text. */
export type Facts = {
  readonly state: RunReport["state"];
  /** What was carried across since the hook was told `in-sync`, as far as this process saw. */
  readonly changes: Changes;
  /** What needs a person. */
  readonly attention: readonly Item[];
  /** Also those that wait in review, and so need nobody here. */
  readonly conflicts: readonly Item[];
  /** Why it halted. */
  readonly stopped: readonly Item[];
  /** Why the service was not reached, if it was not. */
  readonly offline: readonly Item[];
  /** For how long it has not been reached, in milliseconds. */
  readonly offlineMs: number;
  /** What waits in review, by `SINCE PATH`; null: not known. */
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

const NO_GLANCES: Pick<Glances, "at"> = { at: glanceAtState };

/** Since when, and why, the service is not reached. */
export type Offline = { readonly code: WaitReason; readonly ms: number };

/**
 * @param root a folder that holds `.mdmirror/`
 * @param glances of a process that looks again and again
 * @param offline what a daemon knows of later looks than its last run; null: it is reached
 */
export function factsOf(
  root: string,
  report: Seen,
  offline: Offline | null,
  changes: Changes,
  glances: Pick<Glances, "at"> = NO_GLANCES,
): Facts {
  // What waits by itself needs nobody.
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

/** Two edits that met: here, or in review, where somebody decides in the app. */
const CONFLICTS: ReadonlySet<string> = new Set(["conflict", "review-conflict"]);

function itemsOf(attention: Seen["attention"]): Item[] {
  return attentionJson({ attention, safetyStop: null, fault: null }).map(itemOf);
}

/** Leaves out the detail, in which a service may repeat what was sent to it. */
function itemOf({ path, kind, code, next }: Item): Item {
  return { path, kind, code, next };
}

/** A state that cannot be read is told by the run itself. */
function reviewsOf(root: string, glances: Pick<Glances, "at">): readonly string[] | null {
  const glanced = glances.at(join(root, MIRROR_FOLDER));
  if (glanced.kind !== "read") return null;
  return glanced.value.survey.reviews.map(({ path, since }) => `${since} ${path}`);
}
