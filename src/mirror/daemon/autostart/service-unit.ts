/** Makes a systemd user unit or a launchd agent from a template. Installs and removes the unit. */

import { createHash } from "node:crypto";
import { readFileSync, chmodSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, isAbsolute, join, dirname } from "node:path";
import { errnoClause, ok, refusal, type Result, toUnwritableTrouble, trouble } from "../../../common/trouble.ts";
import { PROGRAM_FILE, packageFile } from "../../../common/package-files.ts";
import { execFile } from "node:child_process";
import { omitKey } from "../../settings/key.ts";
import { makeFolders } from "../../../common/make-folders.ts";

type ManagerKind = "systemd" | "launchd";

export type ServiceUnit = {
  readonly manager: ManagerKind;
  /** Name of the unit, which is always the same for a folder: `mdmirror-notes-1a2b3c4d`. */
  readonly name: string;
  readonly file: string;
  readonly text: string;
};

export type UnitOptions = {
  readonly manager: ManagerKind;
  /** Linked folder; null for a unit that syncs all linked folders. */
  readonly root: string | null;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** False if `systemd-notify` is missing. A unit of type `notify` would then not start. */
  readonly hasSystemdNotify: boolean;
};

export function makeUnit(options: UnitOptions): Result<ServiceUnit> {
  const { manager, root, home, env } = options;
  const environment = chooseVariables(root, env);
  if (environment.kind === "trouble") return environment;
  const keptVariables = environment.value;
  const name = root === null ? UNIT_NAME_OF_ALL : makeUnitName(root);
  const command = [process.execPath, ...DAEMON_NODE_OPTIONS, PROGRAM_FILE, "watch", root ?? "--all"];
  const unitShape = { name, kept: keptVariables, command, what: root ?? "all folders of mdmirror list" };
  if (manager === "systemd") {
    const configHome = env["XDG_CONFIG_HOME"] || join(home, ".config");
    const file = join(configHome, "systemd", "user", `${name}.service`);
    return ok({ manager, name, file, text: makeSystemdUnit(unitShape, options.hasSystemdNotify) });
  }
  const file = join(home, "Library", "LaunchAgents", `${name}.plist`);
  const errorLog =
    root === null ? join(home, "Library", "Logs", `${name}.err`) : join(root, ".mdmirror", "log", "launchd.err");
  return ok({ manager, name, file, text: makeLaunchdAgent(unitShape, errorLog) });
}

/**
 * Returns a line for `crontab` that syncs a folder every five minutes. The line has the path of the
 * current Node, because cron may find an older Node or no Node.
 * @param root real path of the linked folder
 */
export function makeCronLine(root: string, env: UnitOptions["env"]): Result<string> {
  const keptResult = chooseVariables(root, env);
  if (keptResult.kind === "trouble") return keptResult;
  const variables = keptResult.value.map(({ name, value }) => `${name}=${quoteForCron(value)}`);
  const commandWords = [...variables, ...[process.execPath, PROGRAM_FILE, "sync", "--quiet", root].map(quoteForCron)];
  // In a crontab, an unescaped % ends the command, even in quotes.
  return ok(`*/5 * * * * ${commandWords.join(" ").replaceAll("%", "\\%")}`);
}

