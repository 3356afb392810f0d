import { parseAge } from "../../common/quantities.ts";
import { shownName } from "../../common/shown-words.ts";
import { isJsonObject } from "../../contract/json.ts";
import { findFirstFault } from "../../contract/names.ts";
import type { RemotePath } from "../../contract/path.ts";
import { findPatternFault } from "../local/pattern-fault.ts";
import type { Policy } from "../model/policy.ts";

/**
 * Declaration of one setting of a linked folder. Used to check the configuration file, by `mdmirror
 * config`, and in the user documentation.
 */
export type Setting<T> = {
  readonly defaultValue: T;
  /** Possible values, as a sentence for users. Words in backquotes are typed as they are. */
  readonly values: string;
  readonly meaning: string;
  readonly page?: string;
  /** Command that changes the setting, if it is not enough to edit the configuration file. */
  readonly setBy?: string;
  /** Returns true if this change needs only the configuration file, not the command in `setBy`. */
  canChange?(from: T, to: T): boolean;
  /** Returns the value if the setting allows the value; otherwise reports why not. */
  readonly read: (value: unknown, fault: OnFault) => T | undefined;
};

/**
 * Receives the reason why a value is not allowed, as a clause.
 * @param part wrong part of the value, such as `[0].policy`; undefined if the whole value is wrong
 */
type OnFault = (why: string, part?: string) => undefined;

export type SettingGroup = { readonly [name: string]: Setting<unknown> | SettingGroup };

export type ValueOf<S> = S extends Setting<infer T> ? T : { readonly [Name in keyof S]: ValueOf<S[Name]> };

export const SETTINGS = {
  url: {
    defaultValue: "",
    values: "a URL",
    meaning: "The address of the service. It has no default.",
    setBy: "mdmirror unlink, then mdmirror init --url URL",
    read: (value, fault) =>
      typeof value === "string" && value !== "" ? value : fault("must be the service's base URL, as a string"),
  } as Setting<string>,
  remote: {
    defaultValue: "",
    values: 'a path, or a list such as `["guides", "team/notes"]`',
    meaning:
      "The folder of the workspace that is linked; empty: all of it. A list: only these folders, each at its own path.",
    setBy: "link another folder: mdmirror init DIR --url URL --remote PATH",
    canChange: (from, to) => readPrefix(from) === readPrefix(to),
    read: (value, fault) => readRemote(value) ?? fault("must be the path of a folder of the workspace, or a list"),
  } as Setting<LinkedPart>,
  direction: makeChoice<Policy["direction"]>(["both", "pull", "push"], {
    meaning:
      "Which changes are synced. `pull`: only those of the service; nothing is uploaded. `push`: only local changes; no local file changes.",
    page: "direction",
  }),
  names: makeChoice<Policy["names"]>(["map", "block"], {
    meaning:
      "What happens to a file whose name the service refuses. `map`: upload it under an accepted name. `block`: do not upload it, and report it.",
  }),
  links: {
    mode: makeChoice(["keep", "translate"], {
      meaning: "Whether mdmirror converts links: paths in local files, ids on the service.",
      page: "links",
      setBy: "mdmirror links translate|keep",
    }),
    wiki: makeFlag(false, {
      meaning: "Whether `translate` converts wiki links too.",
      page: "links",
      setBy: "mdmirror links translate --wiki",
    }),
  },
  conflicts: {
    defaultValue: "conflict-copy",
    values: "`conflict-copy`, `copy`, `local`, `remote`, or a list of `{paths, policy}`",
    meaning: "Which version wins if both sides changed the same words.",
    page: "conflicts",
    read: readConflicts,
  } as Setting<ConflictPolicy | readonly ConflictRule[]>,
  gitignore: makeFlag(false, { meaning: "Whether `.gitignore` files exclude documents that are not linked yet." }),
  keepHistory: {
    defaultValue: "30d, 500MB",
    values: "days and a size, such as `90d, 2GB`",
    meaning: "How long earlier versions are kept, and how much space they may take. Days on which mdmirror ran count.",
    page: "recovery",
    read: (value, fault) =>
      typeof value === "string" && parseRetention(value) !== null
        ? value
        : fault("must be days and a size, such as 30d, 500MB: 1d to 3650d, 10MB to 1000GB"),
  } as Setting<string>,
  allowHttp: {
    defaultValue: [],
    values: "a list of hosts",
    meaning: "Hosts for which plain http is allowed. Others on the network can then read the key.",
    read: (value, fault) =>
      Array.isArray(value) && value.every((host) => typeof host === "string" && host !== "")
        ? (value as string[])
        : fault("must be a list of hosts"),
  } as Setting<readonly string[]>,
  interface: {
    progress: makeFlag(true, { meaning: "Whether commands show the progress of long work." }),
    quietFor: makeTime("1h", null, {
      meaning:
        "How long such a problem lasts before `sync --quiet` reports it: another process uses the folder, or the service cannot be reached.",
    }),
  },
  events: {
    listen: makeFlag(true, {
      meaning: "Whether the daemon receives events from the service, if the service reports them.",
    }),
    // LIMIT: at most 1h, because after a lost event only a poll shows the change.
    pollEvery: makeTime("60s", ["1s", "1h"], {
      meaning: "How often the daemon also asks the service for changes while it receives events.",
    }),
  },
  polling: {
    // LIMIT: at least 1, because without requests the daemon would find no changes on the service.
    requestsPerMinute: makeWholeNumber(60, [1, 6_000], {
      meaning: "How many requests a minute the daemon may send to find changes.",
    }),
  },
  handsOff: {
    // LIMIT: at most 60s, because users would mistake a longer wait for a failure.
    quiet: makeTime("2s", ["0s", "60s"], {
      meaning: "A file that changed within this time is not overwritten. `0s` turns that off.",
    }),
    open: makeTime("10m", ["0s", "24h"], {
      meaning: "How long a file that an editor has open is not overwritten. `0s` turns that off.",
    }),
  },
};

