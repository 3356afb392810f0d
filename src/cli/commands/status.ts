import { parseAge } from "../../model/age.ts";
import type { Args, Command, Io } from "../command.ts";
import { complain, misuse } from "../complain.ts";
import type { ExitCode } from "../exit.ts";
import { findMirror } from "../find-mirror.ts";
import { jsonLine } from "../json-line.ts";
import type { Asked } from "../show-status.ts";

const { realpathSync } = process.getBuiltinModule("node:fs");

export const command: Command = {
  usage: "status [DIR | --all] [--json | --prometheus] [--max-age 15m]",
  about: [
    "Reads the state, and asks the daemon if one runs: no network, no look at the files, nothing written.",
    "With --all each mirror has a line (with --json an object of one array), and the exit code is that of the worst.",
  ],
  options: {
    all: { help: "every mirror of this user, also those whose folder is not there" },
    json: { help: "one JSON object" },
    prometheus: { help: "figures for Prometheus's collector of text files; exit 0 whatever they say" },
    "max-age": { value: "TIME", help: "exit 3 when it was last in sync longer ago (90s, 15m, 6h, 2d)" },
  },
  operands: { least: 0, most: 1 },
  async run(io, args): Promise<ExitCode> {
    const text = args.text("max-age");
    const most = text === null ? null : parseAge(text);
    if (text !== null && most === null)
      return misuse(io, "status", "--max-age takes a time such as 90s, 15m, 6h or 2d");
    const asked: Asked = { json: args.flag("json"), maxAge: text === null ? null : { text, ms: most! } };
    const all = args.flag("all");
    if (all && args.operands.length > 0) return misuse(io, "status", "it takes a folder or --all, not both");
    if (args.flag("prometheus")) return tellFigures(io, args, asked);
    if (all) {
      const { tellAll } = await import("../status-all.ts");
      return tellAll(io, asked);
    }
    const root = findMirror(io, args.operands[0]);
    if (root.kind === "trouble") return complain(io, root.trouble);
    return tellStatus(io, root.value, asked);
  },
};

async function tellFigures(io: Io, args: Args, { json, maxAge }: Asked): Promise<ExitCode> {
  if (json || maxAge !== null) return misuse(io, "status", "--prometheus goes with neither --json nor --max-age");
  const root = args.flag("all") ? null : findMirror(io, args.operands[0]);
  if (root?.kind === "trouble") return complain(io, root.trouble);
  const { tellMetrics } = await import("../status-prometheus.ts");
  return tellMetrics(io, root === null ? null : realpathSync(root.value));
}

async function tellStatus(io: Io, root: string, { json, maxAge }: Asked): Promise<ExitCode> {
  const { ageOf, lookAtMirror } = await import("../../app/mirror/look.ts");
  const { exitOfStatus, isOver, showStatus, showUntrusted } = await import("../show-status.ts");
  const look = await lookAtMirror(root, io);
  if (look.kind === "unseen") {
    const { trouble } = look;
    return trouble.code === "untrusted" ? showUntrusted(io, trouble, json) : complain(io, trouble);
  }
  const { status, daemon } = look;
  const age = ageOf(status, io.clock.now());
  const old = maxAge !== null && isOver(age, maxAge.ms);
  if (json) {
    const { statusJson } = await import("../../app/told/status.ts");
    io.out(jsonLine({ ...statusJson(status, age), daemon }));
  } else {
    await showStatus(io, status, age, daemon);
    if (old) io.err(`mdmirror: not in sync within ${maxAge.text}; next: mdmirror sync`);
  }
  return exitOfStatus(status, old);
}