/** Quotes a word for cron's shell, which does not know the quotes `$'…'` of `quoteForShell`. */
function quoteForCron(text: string): string {
  return /^[\w@+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * Options of V8 for a daemon, which is idle most of the time: little memory for new objects, and
 * compact code. The heap has no limit, because V8 would end a process that reaches the limit.
 */
export const DAEMON_NODE_OPTIONS = ["--max-semi-space-size=2", "--optimize-for-size"] as const;

/**
 * Environment variables that determine the folders of `hooks.json` and of the registry of linked
 * folders.
 */
const FOLDER_VARIABLES = ["XDG_STATE_HOME", "XDG_CONFIG_HOME"] as const;
/** Environment variables for reaching the service, such as proxies and certificates. */
const NETWORK_VARIABLES = [
  ...["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy"],
  "NODE_EXTRA_CA_CERTS",
] as const;

type UnitVariable = { readonly name: string; readonly value: string };

/**
 * Returns the variables to write into a unit or a cron line, because the started process does not
 * get the variables of this process. Returns trouble if the folder's path or a variable has a
 * control character.
 */
function chooseVariables(root: string | null, env: UnitOptions["env"]): Result<readonly UnitVariable[]> {
  if (root !== null && /\p{Cc}/u.test(root))
    return refusal(`${JSON.stringify(root)} contains a control character`, "rename the folder");
  const keptVariables = [
    ...FOLDER_VARIABLES.filter((name) => isAbsolute(env[name] ?? "")),
    ...NETWORK_VARIABLES.filter((name) => (env[name] ?? "") !== ""),
  ].map((name): UnitVariable => ({ name, value: env[name]! }));
  const unfitName = [...FOLDER_VARIABLES, ...NETWORK_VARIABLES].find((name) => /\p{Cc}/u.test(env[name] ?? ""));
  if (unfitName !== undefined) return refusal(`${unfitName} contains a control character`, "set it to another value");
  return ok(keptVariables);
}

/** Name of the unit for all linked folders. The name of any other unit ends in eight hex digits. */
const UNIT_NAME_OF_ALL = "mdmirror-all";

function makeUnitName(root: string): string {
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
  readonly kept: readonly UnitVariable[];
  /** Words for the synced folders in the description of the unit. */
  readonly what: string;
};

function makeSystemdUnit({ what, command, kept }: UnitShape, notifies: boolean): string {
  const unitText = fillTemplate("mdmirror.service", {
    ROOT: what.replaceAll("%", "%%"),
    COMMAND: command.map(quoteForUnit).join(" "),
    ENVIRONMENT: kept.map(({ name, value }) => `\nEnvironment=${quoteForUnit(`${name}=${value}`)}`).join(""),
  });
  if (notifies) return unitText;
  return unitText
    .split("\n")
    .filter((line) => !/^(NotifyAccess|WatchdogSec)=|systemd-notify|sign of life/.test(line))
    .join("\n")
    .replace("Type=notify", "Type=exec");
}

/**
 * Quotes a word for a unit. Doubles each `%`, because a single `%` begins a specifier. Keeps each
 * `$`, because `$` is an ordinary character after the colon of `ExecStart=:`.
 */
function quoteForUnit(text: string): string {
  const escapedText = text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%");
  return `"${escapedText}"`;
}

function makeLaunchdAgent({ name, command, kept }: UnitShape, errors: string): string {
  const variables = kept.map(({ name, value }) => `<key>${name}</key>\n    <string>${escapeXml(value)}</string>`);
  const environment = `\n  <key>EnvironmentVariables</key>\n  <dict>\n    ${variables.join("\n    ")}\n  </dict>`;
  return fillTemplate("mdmirror.plist", {
    NAME: escapeXml(name),
    COMMAND: command.map((word) => `<string>${escapeXml(word)}</string>`).join("\n    "),
    ENVIRONMENT: kept.length === 0 ? "" : environment,
    ERRORS: escapeXml(errors),
  });
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/**
 * Replaces the placeholders of a template.
 * @throws if a placeholder has no value
 */
function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  const templateText = readFileSync(packageFile(`config/${template}`), "utf8");
  return templateText.replace(/\{\{([A-Z]+)\}\}/g, (_whole, name: string) => {
    const placeholderValue = values[name];
    if (placeholderValue === undefined) throw new Error(`${template}: {{${name}}} has no value`);
    return placeholderValue;
  });
}

type Environment = Readonly<Record<string, string | undefined>>;
/** `ran` is false if the program is missing or took too long. */
type CommandEnd = { readonly ran: boolean; readonly code: number; readonly output: string };

const DEADLINE_MS = 30_000;

export function chooseManager(platform: NodeJS.Platform): ManagerKind | null {
  if (platform === "linux") return "systemd";
  return platform === "darwin" ? "launchd" : null;
}

/**
 * Installs and starts a unit. Returns null if the unit was started. If only the start failed,
 * returns the message of the service manager. The unit's file is then installed, and the user has
 * to start the unit.
 */
export async function installUnit(unit: ServiceUnit, env: Environment): Promise<Result<string | null>> {
  try {
    makeFolders(dirname(unit.file));
    // Only this user may read the file, because the address of a proxy may contain a password.
    writeFileSync(unit.file, unit.text, { mode: 0o600 });
    chmodSync(unit.file, 0o600);
  } catch (error) {
    return toUnwritableTrouble(unit.file, error, { kind: "fault", next: "mdmirror service print shows it" });
  }
  const steps: readonly (readonly string[])[] =
    unit.manager === "systemd"
      ? [
          ["systemctl", "--user", "daemon-reload"],
          ["systemctl", "--user", "enable", `${unit.name}.service`],
          ["systemctl", "--user", "restart", `${unit.name}.service`],
        ]
      : [["launchctl", "bootstrap", makeLaunchdDomain(), unit.file]];
  // launchd does not load an agent twice, so mdmirror unloads the agent first. If no agent was
  // loaded, this command fails without harm.
  if (unit.manager === "launchd") await runTool(["launchctl", "bootout", `${makeLaunchdDomain()}/${unit.name}`], env);
  for (const step of steps) {
    const { ran, code, output } = await runTool(step, env);
    if (!ran || code !== 0) return ok(`${step.join(" ")}: ${output}`);
  }
  return ok(null);
}

/** Stops and removes a unit. Returns false if there was no unit. */
export async function uninstallUnit(unit: ServiceUnit, env: Environment): Promise<Result<boolean>> {
  const wasInstalled = isInstalled(unit);
  const stopCommand =
    unit.manager === "systemd"
      ? ["systemctl", "--user", "disable", "--now", `${unit.name}.service`]
      : ["launchctl", "bootout", `${makeLaunchdDomain()}/${unit.name}`];
  if (wasInstalled) await runTool(stopCommand, env);
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

/** Returns a state such as `active` or `failed`; null if the service manager does not answer. */
export async function readUnitState(unit: ServiceUnit, env: Environment): Promise<string | null> {
  if (unit.manager === "systemd") {
    const { ran, output } = await runTool(["systemctl", "--user", "is-active", `${unit.name}.service`], env);
    return ran && /^[a-z]+$/.test(output) ? output : null;
  }
  const { ran, code, output } = await runTool(["launchctl", "print", `${makeLaunchdDomain()}/${unit.name}`], env);
  if (!ran) return null;
  return code === 0 ? (/state = (\w+)/.exec(output)?.[1] ?? "loaded") : "inactive";
}

function makeLaunchdDomain(): string {
  return `gui/${process.getuid?.() ?? 0}`;
}

function runTool([program, ...args]: readonly string[], env: Environment): Promise<CommandEnd> {
  return new Promise((resolve) => {
    const options = { env: omitKey(env), timeout: DEADLINE_MS };
    execFile(program!, args, options, (error, stdout, stderr) => {
      const output = (stdout.trim() || stderr.trim()).slice(0, 4_000);
      if (error === null) return resolve({ ran: true, code: 0, output });
      if (typeof error.code === "number") return resolve({ ran: true, code: error.code, output });
      const reason = error.killed ? "it has not answered" : errnoClause(error);
      resolve({ ran: false, code: -1, output: reason });
    });
  });
}
