/**
 * The modules that only a cycle with something to do needs: effects, merge, recovery. They are
 * loaded once, when the first such cycle begins.
 */
type Tools = typeof import("./apply-plan.ts") &
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
  const [apply, recover, remote, trashed] = await Promise.all([
    import("./apply-plan.ts"),
    import("../journal/recover.ts"),
    import("../journal/recover-remote.ts"),
    import("../journal/return-trashed.ts"),
  ]);
  loaded = { ...apply, ...recover, ...remote, ...trashed };
  return loaded;
}
