import { listOwnMirrors } from "../trust/list.ts";
import type { Facts } from "./facts.ts";
import type { EventName, Hook, HookEnd } from "./hook.ts";
import { messageOf } from "./message.ts";
import { runCommand } from "./run-command.ts";
import type { HookWorld } from "./run-hook.ts";

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

type Testing = HookWorld & { readonly stop: AbortSignal };

/** Runs a hook with a made-up event. */
export function testHook(hook: Hook, event: EventName, { env, clock, random, stop }: Testing): Promise<HookEnd> {
  const listed = listOwnMirrors(env);
  const mirrors = listed.kind === "ok" ? listed.value.mirrors : [];
  const { name, root } = mirrors[0] ?? { name: "example", root: "/example" };
  const now = { ...NOTHING, state: STATES[event] };
  const items = event === "in-sync" ? [] : [EXAMPLE];
  const message = messageOf({ event, items, before: now, now }, { name, root, clock, random, test: true });
  return runCommand(hook, message, { env, timeoutMs: hook.timeoutMs, stop });
}
