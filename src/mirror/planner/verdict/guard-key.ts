import { type Action, getSubject } from "../../model/action.ts";

/**
 * Returns a key of an action's kind, its document, and the version or content that it expects. An
 * approval stores this key, so that it covers exactly this action, in later plans too. The key of
 * an action on a folder has only the folder's id.
 */
export function toGuardKey(action: Action): string {
  switch (action.kind) {
    case "delete-remote":
      return `delete-remote ${action.id} ${action.changeId}`;
    case "trash-local":
      return `trash-local ${action.id} ${action.expect}`;
    case "put":
      return `put ${action.id} ${action.baseChangeId} ${action.expect}`;
    case "meet":
    case "merge":
    case "write-local":
    case "settle-review":
      return `${action.kind} ${action.id} ${action.changeId} ${action.expect}`;
    case "end-conflict":
      return `end-conflict ${action.id} ${action.baseChangeId} ${action.expect}`;
    default:
      return `${action.kind} ${getSubject(action).id}`;
  }
}
