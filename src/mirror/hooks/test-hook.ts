import { existsSync } from "node:fs";
import type { Clock } from "../../common/clock.ts";
import type { Random } from "../../common/random.ts";
import type { EventName } from "./events.ts";
import type { Facts } from "./facts.ts";
import type { Env, Hook, HookEnd } from "./hook.ts";
import { memories } from "./list.ts";
import { readMemory, rememberHook } from "./memory.ts";
import { messageOf } from "./message.ts";
import { runCommand } from "./run-command.ts";

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

type Testing = { readonly env: Env; readonly clock: Clock; readonly random: Random; readonly stop: AbortSignal };

/** Runs a hook with a made-up event. A success ends an earlier failure. */
export async function testHook(hook: Hook, event: EventName, testing: Testing): Promise<HookEnd> {
  const { env, clock, random, stop } = testing;
  const kept = memories(env);
  const { mirror: name, root } = kept[0] ?? { mirror: "example", root: "/example" };
  const about = { name, root, at: clock.now(), id: `msg_${random.hex(24)}`, test: true };
  const message = messageOf(
    { event, items: event === "in-sync" ? [] : [EXAMPLE] },
    { ...NOTHING, state: STATES[event] },
    about,
  );
  const end = await runCommand(hook, message, { env, timeoutMs: hook.timeoutMs, stop });
  if (end.kind === "failed") return end;
  for (const { file } of kept.filter(({ file }) => existsSync(file))) {
    const { [hook.name]: before } = readMemory(file).hooks;
    if (before !== undefined && before.failed !== null)
      rememberHook(file, hook.name, (one) => ({ ...one, failed: null }));
  }
  return end;
}
