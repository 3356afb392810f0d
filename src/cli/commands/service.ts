import { unwrap } from "../../common/trouble.ts";
import { realpathSync } from "node:fs";
import {
  makeCronLine,
  makeUnit,
  type ServiceUnit,
  installUnit,
  isInstalled,
  managerOf,
  uninstallUnit,
  unitState,
} from "../../mirror/daemon/autostart/service-unit.ts";
import type { Args, Command, Io } from "../command.ts";
import { EXIT, type ExitCode, misuse } from "../exit.ts";
import { findMirror } from "../find-mirror.ts";
import { printNotes } from "../show-result.ts";
import { homeOf } from "../../mirror/trust/registry.ts";
import { isOnPath } from "../../mirror/settings/key.ts";
import { isKeptWithAll, judgeReady, readyAll } from "../service-all.ts";
import { askStatus, NO_DAEMON } from "../../mirror/daemon/control/ask.ts";

const VERBS = ["install", "uninstall", "status", "print"] as const;
type Verb = (typeof VERBS)[number];
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
    const verb = args.operands[0] as Verb;
    refuseMisuse(verb, args);
    const found = args.flag("all") ? null : findMirror(io, args.operands[1]);
    const root = found === null ? null : realpathSync(found);
    const manager = MANAGERS.find((kind) => kind === args.text("for")) ?? managerOf(process.platform);
    if (manager === "cron") return print(io, unwrap(makeCronLine(root!, io.env)));
    if (manager === null) return misuse("this system has neither systemd nor launchd; run mdmirror watch instead");
    const notifies = args.text("for") !== null || isOnPath("systemd-notify", io.env["PATH"] ?? "");
    const unit = unwrap(makeUnit({ manager, root, home: homeOf(io.env), env: io.env, notifies }));
    return RUN[verb](io, unit, root);
  },
};

function refuseMisuse(verb: Verb, args: Args): void {
  const kind = args.text("for");
  if (args.flag("all") && args.operands.length > 1) misuse("it takes a folder or --all, not both");
  if (kind !== null && verb !== "print") misuse("--for goes with print alone");
  if (kind === "cron" && args.flag("all")) misuse("--for cron takes one folder: print a line for each");
}

const RUN: Readonly<Record<Verb, (io: Io, unit: ServiceUnit, root: string | null) => Promise<ExitCode>>> = {
  install,
  uninstall,
  status,
  print: async (io, { text }) => print(io, text.trimEnd()),
};

function print(io: Io, text: string): ExitCode {
  for (const line of text.split("\n")) io.out(line);
  return EXIT.inSync;
}

async function install(io: Io, unit: ServiceUnit, root: string | null): Promise<ExitCode> {
  if (root === null) {
    await readyAll(io);
    return installed(io, unit);
  }
  const common = isKeptWithAll(io);
  if (common !== null) {
    io.out(`the background service for all linked folders already syncs it: ${common}`);
    return EXIT.inSync;
  }
  const ready = unwrap(judgeReady(io, root));
  printNotes(io, ready);
  return installed(io, unit);
}

/** Installs a unit, registers it with the service manager and reports both. */
async function installed(io: Io, unit: ServiceUnit): Promise<ExitCode> {
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