/** Returns the settings in the order of the documentation, with names such as `events.listen`. */
export function listSettings(
  group: SettingGroup = SETTINGS,
  prefix = "",
): { name: string; setting: Setting<unknown> }[] {
  return Object.entries(group).flatMap(([name, entry]) =>
    isSetting(entry) ? [{ name: prefix + name, setting: entry }] : listSettings(entry, `${prefix}${name}.`),
  );
}

export function isSetting(entry: Setting<unknown> | SettingGroup): entry is Setting<unknown> {
  return typeof entry.read === "function";
}

/** Returns why the setting does not allow the value; null if the setting allows the value. */
export function findValueFault(name: string, { read }: Setting<unknown>, value: unknown): string | null {
  let fault: string | null = null;
  read(value, (why, part = "") => {
    fault = `${name}${part} ${why}`;
    return undefined;
  });
  return fault;
}

type SettingDocs = Pick<Setting<unknown>, "meaning" | "page" | "setBy">;

/** Values in configuration files of an older mdmirror, each with the value that replaces it. */
const FORMER_VALUES: ReadonlyMap<unknown, string> = new Map([
  ["hold", "block"],
  ["sidecar", "conflict-copy"],
]);

/** Declares a setting with a few allowed values. The first value is the default. */
function makeChoice<T extends string>(allowed: readonly [T, ...T[]], docs: SettingDocs): Setting<T> {
  return {
    ...docs,
    defaultValue: allowed[0],
    values: allowed.map((word) => `\`${word}\``).join(", "),
    read: (value, fault) => chooseAllowed(allowed, value) ?? fault(describeAllowed(allowed)),
  };
}

function chooseAllowed<T extends string>(allowed: readonly T[], value: unknown): T | undefined {
  const currentWord = FORMER_VALUES.get(value) ?? value;
  return allowed.find((value) => value === currentWord);
}

function describeAllowed(allowed: readonly string[]): string {
  return `must be one of ${allowed.map((word) => JSON.stringify(word)).join(", ")}`;
}

function makeFlag(defaultValue: boolean, docs: SettingDocs): Setting<boolean> {
  return {
    ...docs,
    defaultValue,
    values: "`true`, `false`",
    read: (value, fault) => (typeof value === "boolean" ? value : fault("must be true or false")),
  };
}

/** @param range least and greatest duration; null to allow every duration */
function makeTime(defaultValue: string, range: readonly [string, string] | null, docs: SettingDocs): Setting<string> {
  const [min, max] = range ?? ["0s", null];
  return {
    ...docs,
    defaultValue,
    values: max === null ? "a time" : `${min} to ${max}`,
    read(value, fault) {
      const ms = typeof value === "string" ? parseAge(value) : null;
      if (ms !== null && ms >= parseTime(min) && (max === null || ms <= parseTime(max))) return value as string;
      return fault(max === null ? "must be a time such as 0s, 15m, 6h or 2d" : `must be a time from ${min} to ${max}`);
    },
  };
}

function makeWholeNumber(
  defaultValue: number,
  [least, most]: readonly [number, number],
  docs: SettingDocs,
): Setting<number> {
  return {
    ...docs,
    defaultValue,
    values: `${least} to ${most}`,
    read: (value, fault) =>
      Number.isInteger(value) && (value as number) >= least && (value as number) <= most
        ? (value as number)
        : fault(`must be a whole number from ${least} to ${most}`),
  };
}

/** Returns the milliseconds of a time such as `15m`. The text must be valid. */
export function parseTime(text: string): number {
  return parseAge(text) ?? 0;
}

/** LIMIT: least `keepHistory`, because with fewer days a user could not undo yesterday's edit. */
const MIN_HISTORY = { days: 1, bytes: 10_000_000 } as const;
const MAX_HISTORY = { days: 3_650, bytes: 1_000_000_000_000 } as const;

