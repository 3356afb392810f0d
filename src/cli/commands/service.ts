import { join } from "node:path";
import { findHome } from "../../mirror/trust/registry.ts";
import { readConfig } from "../../mirror/settings/config.ts";
import { findKey, isOnPath } from "../../mirror/settings/key.ts";
import { admit } from "../../mirror/trust/gate.ts";
import { listOwnMirrors } from "../../mirror/trust/list.ts";
import { MIRROR_FOLDER } from "../../mirror/model/mirror-folder.ts";
import { quoteForShell } from "../../mirror/model/shell-word.ts";
import { shownName, shownWords } from "../../common/shown-words.ts";
import { lockFolder } from "../../mirror/folder/folder-lock.ts";
import { printNotes } from "../text.ts";
import { ok, type Result, unwrap } from "../../common/trouble.ts";
import {
  installUnit,
  isInstalled,
  makeCronLine,
  makeUnit,
  chooseManager,
  type ServiceUnit,
  uninstallUnit,
  readUnitState,
} from "../../mirror/daemon/autostart/service-unit.ts";
import type { Command, CommandEnd, CommandResult, Io } from "../command.ts";
import { EXIT, type ExitCode, refuseUsage } from "../exit.ts";
import { findMirror } from "../find-mirror.ts";
import { askStatus, NO_DAEMON } from "../../mirror/daemon/control/ask.ts";

const VERBS = ["install", "uninstall", "status", "print"] as const;
const MANAGERS = ["systemd", "launchd", "cron"] as const;

export const command: Command = {
  about: [
    "install sets up a systemd user unit or a launchd agent that runs mdmirror watch and restarts it when it fails or hangs.",
    "print shows that file and writes nothing; print --for cron shows a whole line for crontab -e.",
    "With --all, one background service keeps every linked folder in sync (see mdmirror list). It replaces the background services of single folders.",
  ],
  examples: ["mdmirror service install notes", "mdmirror service print notes --for cron"],
  options: {
    all: { help: "one background service for every linked folder of this user" },
    for: {
      value: "KIND",
      choices: MANAGERS,
      help: "kind of file to print: systemd, launchd or cron (default: the kind that this system uses)",
    },
  },
  operands: { usage: "install|uninstall|status|print [DIR]", least: 1, most: 2, words: VERBS, offers: ["mirror"] },
  async run(io, args) {
    const [verb, dir] = args.operands;
    const kind = args.text("for");
    if (args.flag("all") && dir !== undefined) refuseUsage("it takes a folder or --all, not both");
    if (kind !== null && verb !== "print") refuseUsage("--for goes with print alone");
    if (kind === "cron" && args.flag("all")) refuseUsage("--for cron takes one folder: print a line for each");
    const root = args.flag("all") ? null : findMirror(io, dir);
    const manager = MANAGERS.find((known) => known === kind) ?? chooseManager(process.platform);
    if (manager === "cron") return { lines: [unwrap(makeCronLine(root!, io.env))] };
    if (manager === null) return refuseUsage("this system has neither systemd nor launchd; run mdmirror watch instead");
    const unit = unwrap(makeServiceUnit(io.env, manager, root, kind === null ? undefined : true));
    return RUN_BY_VERB[verb as (typeof VERBS)[number]](io, unit, root);
  },
};

const RUN_BY_VERB = {
  install: installService,
  uninstall: uninstallService,
  status: showServiceStatus,
  print: async (_io: Io, { text }: ServiceUnit) => ({ lines: text.trimEnd().split("\n") }),
};

async function installService(io: Io, unit: ServiceUnit, root: string | null): Promise<CommandEnd> {
  const commonUnit = root === null ? null : findUnit(io, null);
  if (commonUnit !== null && isInstalled(commonUnit)) {
    return { lines: [`the background service for all linked folders already syncs it: ${commonUnit.file}`] };
  }
  if (root === null) await prepareAllFolders(io);
  else printNotes(io, unwrap(checkReady(io, root)));
  const startTrouble = unwrap(await installUnit(unit, io.env));
  io.out(`installed ${unit.file}`);
  if (startTrouble === null) {
    io.out("it is running now and starts at each login; mdmirror status shows its state");
    if (unit.manager === "systemd") io.out("to run it without a login: loginctl enable-linger");
    return EXIT.inSync;
  }
  io.err(`mdmirror: the daemon was not started: ${startTrouble}`);
  io.err(
    unit.manager === "systemd"
      ? `  next: in a login session of this user: systemctl --user daemon-reload && systemctl --user enable --now ${unit.name}`
      : `  next: in a login session of this user: launchctl bootstrap gui/$(id -u) '${unit.file}'`,
  );
  return EXIT.attention;
}

async function uninstallService(io: Io, unit: ServiceUnit, root: string | null): Promise<CommandResult> {
  const isRemoved = unwrap(await uninstallUnit(unit, io.env));
  const subject = root === null ? "all linked folders" : "this folder";
  return { lines: [isRemoved ? `removed ${unit.file}` : `no background service is installed for ${subject}`] };
}

