import { realpathSync } from "node:fs";
import type { ServiceUnit } from "../../app/autostart/service-unit.ts";
import type { Args, Command, Io } from "../command.ts";
import { complain, misuse } from "../complain.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { findMirror } from "../find-mirror.ts";
import { shownWords } from "../../model/shown-name.ts";

const VERBS = ["install", "uninstall", "status", "print"] as const;
type Verb = (typeof VERBS)[number];

export const command: Command = {
  usage: "service install|uninstall|status|print [DIR] [--for systemd|launchd]",
  about: [
    "Keeps DIR in sync from login on: a systemd user unit, or a launchd agent, that runs mdmirror watch and starts it again",
    "when it fails or hangs. print shows the file and writes nothing.",
  ],
  options: { for: { value: "KIND", help: "print for systemd or launchd, whatever this system has" } },
  operands: { least: 1, most: 2 },
  async run(io, args): Promise<ExitCode> {
    const verb = VERBS.find((one) => one === args.operands[0]);
    if (verb === undefined) return misuse(io, "service", `it takes ${VERBS.join(", ")}`);
    const found = findMirror(io, args.operands[1]);
    if (found.kind === "trouble") return complain(io, found.trouble);
    const { managerOf } = await import("../../app/autostart/service-manager.ts");
    const asked = args.text("for");
    if (asked !== null && asked !== "systemd" && asked !== "launchd")
      return misuse(io, "service", "--for takes systemd or launchd");
    if (asked !== null && verb !== "print") return misuse(io, "service", "--for goes with print alone");
    const manager = asked ?? managerOf(process.platform);
    if (manager === null)
      return misuse(io, "service", "this system has neither systemd nor launchd; run mdmirror watch there");
    const { makeUnit } = await import("../../app/autostart/service-unit.ts");
    const { isOnPath } = await import("../../app/mirror/key.ts");
    const root = realpathSync(found.value);
    const notifies = asked !== null || isOnPath("systemd-notify", io.env["PATH"] ?? "");
    const unit = makeUnit({ manager, root, home: io.home, env: io.env, notifies });
    if (unit.kind === "trouble") return complain(io, unit.trouble);
    return RUN[verb](io, unit.value, root, args);
  },
};

const RUN: Readonly<Record<Verb, (io: Io, unit: ServiceUnit, root: string, args: Args) => Promise<ExitCode>>> = {
  install,
  uninstall,
  status,
  async print(io, unit) {
    for (const line of unit.text.trimEnd().split("\n")) io.out(line);
    return EXIT.inSync;
  },
};

async function install(io: Io, unit: ServiceUnit, root: string): Promise<ExitCode> {
  const { readConfig } = await import("../../app/mirror/config.ts");
  const { findKey } = await import("../../app/mirror/key.ts");
  const { admit } = await import("../../app/trust/gate.ts");
  const folder = `${root}/.mdmirror`;
  const config = readConfig(folder);
  if (config.kind === "trouble") return complain(io, config.trouble);
  // The service has neither this shell's environment nor its options: what it needs must be stored.
  const { MDMIRROR_API_KEY: _key, MDMIRROR_URL: _url, ...env } = io.env;
  const admitted = admit(root, config.value, { mode: "write", env, cwd: io.cwd });
  if (admitted.kind === "trouble") return complain(io, admitted.trouble);
  for (const note of admitted.value.notes) io.err(`mdmirror: ${shownWords(note)}`);
  const key = findKey({ folder, keyFile: null, cwd: io.cwd, env, origin: admitted.value.origin });
  if (key.kind === "trouble")
    return complain(io, { ...key.trouble, next: "store it first: mdmirror init DIR --key-file FILE" });
  const { installUnit } = await import("../../app/autostart/service-manager.ts");
  const installed = await installUnit(unit, io.env);
  if (installed.kind === "trouble") return complain(io, installed.trouble);
  io.out(`installed ${unit.file}`);
  if (installed.value === null) {
    io.out("it runs, now and from login on; mdmirror status shows what it does");
    if (unit.manager === "systemd") io.out("to have it run without a login too: loginctl enable-linger");
    return EXIT.inSync;
  }
  io.err(`mdmirror: it is not started: ${installed.value}`);
  io.err(
    unit.manager === "systemd"
      ? `  next: in a session of your own: systemctl --user daemon-reload && systemctl --user enable --now ${unit.name}`
      : `  next: in a session of your own: launchctl bootstrap gui/$(id -u) '${unit.file}'`,
  );
  return EXIT.attention;
}

async function uninstall(io: Io, unit: ServiceUnit): Promise<ExitCode> {
  const { uninstallUnit } = await import("../../app/autostart/service-manager.ts");
  const removed = await uninstallUnit(unit, io.env);
  if (removed.kind === "trouble") return complain(io, removed.trouble);
  io.out(removed.value ? `removed ${unit.file}; the folder stays as it is` : "no service is installed for this folder");
  return EXIT.inSync;
}

async function status(io: Io, unit: ServiceUnit, root: string): Promise<ExitCode> {
  const { isInstalled, unitState } = await import("../../app/autostart/service-manager.ts");
  const { askDaemon, NO_DAEMON } = await import("../../app/control/ask.ts");
  const installed = isInstalled(unit);
  io.out(`${unit.manager}: ${installed ? unit.file : "not installed; next: mdmirror service install"}`);
  if (installed) io.out(`state: ${(await unitState(unit, io.env)) ?? "cannot be asked from here"}`);
  const daemon = await askDaemon(root, { do: "status" });
  if (daemon === NO_DAEMON) {
    io.out("daemon: none runs");
    return EXIT.attention;
  }
  if (daemon.kind === "trouble") return complain(io, daemon.trouble);
  const { pid, phase, detail } = daemon.value;
  io.out(`daemon: process ${pid}, ${phase}${detail === "" ? "" : `: ${detail}`}`);
  return EXIT.inSync;
}
