/**
 * Recognises a service that was restored from a backup, by its generation. After a restore, a
 * missing document does not mean that somebody deleted it. Safety checks therefore stop deletions
 * until no document is missing.
 */

import type { Trees } from "../../model/tree.ts";
import type { Plan } from "../../planner/plan-types.ts";
import type { State } from "../../ports/state.ts";
import { META } from "./meta.ts";
import type { World } from "./world.ts";

/**
 * Returns true if the service's generation differs from that of the last run without missing
 * documents.
 * @param named the generation; null if the service reports none
 */
export function isRestored(state: Pick<State, "meta">, named: string | null): boolean {
  const knownGeneration = named === null ? null : state.meta(META.generation);
  return knownGeneration !== null && knownGeneration !== named;
}

/** Remembers the generation after a run in which no document was missing. */
export function rememberGeneration({ state }: World, { verdict }: Plan, { remote }: Trees): void {
  const { generation = null } = remote;
  if (generation === null || verdict.kind === "safety-stop") return;
  const knownGeneration = state.meta(META.generation);
  if (knownGeneration === generation || (knownGeneration !== null && !isSettled(state, remote))) return;
  state.setMeta(META.generation, generation);
}

/**
 * Returns true if the generation may be remembered. A file that was kept because it was edited may
 * still have to go to the trash; if the user has approved that, no second approval is needed.
 */
function isSettled(state: State, { complete, foldersComplete, unseen, gone, goneFolders }: Trees["remote"]): boolean {
  const approved = state.meta(META.approved);
  if (approved !== null && (JSON.parse(approved) as string[]).includes("service-restored")) return true;
  if (!complete || !foldersComplete || unseen.size > 0) return false;
  return [...gone].every((id) => state.record(id) === null) && [...goneFolders].every((id) => state.dir(id) === null);
}