async function showServiceStatus(io: Io, unit: ServiceUnit, root: string | null): Promise<ExitCode> {
  const isUnitInstalled = isInstalled(unit);
  const notInstalledLine = `not installed; next: mdmirror service install${root === null ? " --all" : ""}`;
  io.out(`${unit.manager}: ${isUnitInstalled ? unit.file : notInstalledLine}`);
  if (isUnitInstalled)
    io.out(
      `state: ${(await readUnitState(unit, io.env)) ?? "unknown: the service manager does not answer this process"}`,
    );
  if (root === null) {
    io.out("the state of each folder: mdmirror status --all");
    return isUnitInstalled ? EXIT.inSync : EXIT.attention;
  }
  const daemon = await askStatus(root);
  if (daemon === NO_DAEMON) {
    io.out("daemon: not running");
    return EXIT.attention;
  }
  const { pid, phase, detail } = unwrap(daemon);
  io.out(`daemon: process ${pid}, ${phase}${detail === "" ? "" : `: ${detail}`}`);
  return EXIT.inSync;
}

/**
 * Prints why the background service of all linked folders cannot sync certain folders. Removes the
 * background services of single folders, because each of them would run a second daemon for its
 * folder.
 */
async function prepareAllFolders(io: Io): Promise<void> {
  for (const { root, name, place } of listOwnMirrors(io.env).mirrors) {
    const readyCheck = place === "present" ? checkReady(io, root) : ok([]);
    if (readyCheck.kind === "trouble") {
      const { what, next } = readyCheck.trouble;
      io.err(`mdmirror: ${shownName(name)} is not synced until this is solved: ${shownWords(`${what}; ${next}`)}`);
    }
    const unit = findUnit(io, root);
    if (unit === null || !isInstalled(unit)) continue;
    unwrap(await uninstallUnit(unit, io.env));
    io.out(`removed ${unit.file}: the background service for all linked folders replaces it`);
  }
}

/**
 * Checks whether the background service can sync a folder. The service inherits neither the
 * environment variables nor the options of this shell. So the address and the key must be stored.
 * @returns messages for the user
 */
function checkReady({ env: given, cwd }: Io, root: string): Result<readonly string[]> {
  const { MDMIRROR_API_KEY: _key, MDMIRROR_URL: _url, ...env } = given;
  const folder = join(root, MIRROR_FOLDER);
  const config = readConfig(folder);
  if (config.kind === "trouble") return config;
  const admittedOrigin = admit(root, config.value, { mode: "write", env, cwd });
  if (admittedOrigin.kind === "trouble") return admittedOrigin;
  const { origin, notes } = admittedOrigin.value;
  const key = findKey({ folder, keyFile: null, cwd, env, origin });
  if (key.kind === "ok") return ok(notes);
  const nextStep = `store it first: mdmirror init ${quoteForShell(root)} --key-file FILE`;
  return { kind: "trouble", trouble: { ...key.trouble, next: nextStep } };
}

/**
 * Returns the unit of a background service; null if this system or this folder cannot have one.
 * @param root null for the service of all linked folders
 */
function findUnit({ env }: Io, root: string | null): ServiceUnit | null {
  const manager = chooseManager(process.platform);
  const unit = manager === null ? null : makeServiceUnit(env, manager, root);
  return unit?.kind === "ok" ? unit.value : null;
}

/** @param hasSystemdNotify true if the daemon can report to systemd that it is ready */
function makeServiceUnit(
  env: Io["env"],
  manager: ServiceUnit["manager"],
  root: string | null,
  hasSystemdNotify = isOnPath("systemd-notify", env["PATH"] ?? ""),
): Result<ServiceUnit> {
  return makeUnit({ manager, root, home: findHome(env), env, hasSystemdNotify });
}

/**
 * Makes daemons stop using a linked folder, and uninstalls the folder's own background service, so
 * that a command can move or unlink the folder.
 * - `hadUnit`: true if the folder had its own background service
 * - `giveBack`: lets the daemon look for the folder again; a second call does nothing
 * @param what name of the command
 */
export async function withFolderReleased(io: Io, root: string, what: string) {
  const unit = findUnit(io, root);
  const hadUnit = unit !== null && isInstalled(unit) && unwrap(await uninstallUnit(unit, io.env));
  if (hadUnit) io.out(`removed ${shownName(unit.file)}`);
  const { free: giveBack } = unwrap(await lockFolder(root, { what, clock: io.clock }));
  return { hadUnit, giveBack };
}

export async function reinstallService(io: Io, root: string): Promise<void> {
  const unit = findUnit(io, root);
  if (unit === null) return;
  const installResult = await installUnit(unit, io.env);
  if (installResult.kind === "ok" && installResult.value === null) io.out(`installed ${shownName(unit.file)}`);
  else io.err(`mdmirror: its background service is not running; next: mdmirror service install ${quoteForShell(root)}`);
}
