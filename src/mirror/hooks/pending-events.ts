import { realpathSync } from "node:fs";
import { isSameName } from "../trust/names.ts";
import { listOwnMirrors } from "../trust/list.ts";
import { basename } from "node:path";
import { type Due, dueEvents, forgetEnded, initialStates, reportEvent } from "./due.ts";
import type { Facts } from "./facts.ts";
import type { Env, Hook } from "./hook.ts";
import { type HookMemory, type Memory, NOTHING_REPORTED, rememberHook, type ReportedStates } from "./memory.ts";

/**
 * Returns the events that one hook still has to receive for one folder, and forgets states that
 * ended.
 */
export function pendingEventsOf(
  hook: Hook,
  facts: Facts,
  { hooks }: Memory,
  file: string,
): { readonly dues: readonly Due[]; readonly told: ReportedStates } {
  const memory = Object.hasOwn(hooks, hook.name) ? hooks[hook.name]! : NOTHING_REPORTED;
  const told = knownNow(hook, facts, memory);
  rememberHook(file, hook.name, (before) => ({ ...before, told }));
  return { dues: dueEvents(facts, told).filter(({ event }) => hook.on.has(event)), told };
}

function knownNow(hook: Hook, facts: Facts, { told }: HookMemory): ReportedStates {
  const known = forgetEnded(facts, told ?? initialStates(facts));
  // Reviews that no hook asked about must not be reported as settled when one does.
  return hook.on.has("review-settled") ? known : reportEvent("review-settled", facts, known);
}

/**
 * Returns the user's name for a linked folder, else the name of the folder.
 * @param root real path
 */
export function mirrorName(root: string, env: Env): string {
  const listed = listOwnMirrors(env);
  const mirrors = listed.kind === "ok" ? listed.value.mirrors : [];
  return mirrors.find((mirror) => mirror.root === root)?.name ?? basename(root);
}

/**
 * Returns the hooks for this folder.
 * @param root real path
 */
export function hooksFor(root: string, hooks: readonly Hook[], env: Env): readonly Hook[] {
  return hooks.filter(({ mirrors }) => mirrors === null || mirrors.some((one) => isMirror(one, root, env)));
}

function isMirror(one: string, root: string, env: Env): boolean {
  if (!one.includes("/")) return isSameName(one, mirrorName(root, env));
  try {
    return realpathSync(one) === root;
  } catch {
    // No folder exists at that path, so it is not this one.
    return false;
  }
}
