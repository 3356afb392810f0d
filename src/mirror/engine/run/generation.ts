import type { Trees } from "../../model/tree.ts";
import type { Plan } from "../../planner/plan-types.ts";
import type { State } from "../../ports/state.ts";
import { META } from "./meta.ts";
import type { World } from "./world.ts";

/**
 * Tells by its generation whether the service was restored from a backup. After that, a missing
 * document does not mean that somebody deleted it, so the safety checks ask until nothing is
 * missing any more.
 */

/**
 * Returns whether the service has another generation than when nothing was missing last.
 * @param named its generation; null: it names none
 */
export function isRestored(state: Pick<State, "meta">, named: string | null): boolean {
  const known = named === null ? null : state.meta(META.generation);
  return known !== null && known !== named;
}

/** Remembers the generation after a run, once the service lacks nothing. */
export function rememberGeneration({ state }: World, { verdict }: Plan, { remote }: Trees): void {
  const { generation = null } = remote;
  if (generation === null || verdict.kind === "safety-stop") return;
  const known = state.meta(META.generation);
  if (known === generation || (known !== null && !isSettled(state, remote))) return;
  state.setMeta(META.generation, generation);
}

/**
 * A document that waits locally because it was edited may still have to move to the trash. If the
 * user has approved that, it needs no second question.
 */
function isSettled(state: State, { complete, foldersComplete, unseen, gone, goneFolders }: Trees["remote"]): boolean {
  const approved = state.meta(META.approved);
  if (approved !== null && (JSON.parse(approved) as string[]).includes("service-restored")) return true;
  if (!complete || !foldersComplete || unseen.size > 0) return false;
  return [...gone].every((id) => state.link(id) === null) && [...goneFolders].every((id) => state.dir(id) === null);
}
