/**
 * Recognises a service that was restored from a backup. The service reports a generation, a mark
 * that changes only with a restore. After a restore, a missing document was not necessarily deleted
 * by somebody. Safety checks therefore stop deletions until no document is missing.
 */

import type { Trees } from "../../model/tree.ts";
import type { Plan } from "../../planner/plan-types.ts";
import type { State } from "../../ports/state.ts";
import { META } from "./meta.ts";
import type { World } from "./world.ts";

/**
 * Returns true if the service was restored since its generation was last stored
 * (`rememberGeneration`).
 * @param named the service's generation; null if the service reports none
 */
export function isRestored(state: Pick<State, "meta">, named: string | null): boolean {
  const knownGeneration = named === null ? null : state.meta(META.generation);
  return knownGeneration !== null && knownGeneration !== named;
}

export function rememberGeneration({ state }: World, { verdict }: Plan, { remote }: Trees): void {
  const { generation = null } = remote;
  if (generation === null || verdict.kind === "safety-stop") return;
  const knownGeneration = state.meta(META.generation);
  if (knownGeneration === generation || (knownGeneration !== null && !mayRemember(state, remote))) return;
  state.setMeta(META.generation, generation);
}

/**
 * Returns true if the generation may be stored: no document of base is missing on the service, or
 * the user approved the missing documents. After an approval, the record of a missing document may
 * stay, because the user edited its file. The user need not approve twice.
 */
function mayRemember(state: State, { complete, foldersComplete, unseen, gone, goneFolders }: Trees["remote"]): boolean {
  const approvedText = state.meta(META.approved);
  if (approvedText !== null && (JSON.parse(approvedText) as string[]).includes("service-restored")) return true;
  if (!complete || !foldersComplete || unseen.size > 0) return false;
  return [...gone].every((id) => state.record(id) === null) && [...goneFolders].every((id) => state.dir(id) === null);
}
