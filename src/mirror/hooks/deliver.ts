import type { LogFields } from "../ports/log.ts";
import type { Log } from "../ports/world.ts";
import type { EventName } from "./events.ts";
import type { Hook, HookEnd } from "./hook.ts";
import { type HookMemory, rememberHook, type ReportedStates } from "./memory.ts";
import type { Message } from "./message.ts";

/** Stores, logs and words the result of a hook. */

/** @param told the states reported to the hook; null if it did not finish, and is run again */
export function keepEnd(file: string, hook: Hook, message: Message, end: HookEnd, told: ReportedStates | null): void {
  const { type: event, timestamp } = message;
  const ended = { event, at: Date.parse(timestamp) };
  rememberHook(file, hook.name, (before): HookMemory => {
    const known = told ?? before.told;
    if (end.kind === "done") return { told: known, last: ended, failed: null };
    const failed = { ...ended, why: end.why, output: end.output };
    return { ...before, told: known, failed };
  });
}

/**
 * Returns the line for the folder's log: words and numbers only, because output may be anything.
 */
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

/** Returns a clause for people, with the last line that a command printed. */
export function failureClause({ why, output }: { readonly why: string; readonly output: string }): string {
  const line = output.split("\n").at(-1)?.trim() ?? "";
  return line === "" ? why : `${why}: ${line.slice(0, 200)}`;
}
