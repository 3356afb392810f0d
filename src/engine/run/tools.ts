/**
 * What only a pass that finds something to do needs: the planner, the effects, the merge, the
 * recovery. Loaded when one is begun, once: 90 modules, a third of all that a sync with nothing to
 * do would load.
 */
type Tools = typeof import("../../planner/plan.ts") &
  typeof import("./apply-plan.ts") &
  typeof import("../journal/recover.ts") &
  typeof import("../journal/recover-remote.ts") &
  typeof import("../journal/return-trashed.ts");

let loaded: Tools | null = null;

/**
 * null: `loadTools` comes first. Not asked for in one step: who has them does not wait for a turn
 * (I32).
 */
export function readyTools(): Tools | null {
  return loaded;
}

export async function loadTools(): Promise<Tools> {
  const [plan, apply, recover, remote, trashed] = await Promise.all([
    import("../../planner/plan.ts"),
    import("./apply-plan.ts"),
    import("../journal/recover.ts"),
    import("../journal/recover-remote.ts"),
    import("../journal/return-trashed.ts"),
  ]);
  loaded = { ...plan, ...apply, ...recover, ...remote, ...trashed };
  return loaded;
}
