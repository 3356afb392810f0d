import { existsSync } from "node:fs";
import { join } from "node:path";
import type { State } from "../ports/state.ts";
import type { LocalTree } from "../model/tree.ts";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { META } from "../engine/run/meta.ts";
import { SEARCH_FILE } from "../state/search-file.ts";
import type { StoredState } from "../state/state.ts";
import type { OpenedMirror } from "./open-mirror.ts";
import { keepSearchIndex } from "../operations/search.ts";

/**
 * What a mirror does for itself between passes: once a day it prunes what is older than its
 * retention, and the search index follows the disk.
 */

const DAY_MS = 86_400_000;
/** How long texts stay that nothing refers to any more, in days on which the mirror ran. */
const RETENTION_DAYS = 30;
const RETENTION_BYTES = 500_000_000;
/** LIMIT: slices of one upkeep; the next day's goes on. A slice takes some milliseconds. */
const SLICES = 400;

/** @param local the walk of the pass that just ended; null when there was none */
export async function keepUp(mirror: OpenedMirror, local: LocalTree | null): Promise<void> {
  pruneDaily(mirror);
  // Until somebody searches there is no index.
  if (local === null || !existsSync(join(mirror.root, MIRROR_FOLDER, SEARCH_FILE))) return;
  keepSearchIndex(mirror.root, local, mirror.world.disk, mirror.world.log);
}

export function pruneDaily(mirror: OpenedMirror): void {
  const { state, clock, log } = mirror.world;
  if (!isStored(state)) return;
  const now = clock.now();
  const noted = state.meta(META.prunedAt);
  const before = Number(noted);
  // A clock that was set back must not stop the pruning for ever.
  if (noted !== null && now - before < DAY_MS && now >= before) return;
  state.setMeta(META.prunedAt, String(now));
  // A new mirror has nothing old enough; after its clone, finding that out would read all texts.
  if (noted === null) return;
  state.spellings.removeOld();
  const pruning = state.prune(now, { days: RETENTION_DAYS, bytes: RETENTION_BYTES });
  for (let slice = 0; slice < SLICES; slice++) {
    const step = pruning.next();
    if (step.done !== true) continue;
    const { texts, events, runs, versions } = step.value;
    if (texts + events + runs + versions > 0) log.write("info", "pruned", { texts, events, runs, versions });
    return;
  }
}

function isStored(state: State): state is StoredState {
  return "prune" in state;
}
