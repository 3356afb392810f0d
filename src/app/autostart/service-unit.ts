import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ok, type Result, trouble } from "../mirror/trouble.ts";

/**
 * What the system's service manager is given: a systemd user unit, or a launchd agent, from the
 * templates in `config/`.
 */

export type ManagerKind = "systemd" | "launchd";

export type ServiceUnit = {
  readonly manager: ManagerKind;
  /** The same for the same folder: `mdmirror-notes-1a2b3c4d`. */
  readonly name: string;
  /** Where the manager looks for it; absolute. */
  readonly file: string;
  readonly text: string;
};

export type UnitOptions = {
  readonly manager: ManagerKind;
  /** The real path of the mirrored folder. */
  readonly root: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * Whether `systemd-notify` is there; without it a unit that waits for word would never count as
   * started.
   */
  readonly notifies: boolean;
};

export function makeUnit(options: UnitOptions): Result<ServiceUnit> {
  const { manager, root, home, env } = options;
  if (/\p{Cc}/u.test(root))
    return trouble("usage", `${JSON.stringify(root)} holds a control character`, "rename the folder");
  const stateHome = env["XDG_STATE_HOME"] ?? "";
  if (/\p{Cc}/u.test(stateHome))
    return trouble("usage", "XDG_STATE_HOME holds a control character", "set it to another folder");
  // The list of this user's mirrors is there, and the service does not have this shell's
  // environment.
  const kept = isAbsolute(stateHome) ? stateHome : null;
  const hash = createHash("sha256").update(root).digest("hex").slice(0, 8);
  const slug = basename(root)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 32);
  const name = `mdmirror-${slug === "" ? "folder" : slug}-${hash}`;
  const command = [process.execPath, fileURLToPath(new URL("../../cli/entry.mjs", import.meta.url)), "watch", root];
  if (manager === "systemd") {
    const configHome = env["XDG_CONFIG_HOME"] || join(home, ".config");
    const file = join(configHome, "systemd", "user", `${name}.service`);
    return ok({ manager, name, file, text: systemdText(root, command, kept, options.notifies) });
  }
  const file = join(home, "Library", "LaunchAgents", `${name}.plist`);
  return ok({ manager, name, file, text: launchdText(name, root, command, kept) });
}

function systemdText(root: string, command: readonly string[], stateHome: string | null, notifies: boolean): string {
  const text = fillIn("mdmirror.service", {
    ROOT: root.replaceAll("%", "%%"),
    COMMAND: command.map(unitWord).join(" "),
    ENVIRONMENT: stateHome === null ? "" : `\nEnvironment=${unitWord(`XDG_STATE_HOME=${stateHome}`)}`,
  });
  if (notifies) return text;
  return text
    .split("\n")
    .filter((line) => !/^(NotifyAccess|WatchdogSec)=|systemd-notify|sign of life/.test(line))
    .join("\n")
    .replace("Type=notify", "Type=exec");
}

/**
 * One word of `ExecStart=:`: quoted, with `%` doubled (specifiers). The colon there turns `$` off.
 */
function unitWord(text: string): string {
  const escaped = text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%");
  return `"${escaped}"`;
}

function launchdText(name: string, root: string, command: readonly string[], stateHome: string | null): string {
  const variable = `<key>XDG_STATE_HOME</key>\n    <string>${xmlText(stateHome ?? "")}</string>`;
  const environment = `\n  <key>EnvironmentVariables</key>\n  <dict>\n    ${variable}\n  </dict>`;
  return fillIn("mdmirror.plist", {
    NAME: xmlText(name),
    COMMAND: command.map((word) => `<string>${xmlText(word)}</string>`).join("\n    "),
    ENVIRONMENT: stateHome === null ? "" : environment,
    ERRORS: xmlText(join(root, ".mdmirror", "log", "launchd.err")),
  });
}

function xmlText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** @throws when a value is missing: the template and this file belong together */
function fillIn(template: string, values: Readonly<Record<string, string>>): string {
  const text = readFileSync(new URL(`../../../config/${template}`, import.meta.url), "utf8");
  return text.replace(/\{\{([A-Z]+)\}\}/g, (_whole, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${template}: {{${name}}} has no value`);
    return value;
  });
}
