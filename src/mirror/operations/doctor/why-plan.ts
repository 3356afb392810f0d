import { type Action, subjectOf } from "../../model/action.ts";
import type { Link } from "../../model/link.ts";
import type { Plan } from "../../planner/plan-types.ts";
import { ancestorsOf, isBelow, type LocalPath } from "../../../contract/path.ts";
import type { LocalOther, LocalTree, RemoteFile, Trees } from "../../model/tree.ts";
import type { SyncPlan } from "../../folder/run.ts";

/** Collects facts about one path from a plan that was made for this question. */

/** A path that the user asked about. `keys`: keys of its document or folder in blocks and steps. */
export type ExplainedPath = {
  readonly asked: LocalPath;
  readonly link: Link | null;
  readonly path: LocalPath;
  readonly keys: ReadonlySet<string | undefined>;
};

export type PlanFacts = {
  /** Reason why a local entry is not synced; null if the entry is synced or does not exist. */
  readonly stays: {
    readonly path: LocalPath;
    readonly kind: LocalOther["kind"] | "unseen" | "mirror-folder";
    readonly why: string;
  } | null;
  /** Document in the listing of the service; null if no document is at the path, or offline. */
  readonly remote: RemoteFile | null;
  /** Steps of the next sync for the path or below it; `stopped`: only after `approve`. */
  readonly steps: readonly { readonly action: Action; readonly stopped: boolean }[];
  /** Reasons why a safety check stops or would stop the sync. */
  readonly safetyStops: readonly string[];
};

export const UNPLANNED: PlanFacts = { stays: null, remote: null, steps: [], safetyStops: [] };

export function factsOfPlan({ plan, trees }: SyncPlan, { asked, link, keys }: ExplainedPath): PlanFacts {
  return {
    stays: staysLocal(trees.local, asked),
    remote: remoteOf(trees, link, asked),
    steps: stepsOf(plan, keys, asked),
    safetyStops: plan.verdict.kind === "safety-stop" ? plan.verdict.reasons.map(({ detail }) => detail) : [],
  };
}

function remoteOf(trees: Trees, link: Link | null, asked: LocalPath): RemoteFile | null {
  if (link !== null) return trees.remote.files.get(link.id) ?? null;
  for (const file of trees.remote.files.values()) if (file.path === asked) return file;
  return null;
}

/**
 * Returns true if a path is the folder or below it. Every path is below the root, which is the
 * empty path.
 */
export function isWithin(folder: LocalPath, path: LocalPath): boolean {
  return folder === "" ? path !== "" : isBelow(path, folder);
}

function stepsOf(plan: Plan, keys: ReadonlySet<string | undefined>, asked: LocalPath): PlanFacts["steps"] {
  const isStopped = plan.verdict.kind === "safety-stop";
  return plan.steps.flatMap(({ action }) => {
    const { id, path } = subjectOf(action);
    const isOurs =
      keys.has(path) ||
      (id !== null && keys.has(id)) ||
      ("from" in action && keys.has(action.from)) ||
      isWithin(asked, path);
    return isOurs ? [{ action, stopped: isStopped }] : [];
  });
}

export const STAYS: Readonly<Record<LocalOther["kind"], string>> = {
  symlink: "a symbolic link: not followed and not synced",
  "other-file": "not a .md file",
  ignored: "excluded by .mdmirrorignore",
  "ignored-folder": "a folder that .mdmirrorignore excludes",
  "git-ignored": "left out by .gitignore",
  "git-ignored-folder": "a folder that .gitignore leaves out",
  "dot-folder": "a folder whose name starts with a dot",
  special: "a device, socket or pipe",
  litter: "a temporary file of an editor or desktop, judged by its name",
  "conflict-copy": "a conflict copy: it belongs to its document and is not synced itself",
};

/** Returns a clause such as `left out by line 3 of .gitignore`. */
function whyStays({ kind, rule }: LocalOther): string {
  const byRule = BY_RULE[kind];
  return rule === undefined || byRule === undefined ? STAYS[kind] : `${byRule} ${rule}`;
}

const BY_RULE: Readonly<Partial<Record<LocalOther["kind"], string>>> = {
  ignored: "excluded by",
  "ignored-folder": "a folder that is excluded by",
  "git-ignored": "left out by",
  "git-ignored-folder": "a folder that is left out by",
};

/** Returns why the path, or the nearest folder above it, is not synced. */
function staysLocal(local: LocalTree, asked: LocalPath): PlanFacts["stays"] {
  for (const path of [...ancestorsOf(asked), asked]) {
    if (path === ".mdmirror") return { path, kind: "mirror-folder", why: "mdmirror's own folder" };
    const other = local.others.get(path);
    if (other !== undefined) return { path, kind: other.kind, why: whyStays(other) };
    const unseen = local.unseen.get(path);
    if (unseen !== undefined) return { path, kind: "unseen", why: unseen.why };
  }
  // If the scan could read nothing because the folder kept changing, the entry that is on disk now
  // is used instead.
  const whole = local.unseen.get("");
  if (whole === undefined || local.files.has(asked) || local.folders.has(asked)) return null;
  return { path: "", kind: "unseen", why: whole.why };
}
