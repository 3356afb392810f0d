import type { Due } from "./due.ts";
import type { EventName } from "./events.ts";
import type { Hook } from "./hook.ts";

/** LIMIT: a state that keeps changing is reported after this many times its debounce. */
const MOST_TIMES = 10;
/**
 * LIMIT: runs of a hook for one folder. A hook that changes the folder would otherwise run forever.
 */
const MOST_TOLD = { times: 30, withinMs: 600_000 } as const;

type Wait = { readonly key: string; readonly first: number; readonly from: number };

/** Times since when each hook has pending events for one folder, by the monotonic clock. */
export class PendingSince {
  readonly #since = new Map<string, Wait>();
  readonly #toldAt = new Map<string, readonly number[]>();

  /**
   * @param offlineMs milliseconds for which the service has not been reached
   * @returns when each event is due
   */
  of(hook: Hook, dues: readonly Due[], offlineMs: number, now: number): ReadonlyMap<EventName, number> {
    const due = new Set<string>(dues.map(({ event }) => event));
    for (const event of hook.on.keys()) if (!due.has(event)) this.#since.delete(nameOf(hook, event));
    const free = this.#freeAt(hook, now);
    return new Map(
      dues.map(({ event, key }) => {
        const { first, from } = this.#keep(nameOf(hook, event), key, event === "offline" ? now - offlineMs : now);
        const debounce = hook.on.get(event)!;
        return [event, Math.max(free, Math.min(from + debounce, first + MOST_TIMES * debounce))];
      }),
    );
  }

  /** The event was reported. */
  forget(hook: Hook, event: EventName, now: number): void {
    this.#since.delete(nameOf(hook, event));
    this.#toldAt.set(hook.name, [...(this.#toldAt.get(hook.name) ?? []), now].slice(-MOST_TOLD.times));
  }

  #keep(name: string, key: string, from: number): Wait {
    const before = this.#since.get(name);
    if (before?.key === key) return before;
    const wait = { key, first: before?.first ?? from, from };
    this.#since.set(name, wait);
    return wait;
  }

  #freeAt({ name }: Hook, now: number): number {
    const told = this.#toldAt.get(name) ?? [];
    return told.length < MOST_TOLD.times ? now : told[0]! + MOST_TOLD.withinMs;
  }
}

function nameOf({ name }: Hook, event: EventName): string {
  return `${name} ${event}`;
}
