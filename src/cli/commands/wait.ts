import { parseAge } from "../../model/age.ts";
import type { Command } from "../command.ts";
import { complain, misuse } from "../complain.ts";
import { locateAll, USUAL_WAIT } from "../locate-all.ts";
import { hidesProgress, showProgress } from "../progress.ts";

export const command: Command = {
  usage: "wait [PATH…] [--timeout 30s] [--json]",
  about: [
    "Returns when what is on disk now is on the service: files, folders with all in them, deletions; all, without PATH.",
    "Looks at the disk itself, and waits through the daemon if one runs, else by a sync. A later save is not waited for.",
    "Exit 0: live. 7: in review. 3: in conflict, held, or the daemon is paused. 8: too slow. 5: offline. 4: halted.",
    "Where several apply, the first of 4, 5, 8, 3, 7 counts.",
  ],
  options: {
    timeout: { value: "TIME", help: "wait no longer than that (90s, 15m; 30s)" },
    json: { help: "one JSON object, each path with its state" },
  },
  operands: { least: 0, most: Number.POSITIVE_INFINITY },
  async run(io, args) {
    const timeoutMs = parseAge(args.text("timeout") ?? USUAL_WAIT);
    if (timeoutMs === null) return misuse(io, "wait", "--timeout takes a time such as 5s, 30s or 15m");
    const place = locateAll(io, args.operands);
    if (place.kind === "trouble") return complain(io, place.trouble);
    const { waitFor } = await import("../../app/by-hand/wait.ts");
    const { tellWaited } = await import("../show-waited.ts");
    const json = args.flag("json");
    const { env, cwd, clock, random } = io;
    const { root, paths } = place.value;
    const progress = showProgress(io, json || hidesProgress(root));
    const began = clock.monotonic();
    const options = { env, cwd, clock, random, progress };
    const ended = await waitFor(root, { paths, timeoutMs }, options).finally(progress.end);
    if (ended.kind === "trouble") return complain(io, ended.trouble);
    return tellWaited(io, ended.value, { json, quiet: false, took: clock.monotonic() - began });
  },
};
