import { parseAge } from "../../common/age.ts";
import type { Command } from "../command.ts";
import { complain, misuse } from "../complain.ts";
import { locateAll, USUAL_WAIT } from "../locate-all.ts";
import { hidesProgress, showProgress } from "../progress.ts";
import { waitFor } from "../../mirror/operations/manual/wait.ts";
import { printWaitResult } from "../show-waited.ts";

export const command: Command = {
  usage: "wait [PATH…] [--timeout 30s] [--json]",
  about: [
    "Returns when the present local state of each PATH is on the service: files, folders with their content, and deletions. Without PATH: everything.",
    "Reads the disk itself, and waits for the daemon if one is running; otherwise it syncs. It does not wait for later saves.",
    "Exit codes: 0 on the service, 7 in review, 3 in conflict, blocked or paused, 8 timed out, 5 offline, 4 stopped by a safety check.",
    "If several apply, the first of 4, 5, 8, 3, 7 is used.",
  ],
  examples: ["mdmirror wait plan.md --timeout 2m"],
  options: {
    timeout: { value: "TIME", help: "longest time to wait, such as 90s or 15m (default: 30s)" },
    json: { help: "print one JSON object with the state of each path" },
  },
  operands: { least: 0, most: Number.POSITIVE_INFINITY },
  async run(io, args) {
    const timeoutMs = parseAge(args.text("timeout") ?? USUAL_WAIT);
    if (timeoutMs === null) return misuse(io, "wait", "--timeout takes a time such as 5s, 30s or 15m");
    const place = locateAll(io, args.operands);
    if (place.kind === "trouble") return complain(io, place.trouble);
    const json = args.flag("json");
    const { env, cwd, clock, random } = io;
    const { root, paths } = place.value;
    const progress = showProgress(io, json || hidesProgress(root));
    const began = clock.monotonic();
    const options = { env, cwd, clock, random, progress };
    const ended = await waitFor(root, { paths, timeoutMs }, options).finally(progress.end);
    if (ended.kind === "trouble") return complain(io, ended.trouble);
    return printWaitResult(io, ended.value, { json, quiet: false, took: clock.monotonic() - began });
  },
};
