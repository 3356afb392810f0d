import { type WaitReason, waitReasonOf } from "../engine/daemon/phase.ts";
import type { Log } from "../ports/world.ts";
import type { FolderEvent } from "../daemon/folder-events.ts";
import type { Changes, Offline, Seen } from "./facts.ts";

/** How one folder of a daemon stands, by its events. */
export class Standing {
  log: Log | null = null;
  /** The last run that told of itself; null: none has ended yet. */
  #seen: Seen | null = null;
  /** `since` by the monotonic clock. */
  #offline: { readonly code: WaitReason; readonly since: number } | null = null;
  /** What its runs carried across, all together. */
  #carried: Changes = {};
  /** The same, when each hook was told `in-sync`. */
  readonly #toldAt = new Map<string, Changes>();

  /** @returns whether it may stand otherwise now */
  take(event: FolderEvent, now: number): boolean {
    if (event.kind === "run") {
      const { state, attention, safetyStop, fault, counts } = event.report;
      this.#seen = { state, attention, safetyStop };
      this.#setOffline(state === "offline" ? waitReasonOf(fault) : null, now);
      const { blocked: _blocked, ...carried } = counts;
      this.#carried = sum(this.#carried, carried, 1);
      return true;
    }
    if (event.kind !== "phase") return false;
    const { phase } = event;
    // While it looks, it is not known otherwise.
    if (phase.kind === "waiting" && phase.why !== "paused") this.#setOffline(phase.why, now);
    else if (phase.kind === "idle" || phase.kind === "stopped") this.#setOffline(null, now);
    return true;
  }

  #setOffline(code: WaitReason | null, now: number): void {
    this.#offline = code === null ? null : { code, since: this.#offline?.since ?? now };
  }

  seen(): Seen | null {
    return this.#seen;
  }

  offline(now: number): Offline | null {
    return this.#offline === null ? null : { code: this.#offline.code, ms: now - this.#offline.since };
  }

  /** What was carried across since the hook was told `in-sync`. */
  carriedFor(hook: string): Changes {
    return sum(this.#carried, this.#toldAt.get(hook) ?? {}, -1);
  }

  /** @param told what it was told of */
  toldInSync(hook: string, told: Changes): void {
    this.#toldAt.set(hook, sum(this.#toldAt.get(hook) ?? {}, told, 1));
  }
}

function sum(a: Changes, b: Changes, sign: 1 | -1): Record<string, number> {
  const total: Record<string, number> = { ...a };
  for (const [name, count] of Object.entries(b)) total[name] = (total[name] ?? 0) + sign * count;
  return total;
}
