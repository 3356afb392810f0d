import { askDaemon, NO_DAEMON } from "../mirror/daemon/control/ask.ts";
import { shellWord } from "../mirror/model/shell-word.ts";
import type { Io } from "./command.ts";
import { complain } from "./complain.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { findMirror } from "./find-mirror.ts";

export async function pauseOrResume(io: Io, dir: string | undefined, verb: "pause" | "resume"): Promise<ExitCode> {
  const root = findMirror(io, dir);
  if (root.kind === "trouble") return complain(io, root.trouble);
  const done = await askDaemon(root.value, { do: verb });
  if (done === NO_DAEMON) {
    return complain(io, {
      kind: "usage",
      what: `no daemon syncs ${root.value}`,
      next: `mdmirror watch ${shellWord(root.value)}, or mdmirror service install ${shellWord(root.value)}`,
    });
  }
  if (done.kind === "trouble") return complain(io, done.trouble);
  const { changed } = done.value;
  if (verb === "pause") io.out(changed ? "paused; next: mdmirror resume" : "the daemon was already paused");
  else io.out(changed ? "resumed" : "the daemon was not paused");
  return EXIT.inSync;
}
