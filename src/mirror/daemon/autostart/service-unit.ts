import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import { ok, type Result, trouble } from "../../../common/trouble.ts";
import { PROGRAM_FILE, packageFile } from "../../../common/package-files.ts";

/** Makes a systemd user unit or a launchd agent from the templates in `config/`. */

export type ManagerKind = "systemd" | "launchd";

export type ServiceUnit = {
  readonly manager: ManagerKind;
  /** Stable name for a folder: `mdmirror-notes-1a2b3c4d`. */
  readonly name: string;
  /** Absolute path where the manager expects it. */
  readonly file: string;
  readonly text: string;
};

export type UnitOptions = {
  readonly manager: ManagerKind;
  /** Real path of the linked folder; null for the one unit of all linked folders. */
  readonly root: string | null;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * True if `systemd-notify` exists. Without it, a unit of type `notify` would never count as
   * started.
   */
  readonly notifies: boolean;
};

export function makeUnit(options: UnitOptions): Result<ServiceUnit> {
  const { manager, root, home, env } = options;
  const environment = keptEnvironment(root, env);
  if (environment.kind === "trouble") return environment;
  const kept = environment.value;
  const name = root === null ? ALL_NAME : nameOf(root);
  const command = [process.execPath, ...DAEMON_FLAGS, PROGRAM_FILE, "watch", root ?? "--all"];
  const shape = { name, kept, command, what: root ?? "all folders of mdmirror list" };
  if (manager === "systemd") {
    const configHome = env["XDG_CONFIG_HOME"] || join(home, ".config");
    const file = join(configHome, "systemd", "user", `${name}.service`);
    return ok({ manager, name, file, text: systemdText(shape, options.notifies) });
  }
  const file = join(home, "Library", "LaunchAgents", `${name}.plist`);
  const errors =
    root === null ? join(home, "Library", "Logs", `${name}.err`) : join(root, ".mdmirror", "log", "launchd.err");
  return ok({ manager, name, file, text: launchdText(shape, errors) });
}

/**
 * Returns a line for `crontab`: a sync every five minutes, by the Node that runs now, because the
 * PATH of cron has an old one or none.
 * @param root real path of the linked folder
 */
export function makeCronLine(root: string, env: UnitOptions["env"]): Result<string> {
  const kept = keptEnvironment(root, env);
  if (kept.kind === "trouble") return kept;
  const variables = kept.value.map(({ name, value }) => `${name}=${cronWord(value)}`);
  const words = [...variables, ...[process.execPath, PROGRAM_FILE, "sync", "--quiet", root].map(cronWord)];
  // An unescaped % ends the command in a crontab, even within quotes.
  return ok(`*/5 * * * * ${words.join(" ").replaceAll("%", "\\%")}`);
}

/** Quotes a word for cron's `sh`, which does not understand the `$'…'` of `model/shell-word`. */
function cronWord(text: string): string {
  return /^[\w@+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * V8 options for a daemon, which is mostly idle: little space for new objects, and compact code.
 * There is no heap limit, because it would end the process.
 */
export const DAEMON_FLAGS = ["--max-semi-space-size=2", "--optimize-for-size"] as const;

/** Variables with the folders of the list of linked folders and of the user's hooks. */
const KEPT_FOLDERS = ["XDG_STATE_HOME", "XDG_CONFIG_HOME"] as const;
/** Variables that decide how the service is reached. */
const KEPT_NETWORK = [
  ...["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy"],
  "NODE_EXTRA_CA_CERTS",
] as const;

type KeptVariable = { readonly name: string; readonly value: string };

/**
 * Returns the variables that a unit and a cron line need, because neither has this environment.
 * Refuses a folder or a variable that neither can contain.
 */
function keptEnvironment(root: string | null, env: UnitOptions["env"]): Result<readonly KeptVariable[]> {
  if (root !== null && /\p{Cc}/u.test(root))
    return trouble("usage", `${JSON.stringify(root)} contains a control character`, "rename the folder");
  const kept = [
    ...KEPT_FOLDERS.filter((name) => isAbsolute(env[name] ?? "")),
    ...KEPT_NETWORK.filter((name) => (env[name] ?? "") !== ""),
  ].map((name): KeptVariable => ({ name, value: env[name]! }));
  const unfit = [...KEPT_FOLDERS, ...KEPT_NETWORK].find((name) => /\p{Cc}/u.test(env[name] ?? ""));
  if (unfit !== undefined) return trouble("usage", `${unfit} contains a control character`, "set it to another value");
  return ok(kept);
}

/** No unit of a folder has this name: those end with eight hexadecimal digits. */
const ALL_NAME = "mdmirror-all";

function nameOf(root: string): string {
  const hash = createHash("sha256").update(root).digest("hex").slice(0, 8);
  const slug = basename(root)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 32);
  return `mdmirror-${slug === "" ? "folder" : slug}-${hash}`;
}

type UnitShape = {
  readonly name: string;
  readonly command: readonly string[];
  /** Variables that are copied into the unit. */
  readonly kept: readonly KeptVariable[];
  /** Folders that the unit syncs, for its description. */
  readonly what: string;
};

function systemdText({ what, command, kept }: UnitShape, notifies: boolean): string {
  const text = fillIn("mdmirror.service", {
    ROOT: what.replaceAll("%", "%%"),
    COMMAND: command.map(unitWord).join(" "),
    ENVIRONMENT: kept.map(({ name, value }) => `\nEnvironment=${unitWord(`${name}=${value}`)}`).join(""),
  });
  if (notifies) return text;
  return text
    .split("\n")
    .filter((line) => !/^(NotifyAccess|WatchdogSec)=|systemd-notify|sign of life/.test(line))
    .join("\n")
    .replace("Type=notify", "Type=exec");
}

/**
 * Quotes one word of `ExecStart=:` and doubles `%`, which begins a specifier. The colon disables
 * `$`.
 */
function unitWord(text: string): string {
  const escaped = text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%");
  return `"${escaped}"`;
}

function launchdText({ name, command, kept }: UnitShape, errors: string): string {
  const variables = kept.map(({ name, value }) => `<key>${name}</key>\n    <string>${xmlText(value)}</string>`);
  const environment = `\n  <key>EnvironmentVariables</key>\n  <dict>\n    ${variables.join("\n    ")}\n  </dict>`;
  return fillIn("mdmirror.plist", {
    NAME: xmlText(name),
    COMMAND: command.map((word) => `<string>${xmlText(word)}</string>`).join("\n    "),
    ENVIRONMENT: kept.length === 0 ? "" : environment,
    ERRORS: xmlText(errors),
  });
}

function xmlText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** @throws if a value is missing: the template does not fit this file */
function fillIn(template: string, values: Readonly<Record<string, string>>): string {
  const text = readFileSync(packageFile(`config/${template}`), "utf8");
  return text.replace(/\{\{([A-Z]+)\}\}/g, (_whole, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${template}: {{${name}}} has no value`);
    return value;
  });
}