/** Reads a value of `keepHistory`; null if the value is not allowed. */
export function parseRetention(text: string): { readonly days: number; readonly bytes: number } | null {
  const match = /^(\d{1,4})d, ?(\d{1,4})(MB|GB)$/.exec(text);
  if (match === null) return null;
  const days = Number(match[1]);
  const bytes = Number(match[2]) * (match[3] === "MB" ? 1_000_000 : 1_000_000_000);
  const isAllowed = [
    days >= MIN_HISTORY.days && days <= MAX_HISTORY.days,
    bytes >= MIN_HISTORY.bytes && bytes <= MAX_HISTORY.bytes,
  ].every(Boolean);
  return isAllowed ? { days, bytes } : null;
}

/** Returns the path without slashes at both ends; null for an illegal path. */
export function cleanPrefix(text: string): RemotePath | null {
  const path = text.replace(/^\/+|\/+$/g, "");
  return path === "" || findFirstFault(path, "folder") === null ? path : null;
}

/** Linked part of the workspace: path of a folder, list of paths, or "" for the whole workspace. */
export type LinkedPart = RemotePath | readonly RemotePath[];

/** Returns the linked part in a value of the setting `remote`; null for a wrong value. */
export function readRemote(value: unknown): LinkedPart | null {
  if (typeof value === "string") return cleanPrefix(value);
  if (!Array.isArray(value) || value.length === 0) return null;
  const paths = value.map((path: unknown) => (typeof path === "string" ? cleanPrefix(path) : null));
  return paths.every((path) => path !== null && path !== "") ? (paths as RemotePath[]) : null;
}

/** Returns the linked part with these paths; null if one of the paths is illegal. */
export function parseLinkedPart(paths: readonly string[]): LinkedPart | null {
  return readRemote(paths.length > 1 ? paths : (paths[0] ?? ""));
}

/** Returns the path of the linked folder's root on the service; "" for the workspace's root. */
export function readPrefix(remote: LinkedPart): RemotePath {
  return typeof remote === "string" ? remote : "";
}

/**
 * Returns the paths of the linked folders on the service if a list is linked; otherwise an empty
 * list.
 */
export function listLinkedFolders(remote: LinkedPart): readonly RemotePath[] {
  return typeof remote === "string" ? [] : remote;
}

/** Returns the linked part as words for the end of a sentence; "" for the whole workspace. */
export function describeLinkedPart(remote: LinkedPart): string {
  if (remote === "") return "";
  return typeof remote === "string" ? `, folder ${shownName(remote)}` : `, folders ${remote.map(shownName).join(", ")}`;
}

export type ConflictPolicy = ReturnType<Policy["conflicts"]>;
/**
 * Conflict policy for the paths that match a gitignore pattern. If several rules match a path, the
 * first rule applies.
 */
type ConflictRule = { readonly paths: string; readonly policy: ConflictPolicy };

const POLICIES: readonly ConflictPolicy[] = ["conflict-copy", "copy", "local", "remote"];

function readConflicts(value: unknown, fault: OnFault): ConflictPolicy | readonly ConflictRule[] | undefined {
  if (!Array.isArray(value)) return chooseAllowed(POLICIES, value) ?? fault(describeAllowed(POLICIES));
  return value.flatMap((rule: unknown, index) => readRule(rule, (why, part = "") => fault(why, `[${index}]${part}`)));
}

function readRule(rule: unknown, fault: OnFault): readonly ConflictRule[] {
  if (!isJsonObject(rule) || typeof rule["paths"] !== "string" || rule["paths"] === "") {
    fault('must be {"paths": a pattern, "policy": …}');
    return [];
  }
  const pathsProblem = findPathsFault(rule["paths"]);
  if (pathsProblem !== null) fault(pathsProblem, ".paths");
  const unknownMember = Object.keys(rule).find((name) => name !== "paths" && name !== "policy");
  if (unknownMember !== undefined) fault("is not an option of a rule", `.${unknownMember}`);
  const policy = chooseAllowed(POLICIES, rule["policy"]);
  if (policy === undefined) fault(rule["policy"] === undefined ? "is missing" : describeAllowed(POLICIES), ".policy");
  return policy === undefined ? [] : [{ paths: rule["paths"], policy }];
}

/** Returns why a pattern cannot select the paths of a conflict rule; null if the pattern can. */
function findPathsFault(pattern: string): string | null {
  if (/[{}]/.test(pattern))
    return "must not contain braces, which have no meaning in gitignore patterns: write one rule for each";
  return findLineFault(pattern);
}

/** Returns why a pattern cannot be a line of `.mdmirrorignore`; null if the pattern can. */
export function findLineFault(pattern: string): string | null {
  if (/^[#!]/.test(pattern)) return 'must not begin with "#" or "!"';
  if (/[\r\n\0]/.test(pattern) || pattern.trim() === "") return "must be one pattern of gitignore syntax";
  return findPatternFault(pattern);
}
