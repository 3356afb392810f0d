import type { LogFields } from "../../ports/log.ts";
import type { Clock, Log } from "../../ports/world.ts";
import type { EventName } from "./events.ts";
import type { Env, Hook, HookEnd } from "./hook.ts";
import { type HookMemory, rememberHook, type Told } from "./memory.ts";
import type { Message } from "./message.ts";
import { sealOf } from "./off.ts";
import type { Backoff } from "./post.ts";
import { runCommand } from "./run-command.ts";

/** Tells a hook one event, and keeps how that ended. */

/** Waits between attempts, where nobody waits for the end. */
export const PATIENT: Backoff = [1_000, 10_000, 60_000, 300_000];
/** Where somebody does. */
export const BRIEF: Backoff = [1_000, 4_000];

type Delivering = {
  readonly env: Env;
  readonly clock: Clock;
  readonly backoff: Backoff;
  readonly stop: AbortSignal;
};

export async function deliver(hook: Hook, message: Message, delivering: Delivering): Promise<HookEnd> {
  const { env, clock, backoff, stop } = delivering;
  const { does, timeoutMs } = hook;
  if (does.kind === "run") return runCommand(does, message, { env, timeoutMs, stop });
  // Loaded here, because most hooks are commands.
  const { postMessage } = await import("./post.ts");
  return postMessage(does, message, { env, clock, timeoutMs, backoff, stop });
}

/** @param told what the hook knows now; null: it did not hear it, and is told again */
export function keepEnd(file: string, hook: Hook, message: Message, end: HookEnd, told: Told | null): void {
  const { type: event, timestamp } = message;
  const ended = { event, at: Date.parse(timestamp) };
  rememberHook(file, hook.name, (before): HookMemory => {
    const known = told ?? before.told;
    if (end.kind === "done") return { told: known, last: ended, failed: null, off: null };
    const failed = { ...ended, why: end.why, output: end.output };
    return { ...before, told: known, failed, off: end.gone ? sealOf(hook) : null };
  });
}

/** The line in the folder's log: words and numbers, for what a command prints may be anything. */
export function logEnd(log: Log | null, { name }: Hook, event: EventName, end: HookEnd): void {
  const { ms } = end;
  if (end.kind === "done") log?.write("info", "hook", { what: name, action: event, outcome: "done", ms });
  else
    log?.write("warn", "hook", {
      what: name,
      action: event,
      outcome: "failed",
      reason: end.reason,
      ms,
      ...codeOf(end),
    });
}

function codeOf({ code }: Extract<HookEnd, { kind: "failed" }>): Pick<LogFields, "status" | "code"> {
  if (code === null) return {};
  return typeof code === "number" ? { status: code } : { code };
}

/** A clause for people, with the last line that a command printed. */
export function failureClause({ why, output }: { readonly why: string; readonly output: string }): string {
  const line = output.split("\n").at(-1)?.trim() ?? "";
  return line === "" ? why : `${why}: ${line.slice(0, 200)}`;
}
