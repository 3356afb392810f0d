import type { State } from "../ports/state.ts";
import { META } from "../engine/run/meta.ts";
import type { StoredState } from "../state/state.ts";
import type { OpenedMirror } from "./open-mirror.ts";
import { retentionOf } from "../settings/settings.ts";

const DAY_MS = 86_400_000;

/** Prunes old contents between two cycles, once a day. */
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
