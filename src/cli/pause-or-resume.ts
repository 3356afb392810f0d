import { askDaemon, NO_DAEMON } from "../mirror/daemon/control/ask.ts";
import type { ControlRequest } from "../mirror/daemon/control/protocol.ts";
import { ageText } from "../common/age.ts";
import { shellWord } from "../mirror/model/shell-word.ts";
import type { Io } from "./command.ts";
import { complain, EXIT, type ExitCode } from "./exit.ts";
import { findMirror } from "./find-mirror.ts";

type PauseRequest = Extract<ControlRequest, { do: "pause" | "resume" }>;

export async function pauseOrResume(io: Io, dir: string | undefined, request: PauseRequest): Promise<ExitCode> {
  const root = findMirror(io, dir);
  if (root.kind === "trouble") return complain(io, root.trouble);
  const done = await askDaemon(root.value, request);
  if (done === NO_DAEMON) {
    return complain(io, {
      kind: "usage",
      what: `no daemon syncs ${root.value}`,
      next: `mdmirror watch ${shellWord(root.value)}, or mdmirror service install ${shellWord(root.value)}`,
    });
  }
  if (done.kind === "trouble") return complain(io, done.trouble);
  const { changed } = done.value;
  if (request.do === "pause") {
    const time = request.forMs === undefined ? "" : ` for ${ageText(request.forMs)}`;
    io.out(changed ? `paused${time}; next: mdmirror resume` : "the daemon was already paused");
  } else io.out(changed ? "resumed" : "the daemon was not paused");
  return EXIT.inSync;
}
