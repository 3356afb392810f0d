import { randomBytes } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { isJsonObject } from "../../contract/json.ts";
import type { EventName } from "./events.ts";
import { makeFolders } from "../../common/make-folders.ts";

/**
 * States that hooks were run for, and their results: a file for each linked folder, beside the list
 * and outside every folder. An event is a difference between this and the present state, so a crash
 * loses none, and none is reported twice. RACE: two processes may report one event at the same
 * moment.
 */

/** States that a hook was run for; states without an event are removed when they end. */
export type ReportedStates = {
  /** True if the hook ran for `in-sync` and nothing was synced since. */
  readonly inSync: boolean;
  readonly attention: readonly string[];
  readonly conflict: readonly string[];
  readonly stopped: readonly string[];
  readonly offline: boolean;
  readonly reviews: readonly string[];
};

export type Ended = { readonly event: EventName; readonly at: number };
type Failure = Ended & { readonly why: string; readonly output: string };

export type HookMemory = {
  /** Null if the hook never ran for this folder. */
  readonly told: ReportedStates | null;
  /** Last success. */
  readonly last: Ended | null;
  /** Failure since then. */
  readonly failed: Failure | null;
};

export type Memory = {
  readonly hooks: Readonly<Record<string, HookMemory>>;
  /** Time since when single runs did not reach the service, in milliseconds since the epoch. */
  readonly offlineSince: number | null;
};

export const NOTHING_REPORTED: HookMemory = { told: null, last: null, failed: null };
const EMPTY: Memory = { hooks: {}, offlineSince: null };
const VERSION = 1;

/**
 * A file that cannot be read counts as empty: an event too many is better than none.
 * @param file as `hookMemoryOf` names it
 */
export function readMemory(file: string): Memory {
  try {
    const json: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (!isJsonObject(json) || json["version"] !== VERSION || !isJsonObject(json["hooks"])) return EMPTY;
    const { hooks, offlineSince } = json as { hooks: Memory["hooks"]; offlineSince?: unknown };
    const since = typeof offlineSince === "number" ? offlineSince : null;
    return { hooks: Object.fromEntries(Object.entries(hooks).filter(([, one]) => isMemory(one))), offlineSince: since };
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code !== undefined) return EMPTY;
    throw error;
  }
}

function isMemory(one: unknown): boolean {
  if (!isJsonObject(one)) return false;
  const { told, last, failed } = one;
  return isNullOrObject(last) && isNullOrObject(failed) && (told === null || (isJsonObject(told) && isTold(told)));
}

function isNullOrObject(value: unknown): boolean {
  return value === null || isJsonObject(value);
}

function isTold({ attention, conflict, stopped, reviews }: Readonly<Record<string, unknown>>): boolean {
  return [attention, conflict, stopped, reviews].every((list) => Array.isArray(list));
}

/**
 * Changes the entry of one hook.
 * @throws as node:fs does
 */
export function rememberHook(file: string, name: string, change: (before: HookMemory) => HookMemory): void {
  const memory = readMemory(file);
  const before = Object.hasOwn(memory.hooks, name) ? memory.hooks[name]! : NOTHING_REPORTED;
  const after = change(before);
  if (JSON.stringify(after) === JSON.stringify(before)) return;
  writeMemory(file, { ...memory, hooks: { ...memory.hooks, [name]: after } });
}

/** @throws as node:fs does */
export function rememberOffline(file: string, offlineSince: number | null): void {
  const memory = readMemory(file);
  if (memory.offlineSince !== offlineSince) writeMemory(file, { ...memory, offlineSince });
}

/** Writes the whole file or nothing, for this user alone. */
function writeMemory(file: string, memory: Memory): void {
  makeFolders(dirname(file), 0o700);
  const fresh = `${file}.${randomBytes(8).toString("hex")}`;
  try {
    writeFileSync(fresh, `${JSON.stringify({ version: VERSION, ...memory })}\n`, { mode: 0o600, flag: "wx" });
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}
