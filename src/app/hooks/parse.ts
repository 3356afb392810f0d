import { isAbsolute, resolve } from "node:path";
import { isJsonObject } from "../../contract/json.ts";
import { ageText, parseAge } from "../../model/age.ts";
import { isLoopbackHost } from "../../model/loopback.ts";
import { isEventName, EVENT_NAMES, type EventName, USUAL_DEBOUNCE } from "./events.ts";
import type { Command, Hook, Post, SecretPlace } from "./hook.ts";

/** What `hooks.json` says, read with care: a member that is not known is a fault, not a guess. */

/** LIMIT: hooks of one user. */
const MOST_HOOKS = 32;
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$/;
const ENV_NAME = /^[A-Z_][A-Z0-9_]{0,127}$/;
const TIMEOUTS = { run: { usual: 30_000, most: 600_000 }, post: { usual: 10_000, most: 60_000 } } as const;
/** LIMIT: a state that is told a day late is told in vain. */
const MOST_DEBOUNCE_MS = 86_400_000;

type OnFault = (why: string) => void;
type Members = Readonly<Record<string, unknown>>;

/**
 * @param folder absolute; what relative secret files are looked for in
 * @returns faults: a clause on each that names its member
 */
export function parseHooks(
  text: string,
  folder: string,
): { readonly hooks: readonly Hook[]; readonly faults: readonly string[] } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { hooks: [], faults: [`is not JSON: ${(error as Error).message}`] };
  }
  const faults: string[] = [];
  if (!isJsonObject(json) || !isJsonObject(json["hooks"]))
    return { hooks: [], faults: ['must be {"hooks": {NAME: {…}}}'] };
  refuseOthers(json, ["hooks"], (why) => faults.push(why));
  const entries = Object.entries(json["hooks"]);
  if (entries.length > MOST_HOOKS) faults.push(`has more than ${MOST_HOOKS} hooks`);
  const hooks = entries.map(([name, value]) => readHook(name, value, folder, (why) => faults.push(`"${name}" ${why}`)));
  return faults.length > 0 ? { hooks: [], faults } : { hooks: hooks.filter((hook) => hook !== null), faults };
}

const MEMBERS = ["on", "mirrors", "timeout", "run", "post", "secretFile", "secretEnv"] as const;

function readHook(name: string, value: unknown, folder: string, fault: OnFault): Hook | null {
  if (!NAME.test(name)) fault("is no name: letters, digits, and . _ - after the first, 40 at most");
  if (!isJsonObject(value)) {
    fault("must be an object");
    return null;
  }
  refuseOthers(value, MEMBERS, fault);
  const does = readDoes(value, folder, fault);
  const on = readOn(value["on"], fault);
  const mirrors = readMirrors(value["mirrors"], fault);
  if (does === null) return null;
  const { usual, most } = TIMEOUTS[does.kind];
  return { name, on, mirrors, timeoutMs: readTime(value["timeout"], "timeout", most, fault) ?? usual, does };
}

function refuseOthers(value: Members, known: readonly string[], fault: OnFault): void {
  for (const member of Object.keys(value)) if (!known.includes(member)) fault(`has "${member}", which is no member`);
}

function readOn(value: unknown, fault: OnFault): ReadonlyMap<EventName, number> {
  const on = new Map<EventName, number>();
  const entries = Array.isArray(value)
    ? value.map((name: unknown): [unknown, unknown] => [name, {}])
    : isJsonObject(value)
      ? Object.entries(value)
      : [];
  if (entries.length === 0) fault(`needs "on": a list of ${EVENT_NAMES.join(", ")}`);
  for (const [name, settings] of entries) {
    if (typeof name !== "string" || !isEventName(name)) fault(`"on": ${JSON.stringify(name)} is no event`);
    else on.set(name, readDebounce(name, settings, fault));
  }
  return on;
}

function readDebounce(name: EventName, settings: unknown, fault: OnFault): number {
  if (!isJsonObject(settings)) fault(`"on"."${name}" must be {"debounce": TIME}`);
  else {
    refuseOthers(settings, ["debounce"], fault);
    return readTime(settings["debounce"], `on"."${name}"."debounce`, MOST_DEBOUNCE_MS, fault) ?? USUAL_DEBOUNCE[name];
  }
  return USUAL_DEBOUNCE[name];
}

/** @returns null: it is not given, or is a fault */
function readTime(value: unknown, member: string, most: number, fault: OnFault): number | null {
  if (value === undefined) return null;
  const ms = typeof value === "string" ? parseAge(value) : null;
  if (ms !== null && ms <= most) return ms;
  fault(`"${member}" must be a time such as 30s or 5m, ${ageText(most)} at most`);
  return null;
}

function readMirrors(value: unknown, fault: OnFault): readonly string[] | null {
  if (value === undefined) return null;
  if (isWords(value) && value.length > 0) return value;
  fault('"mirrors" must be a list of names or folders of mirrors');
  return null;
}

function readDoes(value: Members, folder: string, fault: OnFault): Command | Post | null {
  const { run, post } = value;
  if ((run === undefined) === (post === undefined)) fault('needs "run" or "post", and not both');
  if (post !== undefined) return readPost(value, folder, fault);
  for (const member of ["secretFile", "secretEnv"]) if (member in value) fault(`"${member}" goes with "post"`);
  if (run === undefined) return null;
  if (isWords(run) && run.length > 0) return { kind: "run", argv: run };
  fault('"run" must be a list: a program and its arguments; for a shell ["sh", "-c", "…"]');
  return null;
}

function isWords(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) && value.every((word) => typeof word === "string" && !word.includes("\0")) && value[0] !== ""
  );
}

function readPost(value: Members, folder: string, fault: OnFault): Post | null {
  const { post: url } = value;
  const secret = readSecretPlace(value, folder, fault);
  const unfit = typeof url === "string" ? addressFault(url) : "must be an address";
  if (unfit !== null) fault(`"post" ${unfit}`);
  return secret === null || unfit !== null ? null : { kind: "post", url: url as string, secret };
}

/** @returns a clause that does not repeat the address, which may hold a secret */
function addressFault(text: string): string | null {
  if (!URL.canParse(text)) return "must be an absolute https address";
  const { protocol, hostname, username, password, hash } = new URL(text);
  if (username !== "" || password !== "") return "must not hold a user name or password";
  if (hash !== "") return "must not hold a fragment";
  if (protocol === "https:") return null;
  if (protocol !== "http:") return "must be an absolute https address";
  return isLoopbackHost(hostname.replace(/^\[|\]$/g, "")) ? null : "must be https, unless it is this machine's own";
}

function readSecretPlace(value: Members, folder: string, fault: OnFault): SecretPlace | null {
  const { secretFile: file, secretEnv: name } = value;
  if ((file === undefined) === (name === undefined)) {
    fault('needs "secretFile" or "secretEnv" with "post", and not both');
    return null;
  }
  if (file === undefined) {
    if (typeof name === "string" && ENV_NAME.test(name)) return { kind: "env", name };
    fault('"secretEnv" must be the name of a variable');
    return null;
  }
  if (typeof file === "string" && file !== "" && !file.includes("\0"))
    return { kind: "file", path: isAbsolute(file) ? file : resolve(folder, file) };
  fault('"secretFile" must be a path, absolute or from the folder of this file');
  return null;
}
