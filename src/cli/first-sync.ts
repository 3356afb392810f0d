import { openMirror } from "../app/mirror/open-mirror.ts";
import { faultTrouble } from "../app/mirror/fault-trouble.ts";
import { rememberPrefer, runSync, USUAL_RUN } from "../app/mirror/run.ts";
import type { Io } from "./command.ts";
import { complain, exitOfTrouble } from "./complain.ts";
import { stayLine } from "./describe.ts";
import type { ExitCode } from "./exit.ts";
import { showProgress } from "./progress.ts";
import { exitOf, showReport } from "./show-report.ts";
import { shownWords } from "../model/shown-name.ts";

/** The sync at the end of `init`, which brings the files that the user came for. */
export async function firstSync(
  io: Io,
  root: string,
  keyFile: string | null,
  prefer: "local" | "remote" | "each" | null,
): Promise<ExitCode> {
  const { env, cwd, clock, random } = io;
  const progress = showProgress(io, false);
  const mirror = await openMirror(root, { mode: "write", what: "init", env, cwd, clock, random, progress, keyFile });
  if (mirror.kind === "trouble") return complain(io, mirror.trouble);
  const began = clock.monotonic();
  try {
    for (const note of mirror.value.notes) io.err(`mdmirror: ${shownWords(note)}`);
    if (prefer !== null) rememberPrefer(mirror.value, prefer);
    const report = await runSync(mirror.value, USUAL_RUN, "init");
    progress.end();
    showReport(io, report, clock.monotonic() - began, mirror.value.url);
    const stays = stayLine(report.staysLocal);
    if (stays !== null) io.out(stays);
    if (report.fault !== null) return exitOfTrouble(faultTrouble(report.fault, mirror.value.url));
    io.out("from now on: edit in any editor, then mdmirror sync (cron: mdmirror sync --quiet)");
    return exitOf(report);
  } finally {
    progress.end();
    await mirror.value.close();
  }
}
