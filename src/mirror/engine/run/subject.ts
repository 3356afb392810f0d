import type { Action } from "../../model/action.ts";
import type { LocalPath } from "../../../contract/path.ts";

/** Returns the document or folder of an action, for logs and reports. */
export function subjectOf(action: Action): { readonly id: string | null; readonly path: LocalPath } {
  const id = "id" in action ? action.id : "dirId" in action ? action.dirId : null;
  if ("localPath" in action) return { id, path: action.localPath };
  if ("to" in action) return { id, path: action.to };
  return { id, path: "" };
}
