import { realpathSync } from "node:fs";
import { complain, type ExitCode, misuse } from "../exit.ts";
import type { Args, Command, Io } from "../command.ts";
import { exitOfStatus, isTooOld, showStatus, showUntrusted, type StatusFlags } from "../show-status.ts";
import { printAllStatuses } from "../status-all.ts";
import { findMirror, ONE_FOLDER } from "../find-mirror.ts";
import { printShortStatus } from "../status-short.ts";
import { printMetrics } from "../status-prometheus.ts";
import { ageOf, readFolderStatus } from "../../mirror/folder/status.ts";
import { statusJson } from "../../mirror/operations/results/status.ts";
import { jsonLine } from "../text.ts";

export const command: Command = {
  about: [
    "Reads the stored state, and asks the daemon if one is running. Uses no network, reads no documents and writes nothing.",
    "With --all, prints one line for each linked folder (with --json: one array). The exit code is the most serious one.",
  ],
  examples: ["mdmirror status", "mdmirror status --all", "mdmirror status notes --max-age 15m"],
  options: {
    all: { help: "every linked folder of this user, including missing ones" },
    short: { help: "one line for prompts and status bars; prints nothing and exits 2 outside of a linked folder" },
    json: { help: "print one JSON object" },
    prometheus: { help: "print metrics for Prometheus's textfile collector; always exits 0" },
    "max-age": { value: "TIME", isTime: true, help: "exit 3 if the last sync is older than TIME (90s, 15m, 6h, 2d)" },
  },
  operands: ONE_FOLDER,
  async run(io, args): Promise<ExitCode> {
    if (args.flag("short")) return runShort(io, args);
    const [text, ms] = [args.text("max-age"), args.ms("max-age")];
    const asked: StatusFlags = { json: args.flag("json"), maxAge: text === null || ms === null ? null : { text, ms } };
    const all = args.flag("all");
    if (all && args.operands.length > 0) return misuse(io, "status", "it takes a folder or --all, not both");
    if (args.flag("prometheus")) return tellFigures(io, args, asked);
    if (all) {
      return printAllStatuses(io, asked);
    }
    const root = findMirror(io, args.operands[0]);
    if (root.kind === "trouble") return complain(io, root.trouble);
    return tellStatus(io, root.value, asked);
  },
};

async function runShort(io: Io, args: Args): Promise<ExitCode> {
  if (args.flag("all") || args.flag("prometheus") || args.text("max-age") !== null)
    return misuse(io, "status", "--short can be combined with --json only");
  return printShortStatus(io, { dir: args.operands[0], json: args.flag("json") });
}

async function tellFigures(io: Io, args: Args, { json, maxAge }: StatusFlags): Promise<ExitCode> {
  if (json || maxAge !== null) return misuse(io, "status", "--prometheus goes with neither --json nor --max-age");
  const root = args.flag("all") ? null : findMirror(io, args.operands[0]);
  if (root?.kind === "trouble") return complain(io, root.trouble);
  return printMetrics(io, root === null ? null : realpathSync(root.value));
}

async function tellStatus(io: Io, root: string, { json, maxAge }: StatusFlags): Promise<ExitCode> {
  const look = await readFolderStatus(root, io);
  if (look.kind === "unseen") {
    const { trouble } = look;
    return trouble.code === "untrusted" ? showUntrusted(io, trouble, json) : complain(io, trouble);
  }
  const { status, daemon } = look;
  const age = ageOf(status, io.clock.now());
  const old = maxAge !== null && isTooOld(age, maxAge.ms);
  if (json) {
    io.out(jsonLine({ ...statusJson(status, age), daemon }));
  } else {
    await showStatus(io, status, age, daemon);
    if (old) io.err(`mdmirror: not in sync within ${maxAge.text}; next: mdmirror sync`);
  }
  return exitOfStatus(status, old);
}
