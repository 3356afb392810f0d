import type { Command, Io } from "../command.ts";
import { complain } from "../complain.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { findMirror } from "../find-mirror.ts";
import { showProgress } from "../progress.ts";
import { shownWords } from "../../model/shown-name.ts";

export const command: Command = {
  usage: "sync [DIR] [--dry-run] [--json] [--quiet] [--max-deletes N] [--pull-only | --push-only]",
  about: [
    "Passes until nothing is left to do, five at most; made for cron. Prints one line; with --quiet, none on success.",
    "What the service refused is tried again by each sync; with --quiet (cron), once a day.",
    "Where a daemon keeps the folder, it is asked for the run, and waited for.",
  ],
  options: {
    "dry-run": { help: "show what it would do; write nothing at all (mdmirror plan)" },
    json: { help: "end with one JSON object instead of lines" },
    quiet: { short: "q", help: "say nothing unless something needs you, or has lasted for an hour" },
    "max-deletes": { value: "N", help: "so many deletions a side without a question, in this run" },
    "pull-only": { help: "only bring changes here" },
    "push-only": { help: "only send changes to the service" },
    url: { value: "URL", help: "the service, instead of the linked one's address" },
    "key-file": { value: "FILE", help: "read the API key from FILE" },
  },
  operands: { least: 0, most: 1 },
  async run(io, args): Promise<ExitCode> {
    const asked = args.text("max-deletes");
    const maxDeletes = asked === null ? null : Number(asked);
    if (asked !== null && !/^\d{1,9}$/.test(asked)) return misused(io, "--max-deletes takes a whole number");
    if (args.flag("pull-only") && args.flag("push-only"))
      return misused(io, "--pull-only and --push-only exclude each other");
    const root = findMirror(io, args.operands[0]);
    if (root.kind === "trouble") return complain(io, root.trouble);
    const direction = args.flag("pull-only") ? "pull-only" : args.flag("push-only") ? "push-only" : "both";
    const quiet = args.flag("quiet");
    const request = { direction, maxDeletes, attended: io.terminal.output, byTimer: quiet } as const;
    const json = args.flag("json");
    if (args.flag("dry-run")) {
      const { showPlan } = await import("../show-plan.ts");
      return showPlan(io, root.value, request, {
        json,
        quiet,
        all: false,
        url: args.text("url"),
        keyFile: args.text("key-file"),
      });
    }
    const plain = direction === "both" && asked === null && args.text("url") === null && args.text("key-file") === null;
    if (plain) {
      // Anything else than a plain sync is not what the daemon does: then it lends the folder
      // (open-mirror).
      const { syncByDaemon } = await import("../sync-by-daemon.ts");
      const ended = await syncByDaemon(io, root.value, { quiet, json });
      if (ended !== null) return ended;
    }
    const { openMirror } = await import("../../app/mirror/open-mirror.ts");
    const { runSync } = await import("../../app/mirror/run.ts");
    const { tellRun, tellTrouble } = await import("../tell-run.ts");
    const progress = showProgress(io, quiet || json);
    const { env, cwd, clock, random } = io;
    const mirror = await openMirror(root.value, {
      mode: "write",
      what: "sync",
      env,
      cwd,
      clock,
      random,
      progress,
      url: args.text("url"),
      keyFile: args.text("key-file"),
    });
    if (mirror.kind === "trouble") return tellTrouble(io, root.value, mirror.trouble, { quiet, json });
    const began = clock.monotonic();
    try {
      const report = await runSync(mirror.value, request, "sync");
      progress.end();
      for (const note of mirror.value.notes) io.err(`mdmirror: ${shownWords(note)}`);
      const took = clock.monotonic() - began;
      return tellRun(io, root.value, report, { quiet, json, url: mirror.value.url, took });
    } finally {
      progress.end();
      await mirror.value.close();
    }
  },
};

function misused(io: Io, why: string): ExitCode {
  io.err(`mdmirror sync: ${why}`);
  io.err("  next: mdmirror sync --help");
  return EXIT.usage;
}
