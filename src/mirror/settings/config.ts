import { join } from "node:path";
import { isJsonObject } from "../../contract/json.ts";
import { patternFault } from "../local/pattern-fault.ts";
import { readOwn, replaceOwn } from "../state/own-files.ts";
import { CONFIG_FILE } from "../model/mirror-folder.ts";
import { UnsafePath } from "../../common/unsafe-path.ts";
import { pathFault } from "../../contract/names.ts";
import type { RemotePath } from "../../contract/path.ts";
import type { Policy } from "../model/policy.ts";
import {
  isLengthOfTime,
  type OnFault,
  readEvents,
  readEditorWait,
  readPolling,
  USUAL_EVENTS,
  DEFAULT_EDITOR_WAIT,
  USUAL_POLLING,
} from "./config-times.ts";
import { errnoClause, ok, type Result, trouble } from "../../common/trouble.ts";

/**
 * `.mdmirror/config.json`: the linked workspace and its options. `init` writes it, and people edit
 * it.
 */
export type Config = {
  readonly url: string;
  /** The linked folder of the workspace, without slashes at its ends; "" is the whole. */
  readonly remote: RemotePath;
  readonly names: Policy["names"];
  /** `translate`: links between documents are paths locally, and ids on the service. */
  readonly links: LinkMode;
  /** In the file `"links": {"mode": "translate", "wiki": true}`: wiki links are translated too. */
  readonly wiki: boolean;
  /**
   * One policy, or a list of which the first rule with a matching `paths` (one gitignore pattern)
   * applies; otherwise `conflict-copy`.
   */
  readonly conflicts: ConflictPolicy | readonly ConflictRule[];
  /** True if the folder's `.gitignore` files leave out files that are not linked. */
  readonly gitignore: boolean;
  /** Hosts for which plain http is allowed, in addition to loopback. */
  readonly allowHttp: readonly string[];
  /**
   * `progress`: whether commands show the progress of long work. `quietFor`: time for which `sync
   * --quiet` is silent about a locked folder or an unreachable service, in the form that `parseAge`
   * reads.
   */
  readonly interface: { readonly progress: boolean; readonly quietFor: string };
  readonly events: typeof USUAL_EVENTS;
  readonly polling: typeof USUAL_POLLING;
  readonly handsOff: typeof DEFAULT_EDITOR_WAIT;
};

export type LinkMode = "keep" | "translate";

export type ConflictPolicy = ReturnType<Policy["conflicts"]>;
type ConflictRule = { readonly paths: string; readonly policy: ConflictPolicy };

export const DEFAULT_CONFIG: Omit<Config, "url"> = {
  remote: "",
  names: "map",
  links: "keep",
  wiki: false,
  conflicts: "conflict-copy",
  gitignore: false,
  allowHttp: [],
  interface: { progress: true, quietFor: "1h" },
  events: USUAL_EVENTS,
  polling: USUAL_POLLING,
  handsOff: DEFAULT_EDITOR_WAIT,
};

const POLICIES: readonly ConflictPolicy[] = ["conflict-copy", "copy", "local", "remote"];
/** A hook runs programs, and anybody may have made the folder. */
const HOOKS_ELSEWHERE = "is not allowed in a folder: hooks are read only from ~/.config/mdmirror/hooks.json";
const NEXT = "correct this option in the file, or remove it to use the default";

/** @param folder absolute path of `.mdmirror` */
export function readConfig(folder: string): Result<Config> {
  const file = join(folder, CONFIG_FILE);
  let text: string;
  try {
    const read = readOwn(folder, CONFIG_FILE);
    if (read === null) return unreadable(file, "it does not exist; was the folder unlinked?");
    text = read.bytes.toString("utf8");
  } catch (error) {
    if (error instanceof UnsafePath) throw error;
    return unreadable(file, errnoClause(error));
  }
  return parseConfig(text, file);
}

function unreadable(file: string, why: string): Result<never> {
  return trouble("usage", `${file} cannot be read: ${why}`, "link the folder again: mdmirror init --url URL");
}

/** @param file for messages, which name the file and the member */
export function parseConfig(text: string, file: string): Result<Config> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return trouble(
      "usage",
      `${file} is not JSON: ${(error as Error).message}`,
      "correct the file, or link the folder again: mdmirror init --url URL",
    );
  }
  const faults: string[] = [];
  const fault = (member: string, why: string) => void faults.push(`${file}: "${member}" ${why}`);
  if (!isJsonObject(json)) return trouble("usage", `${file} contains no JSON object`, NEXT);
  for (const name of Object.keys(json)) {
    if (name === "hooks") fault(name, HOOKS_ELSEWHERE);
    else if (name !== "url" && (name === "wiki" || !Object.hasOwn(DEFAULT_CONFIG, name)))
      fault(name, "is not a known setting");
  }
  const config: Config = {
    url: readUrl(json["url"], fault),
    remote: readRemote(json["remote"], fault),
    names: oneOf(json["names"], "names", ["map", "block"], DEFAULT_CONFIG.names, fault),
    ...readLinks(json["links"], fault),
    conflicts: readConflicts(json["conflicts"], fault),
    gitignore: readFlag(json["gitignore"], "gitignore", fault),
    allowHttp: readHosts(json["allowHttp"], fault),
    interface: readInterface(json["interface"], fault),
    events: readEvents(json["events"], fault),
    polling: readPolling(json["polling"], fault),
    handsOff: readEditorWait(json["handsOff"], fault),
  };
  return faults.length === 0 ? ok(config) : trouble("usage", faults.join("; "), NEXT);
}

function readUrl(value: unknown, fault: OnFault): string {
  if (typeof value === "string" && value !== "") return value;
  fault("url", "must be the service's base URL, as a string");
  return "";
}

