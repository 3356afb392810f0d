import type { DocId } from "../../../contract/ids.ts";
import type { Action } from "../../model/action.ts";
import type { RemoteTree } from "../../model/tree.ts";
import type { State } from "../../ports/state.ts";
import { endedWell, metAnotherEdit } from "../run/execute.ts";
import type { Planned } from "../run/pass-context.ts";
import { remoteFileOf } from "./in-sync.ts";

/**
 * Actions after which the service has the document as its record says, or does not have it any
 * more.
 */
const FOLLOWED: ReadonlySet<Action["kind"]> = new Set([
  "put",
  "create-remote",
  "write-local",
  "create-local",
  "delete-remote",
]);

/**
 * Returns the service's tree after the effects of a run, as base has it now (I12). Null after any
 * other effect, or when one did not succeed or met another edit: then the service is listed again.
 */
export function remoteAfterPass(
  state: Pick<State, "link" | "linksAt">,
  { plan, ends }: Planned,
  remote: RemoteTree,
): RemoteTree | null {
  const files = new Map(remote.files);
  for (const [index, { action }] of plan.steps.entries()) {
    const end = ends[index];
    if (end?.kind !== "ran" || !endedWell(end.outcome) || metAnotherEdit(end.outcome)) return null;
    if (action.kind === "note-facts") continue;
    const id = FOLLOWED.has(action.kind) ? documentOf(state, action) : null;
    if (id === null) return null;
    const link = state.link(id);
    if (link === null) files.delete(id);
    else files.set(id, remoteFileOf(link));
  }
  return { ...remote, files };
}

function documentOf(state: Pick<State, "linksAt">, action: Action): DocId | null {
  if ("id" in action) return action.id;
  return action.kind === "create-remote" ? (state.linksAt(action.localPath)[0]?.id ?? null) : null;
}
