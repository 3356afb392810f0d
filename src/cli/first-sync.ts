import { faultTrouble } from "../app/mirror/fault-trouble.ts";
import { rememberPrefer, runSync, USUAL_RUN } from "../app/mirror/run.ts";
import type { Io } from "./command.ts";
import { exitOfTrouble } from "./complain.ts";
import { stayLine } from "./describe.ts";
import type { ExitCode } from "./exit.ts";
import { exitOf, showReport } from "./show-report.ts";
import { useMirror } from "./use-mirror.ts";

/** The sync at the end of `init`, which brings the files that the user came for. */
export function firstSync(
  io: Io,
  root: string,
  keyFile: string | null,
  prefer: "local" | "remote" | "each" | null,
): Promise<ExitCode> {
  return useMirror(io, root, { mode: "write", what: "init", keyFile }, async (mirror) => {
    const began = io.clock.monotonic();
    if (prefer !== null) rememberPrefer(mirror, prefer);
    const report = await runSync(mirror, USUAL_RUN, "init");
    showReport(io, report, io.clock.monotonic() - began, mirror.url);
    const stays = stayLine(report.staysLocal);
    if (stays !== null) io.out(stays);
    if (report.fault !== null) return exitOfTrouble(faultTrouble(report.fault, mirror.url));
    io.out("from now on: edit in any editor, then mdmirror sync (cron: mdmirror sync --quiet)");
    return exitOf(report);
  });
}
