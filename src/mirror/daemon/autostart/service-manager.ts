import { execFile } from "node:child_process";
import { chmodSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { withoutKey } from "../../settings/key.ts";
import type { ManagerKind, ServiceUnit } from "./service-unit.ts";
import { errnoClause, ok, type Result, trouble, unwritableFileTrouble } from "../../../common/trouble.ts";
import { makeFolders } from "../../../common/make-folders.ts";

/** Installs and removes a unit. mdmirror writes the file; the manager's own tool does the rest. */

type Env = Readonly<Record<string, string | undefined>>;
/** `ran: false`: the tool is missing, or has not answered in time. */
type CommandEnd = { readonly ran: boolean; readonly code: number; readonly said: string };

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
  if (unit.manager === "launchd") await ask(["launchctl", "bootout", `${launchdDomain()}/${unit.name}`], env);
  for (const step of steps) {
    const { ran, code, said } = await ask(step, env);
    if (!ran || code !== 0) return ok(`${step.join(" ")}: ${said}`);
  }
  return ok(null);
}

/** Returns true if there was a unit. */
export async function uninstallUnit(unit: ServiceUnit, env: Env): Promise<Result<boolean>> {
  const was = isInstalled(unit);
  const stop =
    unit.manager === "systemd"
      ? ["systemctl", "--user", "disable", "--now", `${unit.name}.service`]
      : ["launchctl", "bootout", `${launchdDomain()}/${unit.name}`];
  if (was) await ask(stop, env);
  try {
    rmSync(unit.file, { force: true });
  } catch (error) {
    return trouble("fault", `${unit.file} cannot be removed: ${errnoClause(error)}`, "remove it yourself");
  }
  if (was && unit.manager === "systemd") await ask(["systemctl", "--user", "daemon-reload"], env);
  return ok(was);
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
    const { ran, said } = await ask(["systemctl", "--user", "is-active", `${unit.name}.service`], env);
    return ran && /^[a-z]+$/.test(said) ? said : null;
  }
  const { ran, code, said } = await ask(["launchctl", "print", `${launchdDomain()}/${unit.name}`], env);
  if (!ran) return null;
  return code === 0 ? (/state = (\w+)/.exec(said)?.[1] ?? "loaded") : "inactive";
}

function launchdDomain(): string {
  return `gui/${process.getuid?.() ?? 0}`;
}

function ask([program, ...args]: readonly string[], env: Env): Promise<CommandEnd> {
  return new Promise((resolve) => {
    const options = { env: withoutKey(env), timeout: DEADLINE_MS };
    execFile(program!, args, options, (error, stdout, stderr) => {
      const said = (stdout.trim() || stderr.trim()).slice(0, 4_000);
      if (error === null) return resolve({ ran: true, code: 0, said });
      if (typeof error.code === "number") return resolve({ ran: true, code: error.code, said });
      const why = error.killed ? "it has not answered" : errnoClause(error);
      resolve({ ran: false, code: -1, said: why });
    });
  });
}
