import type { State } from "../ports/state.ts";
import type { LocalTree } from "../model/tree.ts";
import { META } from "../engine/run/meta.ts";
import type { StoredState } from "../state/state.ts";
import type { OpenedMirror } from "./open-mirror.ts";
import { retentionOf } from "../settings/settings.ts";
import { keepSearchIndex } from "./search-index.ts";

/** Daily upkeep between cycles: prunes old content and updates the search index. */

const DAY_MS = 86_400_000;

/**
 * Does the daily upkeep, if it is due.
 * @param local the walk of the cycle that just ended; null if there was none
 */
export async function keepUp(mirror: OpenedMirror, local: LocalTree | null): Promise<void> {
  pruneDaily(mirror);
  if (local !== null) keepSearchIndex(mirror.root, local, mirror.world.disk, mirror.world.log);
}

export function pruneDaily(mirror: OpenedMirror): void {
  const { state, clock, log } = mirror.world;
  if (!isStored(state)) return;
  const now = clock.now();
  const noted = state.meta(META.prunedAt);
  const before = Number(noted);
  // A time in the future is ignored, so that a clock that was set back does not stop pruning
  // forever.
  if (noted !== null && now - before < DAY_MS && now >= before) return;
  state.setMeta(META.prunedAt, String(now));
  // A new folder has no old content. Upkeep after the first sync would read all contents to find
  // that out.
  if (noted === null) return;
  state.spellings.removeOld();
  const { texts, events, runs, versions } = state.prune(now, retentionOf(mirror.config.keepHistory)!);
  if (texts + events + runs + versions > 0) log.write("info", "pruned", { texts, events, runs, versions });
}

function isStored(state: State): state is StoredState {
  return "prune" in state;
}
