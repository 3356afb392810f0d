import { realpathSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { quoteForShell } from "../model/shell-word.ts";
import { ok, refusal, type Result } from "../../common/trouble.ts";
import { findHooksFile } from "../trust/gate.ts";
import { isSameName, listOwnMirrors } from "../trust/list.ts";
import { describeReadError, type Environment, findAccessFault, readUserFile } from "../trust/registry.ts";
import { isJsonObject } from "../../contract/json.ts";
import { formatAge, parseAge } from "../../common/quantities.ts";

/** Events for which a hook can run, in the order in which mdmirror reports the events. */
export const EVENT_NAMES = ["stopped", "offline", "conflict", "attention", "review-settled", "in-sync"] as const;

export type EventName = (typeof EVENT_NAMES)[number];

/**
 * Milliseconds that a state must last before a daemon runs a hook for it. The user may set another
 * time. With this delay, several quick changes cause only one event, and a short disturbance causes
 * none.
 */
export const USUAL_DEBOUNCE: Readonly<Record<EventName, number>> = {
  stopped: 5_000,
  offline: 60_000,
  conflict: 5_000,
  attention: 5_000,
  "review-settled": 5_000,
  "in-sync": 5_000,
};

export type Hook = {
  readonly name: string;
  /** Events of the hook, each with the milliseconds that the event's state must last. */
  readonly on: ReadonlyMap<EventName, number>;
  /** Names or paths of the linked folders for which the hook runs; null for all folders. */
  readonly mirrors: readonly string[] | null;
  readonly timeoutMs: number;
  /** Program and arguments, which run without a shell. */
  readonly argv: readonly string[];
};

export type HookEnd =
  | { readonly kind: "done"; readonly ms: number }
  | {
      readonly kind: "failed";
      readonly ms: number;
      /** Reason of the failure as a clause for users, such as `it ended with 3`. */
      readonly why: string;
      /** Reason of the failure as a code for the log, such as `exit` or `timeout`. */
      readonly reason: string;
      /** Exit code, signal or system error code of the command; null if there is none. */
      readonly code: number | string | null;
      readonly output: string;
    };

/** Returns the reason of the failure, and the last line that the command printed. */
export function describeFailure({ why, output }: { readonly why: string; readonly output: string }): string {
  const line = output.split("\n").at(-1)?.trim() ?? "";
  return line === "" ? why : `${why}: ${line.slice(0, 200)}`;
}

/** LIMIT: number of bytes of `hooks.json`, so that a damaged file cannot fill the memory. */
const MAX_BYTES = 256 * 1024;

/**
 * Reads the user's hooks from `hooks.json` in `$XDG_CONFIG_HOME/mdmirror` or `~/.config/mdmirror`.
 * A hook runs a program, so mdmirror reads the file only if no other user can write it. A linked
 * folder cannot declare hooks, because another person may have created the folder.
 * @returns trouble if the file is wrong or cannot be trusted
 */
export function readHooks(env: Environment): Result<readonly Hook[]> {
  const file = findHooksFile(env);
  if (file === null) return ok([]);
  const readResult = readSafely(file);
  if (readResult.kind === "absent") return ok([]);
  if (readResult.kind === "unfit")
    return refusal(`${file} ${readResult.why}, so mdmirror runs no hook`, readResult.next, "hooks-unfit");
  const { hooks, faults } = parseHooks(readResult.text);
  if (faults.length === 0) return ok(hooks);
  return refusal(`${file} ${faults.join("; ")}`, "correct the file; until then mdmirror runs no hook", "hooks-unfit");
}

/**
 * Reads the file if only this user or root can write it. Follows a symbolic link, because users
 * keep such files in repositories. The folders of the link and of the link's target must be safe
 * too.
 * ORDER: the folders are checked first, because a link in another user's folder could lead to any
 * file of this user.
 */
function readSafely(file: string): ReturnType<typeof readUserFile> {
  try {
    for (const folder of new Set([dirname(file), dirname(realpathSync(file))])) {
      const fault = findAccessFault(statSync(folder), true);
      if (fault !== null)
        return { kind: "unfit", why: `is in ${folder}, which ${fault}`, next: `chmod go-w ${quoteForShell(folder)}` };
    }
  } catch (error) {
    return describeReadError(error);
  }
  return readUserFile(file, MAX_BYTES, true);
}

/**
 * Returns the folder's name in the registry. If the registry does not have the folder, returns the
 * name on disk.
 * @param root real path of the folder
 */
export function findMirrorName(root: string, env: Environment): string {
  return listOwnMirrors(env).mirrors.find((mirror) => mirror.root === root)?.name ?? basename(root);
}

/** @param root real path of the linked folder */
export function selectHooks(root: string, hooks: readonly Hook[], env: Environment): readonly Hook[] {
  return hooks.filter(({ mirrors }) => mirrors === null || mirrors.some((entry) => isMirror(entry, root, env)));
}

function isMirror(entry: string, root: string, env: Environment): boolean {
  if (!entry.includes("/")) return isSameName(entry, findMirrorName(root, env));
  try {
    return realpathSync(entry) === root;
  } catch {
    // Nothing is at this path, so it is not the path of the linked folder.
    return false;
  }
}

/** LIMIT: number of hooks, because the daemon checks all hooks after each event. */
const MAX_HOOKS = 32;
const HOOK_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$/;
const USUAL_TIMEOUT_MS = 30_000;
/**
 * LIMIT: milliseconds that the command of a hook may run, because the hook cannot start again
 * meanwhile.
 */
const MAX_TIMEOUT_MS = 600_000;
/** LIMIT: largest `debounce` in milliseconds, because a report that comes a day late is useless. */
const MAX_DEBOUNCE_MS = 86_400_000;

type ReportHookFault = (why: string) => void;
type HookMembers = Readonly<Record<string, unknown>>;

/** Reads hooks from JSON. `faults` has a clause for each field that is wrong or unknown. */
export function parseHooks(text: string): { readonly hooks: readonly Hook[]; readonly faults: readonly string[] } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { hooks: [], faults: [`is not JSON: ${(error as Error).message}`] };
  }
  const faults: string[] = [];
  if (!isJsonObject(json) || !isJsonObject(json["hooks"]))
    return { hooks: [], faults: ['must be {"hooks": {NAME: {…}}}'] };
  refuseUnknownMembers(json, ["hooks"], (why) => faults.push(why));
  const entries = Object.entries(json["hooks"]);
  if (entries.length > MAX_HOOKS) faults.push(`has more than ${MAX_HOOKS} hooks`);
  const hooks = entries.map(([name, value]) => readHook(name, value, (why) => faults.push(`"${name}" ${why}`)));
  return faults.length > 0 ? { hooks: [], faults } : { hooks: hooks.filter((hook) => hook !== null), faults };
}

