import type { Store } from "./store/store.ts";

const DAY_MS = 86_400_000;
/** Changes that a step of pruning reads, about 5 ms. */
const PRUNE_PORTION = 200;

/**
 * Prunes one portion.
 * @param from end of the previous step
 * @returns the end of this step; null if nothing is left
 */
export function pruneFrom(store: Pick<Store, "write">, now: () => number, from: number): Promise<number | null> {
  return store.write(async ({ settings, changes }) => {
    const { keepVersionsDays: days, keepVersions: keep } = await settings.get();
    if (days === null && keep === null) return null;
    const before = days === null ? null : now() - days * DAY_MS;
    return changes.prune(from, PRUNE_PORTION, { before, keep });
  });
}