function readRemote(value: unknown, fault: OnFault): RemotePath {
  if (value === undefined) return DEFAULT_CONFIG.remote;
  const path = typeof value === "string" ? cleanPrefix(value) : null;
  if (path === null) fault("remote", "must be the path of a folder of the workspace");
  return path ?? "";
}

/**
 * Returns a `--remote` in its stored form, or null if no folder of the service can have this path.
 */
export function cleanPrefix(text: string): RemotePath | null {
  const path = text.replace(/^\/+|\/+$/g, "");
  return path === "" || pathFault(path, "folder") === null ? path : null;
}

/** Values that folders linked by earlier programs have in the file. */
const FORMER_WORDS: ReadonlyMap<unknown, string> = new Map([
  ["hold", "block"],
  ["sidecar", "conflict-copy"],
]);

function oneOf<T extends string>(value: unknown, member: string, all: readonly T[], otherwise: T, fault: OnFault): T {
  if (value === undefined) return otherwise;
  const word = FORMER_WORDS.get(value) ?? value;
  const found = all.find((one) => one === word);
  if (found === undefined) fault(member, `must be one of ${all.map((one) => JSON.stringify(one)).join(", ")}`);
  return found ?? otherwise;
}

function readLinks(value: unknown, fault: OnFault): Pick<Config, "links" | "wiki"> {
  const modes = ["keep", "translate"] as const;
  if (!isJsonObject(value)) return { links: oneOf(value, "links", modes, DEFAULT_CONFIG.links, fault), wiki: false };
  for (const name of Object.keys(value))
    if (name !== "mode" && name !== "wiki") fault(`links.${name}`, "is not a known option");
  const links = oneOf(value["mode"], "links.mode", modes, DEFAULT_CONFIG.links, fault);
  const wiki = value["wiki"] ?? false;
  if (typeof wiki !== "boolean") fault("links.wiki", "must be true or false");
  if (wiki === true && links === "keep") fault("links.wiki", 'needs "mode": "translate"');
  return { links, wiki: wiki === true };
}

function readConflicts(value: unknown, fault: OnFault): Config["conflicts"] {
  if (!Array.isArray(value)) return oneOf(value, "conflicts", POLICIES, "conflict-copy", fault);
  return value.flatMap((rule: unknown, index): ConflictRule[] => {
    const member = `conflicts[${index}]`;
    if (!isJsonObject(rule) || typeof rule["paths"] !== "string" || rule["paths"] === "") {
      fault(member, 'must be {"paths": a pattern, "policy": …}');
      return [];
    }
    const unfit = pathsFault(rule["paths"]);
    if (unfit !== null) fault(`${member}.paths`, unfit);
    const extra = Object.keys(rule).find((name) => name !== "paths" && name !== "policy");
    if (extra !== undefined) fault(`${member}.${extra}`, "is not an option of a rule");
    if (rule["policy"] === undefined) fault(`${member}.policy`, "is missing");
    return [
      { paths: rule["paths"], policy: oneOf(rule["policy"], `${member}.policy`, POLICIES, "conflict-copy", fault) },
    ];
  });
}

/** Checks a pattern as in `.mdmirrorignore`; some of its lines have no meaning in this list. */
function pathsFault(pattern: string): string | null {
  if (/^[#!]/.test(pattern)) return 'must not begin with "#" or "!"';
  if (/[{}]/.test(pattern))
    return "must not contain braces, which have no meaning in gitignore patterns: write one rule for each";
  if (/[\r\n]/.test(pattern) || pattern.trim() === "") return "must be one pattern of gitignore syntax";
  return patternFault(pattern);
}

function readFlag(value: unknown, member: string, fault: OnFault): boolean {
  if (value !== undefined && typeof value !== "boolean") fault(member, "must be true or false");
  return value === true;
}

function readHosts(value: unknown, fault: OnFault): readonly string[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every((host) => typeof host === "string" && host !== "")) return value as string[];
  fault("allowHttp", "must be a list of hosts");
  return [];
}

function readInterface(value: unknown, fault: OnFault): Config["interface"] {
  const usual = DEFAULT_CONFIG.interface;
  if (value === undefined) return usual;
  if (!isJsonObject(value)) {
    fault("interface", "must be an object");
    return usual;
  }
  for (const name of Object.keys(value))
    if (!Object.hasOwn(usual, name)) fault(`interface.${name}`, "is not a known option");
  const progress = value["progress"] ?? usual.progress;
  if (typeof progress !== "boolean") fault("interface.progress", "must be true or false");
  const quietFor = value["quietFor"] ?? usual.quietFor;
  if (!isLengthOfTime(quietFor)) fault("interface.quietFor", "must be a time such as 0s, 15m, 6h or 2d");
  return { progress: progress === true, quietFor: isLengthOfTime(quietFor) ? quietFor : usual.quietFor };
}

/**
 * Writes the whole file or nothing, also during a power loss.
 * @throws as node:fs does
 */
export function writeConfig(folder: string, { wiki, ...config }: Config): void {
  const links = wiki ? { mode: config.links, wiki } : config.links;
  replaceOwn(folder, CONFIG_FILE, `${JSON.stringify({ ...config, links }, null, 2)}\n`, true);
}

/**
 * Returns true if a folder is linked: it has a configuration that is neither empty nor full of
 * zeros after a power loss.
 * @param folder absolute path of `.mdmirror`
 * @throws UnsafePath; else as node:fs does
 */
export function hasConfig(folder: string): boolean {
  const read = readOwn(folder, CONFIG_FILE);
  return read?.bytes.some((byte) => byte !== 0) === true;
}
