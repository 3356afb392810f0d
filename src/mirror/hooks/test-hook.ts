import { listOwnMirrors } from "../trust/list.ts";
import type { Facts } from "./facts.ts";
import type { EventName, Hook, HookEnd } from "./hook.ts";
import { type HookWorld, runHook } from "./run-hook.ts";

const NOTHING: Omit<Facts, "state"> = {
  changes: {},
  attention: [],
  conflicts: [],
  stopped: [],
  offline: [],
  offlineMs: 0,
  reviews: null,
};
const STATES: Readonly<Record<EventName, Facts["state"]>> = {
  stopped: "stopped",
  offline: "offline",
  conflict: "attention",
  attention: "attention",
  "review-settled": "in-sync",
  "in-sync": "in-sync",
};
const EXAMPLE = { path: "example.md", kind: "test", code: null, next: "nothing: this is a test" } as const;

/** Runs a hook with a made-up event. */
export function testHook(hook: Hook, event: EventName, world: HookWorld, stop: AbortSignal): Promise<HookEnd> {
  const root = listOwnMirrors(world.env).mirrors[0]?.root ?? "/example";
  const now = { ...NOTHING, state: STATES[event] };
  const items = event === "in-sync" ? [] : [EXAMPLE];
  return runHook(hook, { event, items, before: now, now, test: true }, root, world, stop);
}
