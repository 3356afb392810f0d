import { type Digest, digestOf } from "../../../contract/digest.ts";
import type { World } from "../../engine/run/world.ts";
import { type RunReport, runSync, USUAL_RUN } from "../../folder/run.ts";
import { ok, type Result } from "../../../common/trouble.ts";
import { type GuestOptions, withMirror } from "../../folder/with-mirror.ts";
import { readUndo, type UndoEnd, type UndoPlan, undoRun } from "./undo.ts";

/** Undoes a plan that a person looked at before, only if it is still the same plan. */

export type UndoneSeen =
  | { readonly kind: "undone"; readonly ends: readonly UndoEnd[]; readonly report: RunReport }
  /** Nothing was written: the plan has changed. */
  | { readonly kind: "changed" };

/** A plan with a digest that identifies it. */
type SeenUndo = { readonly plan: UndoPlan; readonly mark: Digest };

export function readUndoPlan(world: Pick<World, "state" | "disk">, run: number): Result<SeenUndo> {
  const plan = readUndo(world, run);
  return plan.kind === "trouble" ? plan : ok({ plan: plan.value, mark: markOf(plan.value) });
}

function markOf({ runs, items }: UndoPlan): Digest {
  return digestOf(Buffer.from(JSON.stringify([runs.map(({ run }) => run), items])));
}

/** Undoes the run, then syncs. */
export function undoSeen(
  root: string,
  { run, mark }: { readonly run: number; readonly mark: string },
  options: GuestOptions,
): Promise<Result<UndoneSeen>> {
  const opening = { ...options, mode: "write", what: "undo" } as const;
  return withMirror<UndoneSeen>(root, opening, async (mirror) => {
    const seen = readUndoPlan(mirror.world, run);
    if (seen.kind === "trouble") return seen;
    if (seen.value.mark !== mark) return ok({ kind: "changed" });
    const { ends } = await undoRun(mirror.world, seen.value.plan);
    return ok({ kind: "undone", ends, report: await runSync(mirror, USUAL_RUN, "sync") });
  });
}
