import type { Action } from "../../src/mirror/model/action.ts";
import type { Plan } from "../../src/mirror/planner/plan-types.ts";

/** Steps in the words of the tables: kind and paths; `~` marks a temporary one. */
function wordsOf(action: Action): string {
  switch (action.kind) {
    case "move-local":
    case "rename-remote":
    case "reparent-remote":
    case "move-folder-local":
    case "rename-folder-remote":
    case "reparent-folder-remote":
    case "move-conflict-copy":
      return `${action.kind} ${action.from}>${action.to}${"temporary" in action && action.temporary ? "~" : ""}`;
    case "relink":
    case "create-local":
    case "create-remote":
    case "meet":
    case "link-folder":
    case "make-folder-local":
    case "make-folder-remote":
      return `${action.kind}${"carries" in action && action.carries !== null ? " alone" : ""} ${action.localPath === action.remotePath ? action.localPath : `${action.localPath}=${action.remotePath}`}`;
    case "delete-remote":
    case "remove-folder-remote":
      return `${action.kind} ${action.remotePath}`;
    case "note-facts":
      return `note-facts ${action.state}${action.protected ? " protected" : ""}`;
    case "look-again":
    case "forget-folder":
      return action.kind;
    case "end-conflict":
      return `end-conflict ${action.how} ${action.localPath}`;
    case "trash-local":
      return `trash-local ${action.localPath}${action.cause === "outside" ? " outside" : ""}`;
    case "drop-conflict":
      return `drop-conflict ${action.newestCopyPath ?? "-"}`;
    case "put":
    case "merge":
      return `${action.kind} ${action.localPath}${action.review ? " review" : ""}`;
    default:
      return `${action.kind} ${action.localPath}`;
  }
}

/** Returns the whole plan in order, then its blocks, with temporary names shortened. */
export function planWords(plan: Plan): string[] {
  const steps = plan.steps.map(({ action }) => wordsOf(action));
  const blocks = plan.blocks.map(({ reason, path }) => `block ${reason} ${path}`);
  return [...steps, ...blocks].map((word) =>
    word.replaceAll(/-mdmirror-[0-9a-f]{8}/g, "-TMP").replaceAll(/-[0-9a-f]{8}\b/g, "-HEX"),
  );
}
