/**
 * The modules that only a pass with something to do needs: planner, effects, merge, recovery. They
 * are loaded once, when the first is begun: 90 modules, a third of what a sync without work would
 * load.
 */
type Tools = typeof import("../../planner/clone-plan.ts") &
  typeof import("./apply-plan.ts") &
  typeof import("../journal/recover.ts") &
  typeof import("../journal/recover-remote.ts") &
  typeof import("../journal/return-trashed.ts");

let loaded: Tools | null = null;

/**
 * null: call `loadTools` first. Two functions, so that whoever has them need not wait for a turn of
 * the loop (I32).
 */
export function readyTools(): Tools | null {
  return loaded;
}

export async function loadTools(): Promise<Tools> {
  const [clone, apply, recover, remote, trashed] = await Promise.all([
    import("../../planner/clone-plan.ts"),
    import("./apply-plan.ts"),
    import("../journal/recover.ts"),
    import("../journal/recover-remote.ts"),
    import("../journal/return-trashed.ts"),
  ]);
  loaded = { ...clone, ...apply, ...recover, ...remote, ...trashed };
  return loaded;
}