const HOOK_MEMBERS = ["on", "mirrors", "timeout", "run"] as const;

function readHook(name: string, value: unknown, fault: ReportHookFault): Hook | null {
  if (!HOOK_NAME.test(name))
    fault("is not a valid name: at most 40 letters and digits; after the first one also . _ and -");
  if (!isJsonObject(value)) {
    fault("must be an object");
    return null;
  }
  refuseUnknownMembers(value, HOOK_MEMBERS, fault);
  const debounceByEvent = readEvents(value["on"], fault);
  const mirrors = readMirrors(value["mirrors"], fault);
  const argv = readArgv(value["run"], fault);
  const timeoutMs = readTime(value["timeout"], "timeout", MAX_TIMEOUT_MS, fault) ?? USUAL_TIMEOUT_MS;
  return { name, on: debounceByEvent, mirrors, timeoutMs, argv };
}

function refuseUnknownMembers(value: HookMembers, known: readonly string[], fault: ReportHookFault): void {
  for (const member of Object.keys(value))
    if (!known.includes(member)) fault(`has "${member}", which is not a known setting`);
}

function readEvents(value: unknown, fault: ReportHookFault): ReadonlyMap<EventName, number> {
  const debounceByEvent = new Map<EventName, number>();
  const entries = Array.isArray(value)
    ? value.map((name: unknown): [unknown, unknown] => [name, {}])
    : isJsonObject(value)
      ? Object.entries(value)
      : [];
  if (entries.length === 0) fault(`needs "on": a list of ${EVENT_NAMES.join(", ")}`);
  for (const [name, settings] of entries) {
    const event = EVENT_NAMES.find((known) => known === name);
    if (event === undefined) fault(`"on": ${JSON.stringify(name)} is not an event`);
    else debounceByEvent.set(event, readDebounce(event, settings, fault));
  }
  return debounceByEvent;
}

function readDebounce(name: EventName, settings: unknown, fault: ReportHookFault): number {
  if (!isJsonObject(settings)) {
    fault(`"on"."${name}" must be {"debounce": TIME}`);
    return USUAL_DEBOUNCE[name];
  }
  refuseUnknownMembers(settings, ["debounce"], fault);
  return readTime(settings["debounce"], `on"."${name}"."debounce`, MAX_DEBOUNCE_MS, fault) ?? USUAL_DEBOUNCE[name];
}

/** Returns milliseconds; null if the value is missing or wrong. */
function readTime(value: unknown, member: string, max: number, fault: ReportHookFault): number | null {
  if (value === undefined) return null;
  const ms = typeof value === "string" ? parseAge(value) : null;
  if (ms !== null && ms <= max) return ms;
  fault(`"${member}" must be a time such as 30s or 5m, ${formatAge(max)} at most`);
  return null;
}

function readMirrors(value: unknown, fault: ReportHookFault): readonly string[] | null {
  if (value === undefined) return null;
  if (isWordList(value) && value.length > 0) return value;
  fault('"mirrors" must be a list of names or paths of linked folders');
  return null;
}

function readArgv(run: unknown, fault: ReportHookFault): readonly string[] {
  if (isWordList(run) && run.length > 0) return run;
  fault('needs "run": a list of a program and its arguments; for a shell ["sh", "-c", "…"]');
  return [];
}

function isWordList(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) && value.every((word) => typeof word === "string" && !word.includes("\0")) && value[0] !== ""
  );
}
