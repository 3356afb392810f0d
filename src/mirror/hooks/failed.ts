import type { EventName } from "./events.ts";
import type { Env, Hook } from "./hook.ts";
import { type HookMemory, readMemory } from "./memory.ts";
import { readHooks } from "./read-hooks.ts";

/** A hook whose last run for a folder failed. */
export type FailedHook = {
  readonly name: string;
  readonly event: EventName;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** A clause. */
  readonly why: string;
  /** The last output of its command. */
  readonly output: string;
};

/** @param file with the results of hooks for the folder */
export function failedHooks(file: string, env: Env): readonly FailedHook[] {
  const { hooks } = readMemory(file);
  if (Object.values(hooks).every(({ failed }) => failed === null)) return [];
  const read = readHooks(env);
  return (read.kind === "ok" ? read.value : []).flatMap((hook) => failureOf(hook, hooks[hook.name] ?? null));
}

function failureOf(hook: Hook, memory: HookMemory | null): FailedHook[] {
  if (memory === null || memory.failed === null) return [];
  const { event, at, why, output } = memory.failed;
  return [{ name: hook.name, event, at, why, output }];
}
