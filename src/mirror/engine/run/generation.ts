import type { Trees } from "../../model/tree.ts";
import type { Plan } from "../../planner/plan-types.ts";
import type { State } from "../../ports/state.ts";
import { META } from "./meta.ts";
import type { World } from "./world.ts";

/**
 * The generation of the service. After it was restored from a backup, what is gone from it is no
 * sign that somebody deleted it, so the guards ask until all of that is settled.
 */

/**
 * Whether a service is another one than that with which all was settled last.
 * @param named its generation; null: it names none
 */
export function isRestored(state: Pick<State, "meta">, named: string | null): boolean {
  const known = named === null ? null : state.meta(META.generation);
  return known !== null && known !== named;
}

/** Keeps the generation after a run, once nothing is left that the service lacks. */
export function rememberGeneration({ state }: World, { verdict }: Plan, { remote }: Trees): void {
  const { generation = null } = remote;
  if (generation === null || verdict.kind === "safety-stop") return;
  const known = state.meta(META.generation);
  if (known === generation || (known !== null && !isSettled(state, remote))) return;
  state.setMeta(META.generation, generation);
}

/**
 * What waits here, as a document that was edited, may still have to go to the trash; where a person
 * has approved that, it needs no second question.
 */
function isSettled(state: State, { complete, foldersComplete, unseen, gone, goneFolders }: Trees["remote"]): boolean {
  const approved = state.meta(META.approved);
  if (approved !== null && (JSON.parse(approved) as string[]).includes("service-restored")) return true;
  if (!complete || !foldersComplete || unseen.size > 0) return false;
  return [...gone].every((id) => state.link(id) === null) && [...goneFolders].every((id) => state.dir(id) === null);
}
