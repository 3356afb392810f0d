import { printNotes } from "../text.ts";
import { unwrap } from "../../common/trouble.ts";
import { realpathSync } from "node:fs";
import {
  makeCronLine,
  type ServiceUnit,
  installUnit,
  isInstalled,
  managerOf,
  uninstallUnit,
  unitState,
} from "../../mirror/daemon/autostart/service-unit.ts";
import type { Command, Io } from "../command.ts";
import { EXIT, type ExitCode, misuse } from "../exit.ts";
import { findMirror } from "../find-mirror.ts";
import { isKeptWithAll, judgeReady, readyAll, unitFor } from "../service-all.ts";
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
  async run(io, args): Promise<ExitCode> {
    const [verb, dir] = args.operands;
    const kind = args.text("for");
    if (args.flag("all") && dir !== undefined) misuse("it takes a folder or --all, not both");
    if (kind !== null && verb !== "print") misuse("--for goes with print alone");
    if (kind === "cron" && args.flag("all")) misuse("--for cron takes one folder: print a line for each");
    const root = args.flag("all") ? null : realpathSync(findMirror(io, dir));
    const manager = MANAGERS.find((one) => one === kind) ?? managerOf(process.platform);
    if (manager === "cron") return print(io, unwrap(makeCronLine(root!, io.env)));
    if (manager === null) return misuse("this system has neither systemd nor launchd; run mdmirror watch instead");
    const unit = unwrap(unitFor(io.env, manager, root, kind === null ? undefined : true));
    return RUN[verb as (typeof VERBS)[number]](io, unit, root);
  },
};

const RUN = { install, uninstall, status, print: async (io: Io, { text }: ServiceUnit) => print(io, text.trimEnd()) };

function print(io: Io, text: string): ExitCode {
  for (const line of text.split("\n")) io.out(line);
  return EXIT.inSync;
}

/** Installs a unit, registers it with the service manager and reports both. */
async function install(io: Io, unit: ServiceUnit, root: string | null): Promise<ExitCode> {
  const common = root === null ? null : isKeptWithAll(io);
  if (common !== null) {
    io.out(`the background service for all linked folders already syncs it: ${common}`);
    return EXIT.inSync;
  }
  if (root === null) await readyAll(io);
  else printNotes(io, unwrap(judgeReady(io, root)));
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

async function uninstall(io: Io, unit: ServiceUnit, root: string | null): Promise<ExitCode> {
  const removed = unwrap(await uninstallUnit(unit, io.env));
  const whose = root === null ? "all linked folders" : "this folder";
  io.out(removed ? `removed ${unit.file}` : `no background service is installed for ${whose}`);
  return EXIT.inSync;
}

async function status(io: Io, unit: ServiceUnit, root: string | null): Promise<ExitCode> {
  const isUnitInstalled = isInstalled(unit);
  const next = `not installed; next: mdmirror service install${root === null ? " --all" : ""}`;
  io.out(`${unit.manager}: ${isUnitInstalled ? unit.file : next}`);
  if (isUnitInstalled)
    io.out(`state: ${(await unitState(unit, io.env)) ?? "unknown: the service manager does not answer this process"}`);
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
