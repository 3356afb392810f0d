import type { DirId, DocId } from "../../../contract/ids.ts";
import type { SyncPlan } from "../../folder/run.ts";
import { ACTION_WORDS, actionPath, type PathOf, publicKind } from "./actions.ts";
import { type FolderShare, largestFolders } from "./largest.ts";
import type { BlockedPath, PlannedStep } from "./shapes.ts";

export function pathsOf({ links, dirs }: SyncPlan["trees"]["base"]): PathOf {
  return (id) => (links.get(id as DocId) ?? dirs.get(id as DirId))?.localPath ?? null;
}

/** Returns the object of `plan --json`. */
export function planJson(preview: SyncPlan): {
  readonly steps: readonly PlannedStep[];
  readonly blocked: readonly BlockedPath[];
  readonly verdict: SyncPlan["plan"]["verdict"];
  readonly staysLocal: SyncPlan["staysLocal"];
  readonly largest: readonly FolderShare[];
} {
  const { plan, staysLocal, trees } = preview;
  const pathOf = pathsOf(trees.base);
  const stopped = new Set(plan.verdict.kind === "safety-stop" ? plan.verdict.stoppedSteps : []);
  return {
    steps: plan.steps.map(({ action, after }, index) => ({
      kind: publicKind(action.kind),
      side: SIDES[ACTION_WORDS[action.kind].arrow],
      path: "from" in action ? action.to : actionPath(action, pathOf),
      from: "from" in action ? action.from : null,
      id: "id" in action ? action.id : "dirId" in action ? action.dirId : null,
      why: action.why,
      after,
      stopped: stopped.has(index),
    })),
    blocked: plan.blocks.map(({ path, reason, code, detail, requestId }) => ({
      path,
      reason,
      code,
      detail,
      requestId,
    })),
    verdict: plan.verdict,
    staysLocal,
    largest: largestFolders(preview, MOST_FOLDERS),
  };
}

/** LIMIT: folders that are named. */
const MOST_FOLDERS = 20;

const SIDES = { "→": "remote", "←": "local", "↔": "both", "·": "none" } as const;
