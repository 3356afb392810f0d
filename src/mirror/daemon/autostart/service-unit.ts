/** Makes a systemd user unit or a launchd agent from the templates in `config/`. */

import { createHash } from "node:crypto";
import { readFileSync, chmodSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, isAbsolute, join, dirname } from "node:path";
import { ok, type Result, trouble, errnoClause, unwritableFileTrouble } from "../../../common/trouble.ts";
import { PROGRAM_FILE, packageFile } from "../../../common/package-files.ts";
import { execFile } from "node:child_process";
import { withoutKey } from "../../settings/key.ts";
import { makeFolders } from "../../../common/make-folders.ts";

type ManagerKind = "systemd" | "launchd";

export type ServiceUnit = {
  readonly manager: ManagerKind;
  /** Stable name for a folder: `mdmirror-notes-1a2b3c4d`. */
  readonly name: string;
  /** Absolute path at which the manager expects the file of the unit. */
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
  readonly hasSystemdNotify: boolean;
};

export function makeUnit(options: UnitOptions): Result<ServiceUnit> {
  const { manager, root, home, env } = options;
  const environment = keptEnvironment(root, env);
  if (environment.kind === "trouble") return environment;
  const kept = environment.value;
  const name = root === null ? NAME_OF_ALL : nameOf(root);
  const command = [process.execPath, ...DAEMON_NODE_OPTIONS, PROGRAM_FILE, "watch", root ?? "--all"];
  const shape = { name, kept, command, what: root ?? "all folders of mdmirror list" };
  if (manager === "systemd") {
    const configHome = env["XDG_CONFIG_HOME"] || join(home, ".config");
    const file = join(configHome, "systemd", "user", `${name}.service`);
    return ok({ manager, name, file, text: systemdText(shape, options.hasSystemdNotify) });
  }
  const file = join(home, "Library", "LaunchAgents", `${name}.plist`);
  const errors =
    root === null ? join(home, "Library", "Logs", `${name}.err`) : join(root, ".mdmirror", "log", "launchd.err");
  return ok({ manager, name, file, text: launchdText(shape, errors) });
}

/**
 * Returns a line for `crontab`: a sync every five minutes, by the Node that runs now. The PATH of
 * cron may lead to an older Node, or to none.
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
export const DAEMON_NODE_OPTIONS = ["--max-semi-space-size=2", "--optimize-for-size"] as const;

/**
 * Variables that locate the user's state folder (list of linked folders) and configuration folder
 * (hooks).
 */
const KEPT_FOLDERS = ["XDG_STATE_HOME", "XDG_CONFIG_HOME"] as const;
/** Variables that decide how the service is reached. */
const KEPT_NETWORK = [
  ...["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy"],
  "NODE_EXTRA_CA_CERTS",
] as const;

type KeptVariable = { readonly name: string; readonly value: string };

/**
 * Returns the variables that a unit and a cron line need, because neither has this environment.
 * Refuses a folder or a variable that cannot be written into a unit.
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

/**
 * Name of the unit for all folders. No unit of one folder has this name: those end with eight
 * hexadecimal digits.
 */
const NAME_OF_ALL = "mdmirror-all";

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

/** @throws if the template has a placeholder without a value */
function fillIn(template: string, values: Readonly<Record<string, string>>): string {
  const text = readFileSync(packageFile(`config/${template}`), "utf8");
  return text.replace(/\{\{([A-Z]+)\}\}/g, (_whole, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${template}: {{${name}}} has no value`);
    return value;
  });
}

type Env = Readonly<Record<string, string | undefined>>;
/** `ran: false`: the tool is missing, or has not answered in time. */
type CommandEnd = { readonly ran: boolean; readonly code: number; readonly output: string };

const DEADLINE_MS = 30_000;

export function managerOf(platform: NodeJS.Platform): ManagerKind | null {
  if (platform === "linux") return "systemd";
  return platform === "darwin" ? "launchd" : null;
}

/**
 * Returns null when the unit runs. Otherwise returns the manager's message: the file exists, and
 * the user has to start the unit.
 */
export async function installUnit(unit: ServiceUnit, env: Env): Promise<Result<string | null>> {
  try {
    makeFolders(dirname(unit.file));
    // The URL of a proxy in the unit may have a password.
    writeFileSync(unit.file, unit.text, { mode: 0o600 });
    chmodSync(unit.file, 0o600);
  } catch (error) {
    return unwritableFileTrouble(unit.file, error, { kind: "fault", next: "mdmirror service print shows it" });
  }
  const steps: readonly (readonly string[])[] =
    unit.manager === "systemd"
      ? [
          ["systemctl", "--user", "daemon-reload"],
          ["systemctl", "--user", "enable", `${unit.name}.service`],
          // Restarts a unit that runs already, to apply changes.
          ["systemctl", "--user", "restart", `${unit.name}.service`],
        ]
      : [["launchctl", "bootstrap", launchdDomain(), unit.file]];
  // A loaded agent cannot be loaded again, so it is unloaded first. If it was not loaded, the
  // failure of this command does not matter.
  if (unit.manager === "launchd") await runTool(["launchctl", "bootout", `${launchdDomain()}/${unit.name}`], env);
  for (const step of steps) {
    const { ran, code, output } = await runTool(step, env);
    if (!ran || code !== 0) return ok(`${step.join(" ")}: ${output}`);
  }
  return ok(null);
}

/** Stops and removes a unit. Returns false if there was none. */
export async function uninstallUnit(unit: ServiceUnit, env: Env): Promise<Result<boolean>> {
  const wasInstalled = isInstalled(unit);
  const stop =
    unit.manager === "systemd"
      ? ["systemctl", "--user", "disable", "--now", `${unit.name}.service`]
      : ["launchctl", "bootout", `${launchdDomain()}/${unit.name}`];
  if (wasInstalled) await runTool(stop, env);
  try {
    rmSync(unit.file, { force: true });
  } catch (error) {
    return trouble("fault", `${unit.file} cannot be removed: ${errnoClause(error)}`, "remove it yourself");
  }
  if (wasInstalled && unit.manager === "systemd") await runTool(["systemctl", "--user", "daemon-reload"], env);
  return ok(wasInstalled);
}

export function isInstalled({ file }: ServiceUnit): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}

/**
 * Returns the state in the manager's words: `active`, `failed`, `inactive`; null if the manager
 * does not answer.
 */
export async function unitState(unit: ServiceUnit, env: Env): Promise<string | null> {
  if (unit.manager === "systemd") {
    const { ran, output } = await runTool(["systemctl", "--user", "is-active", `${unit.name}.service`], env);
    return ran && /^[a-z]+$/.test(output) ? output : null;
  }
  const { ran, code, output } = await runTool(["launchctl", "print", `${launchdDomain()}/${unit.name}`], env);
  if (!ran) return null;
  return code === 0 ? (/state = (\w+)/.exec(output)?.[1] ?? "loaded") : "inactive";
}

function launchdDomain(): string {
  return `gui/${process.getuid?.() ?? 0}`;
}

function runTool([program, ...args]: readonly string[], env: Env): Promise<CommandEnd> {
  return new Promise((resolve) => {
    const options = { env: withoutKey(env), timeout: DEADLINE_MS };
    execFile(program!, args, options, (error, stdout, stderr) => {
      const output = (stdout.trim() || stderr.trim()).slice(0, 4_000);
      if (error === null) return resolve({ ran: true, code: 0, output });
      if (typeof error.code === "number") return resolve({ ran: true, code: error.code, output });
      const why = error.killed ? "it has not answered" : errnoClause(error);
      resolve({ ran: false, code: -1, output: why });
    });
  });
}
