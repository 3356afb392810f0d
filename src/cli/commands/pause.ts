import { askDaemon, NO_DAEMON } from "../../mirror/daemon/control/ask.ts";
import type { ControlRequest } from "../../mirror/daemon/control/protocol.ts";
import { formatAge } from "../../common/quantities.ts";
import { quoteForShell } from "../../mirror/model/shell-word.ts";
import type { Command, CommandResult } from "../command.ts";
import { refuseUsage } from "../exit.ts";
import { refuse, unwrap } from "../../common/trouble.ts";
import { makeFolderCommand } from "../find-mirror.ts";

export const command: Command = {
  about: [
    "The daemon of DIR finishes the current step, then does nothing until mdmirror resume, or until TIME has passed. A restart does not end the pause.",
    "Changes made meanwhile on either side are synced after the pause. mdmirror sync still syncs once.",
  ],
  examples: ["mdmirror pause notes", "mdmirror pause notes --for 1h"],
  options: { for: { value: "TIME", isTime: true, help: "end the pause after TIME, such as 15m, 2h or 1d" } },
  ...makeFolderCommand(async (_io, args, root) => {
    const forMs = args.ms("for");
    if (forMs === 0) return refuseUsage("--for takes a time above 0");
    return pauseOrResume(root, forMs === null ? { do: "pause" } : { do: "pause", forMs });
  }),
};

export const resume: Command = {
  about: ["The daemon of DIR scans both sides and continues."],
  examples: ["mdmirror resume notes"],
  options: {},
  ...makeFolderCommand((_io, _args, root) => pauseOrResume(root, { do: "resume" })),
};

async function pauseOrResume(
  root: string,
  request: Extract<ControlRequest, { do: "pause" | "resume" }>,
): Promise<CommandResult> {
  const answer = await askDaemon(root, request);
  if (answer === NO_DAEMON) {
    const dir = quoteForShell(root);
    return refuse(`no daemon syncs ${root}`, `mdmirror watch ${dir}, or mdmirror service install ${dir}`);
  }
  const { changed } = unwrap(answer);
  if (request.do === "resume") return { lines: [changed ? "resumed" : "the daemon was not paused"] };
  const timeClause = request.forMs === undefined ? "" : ` for ${formatAge(request.forMs)}`;
  return { lines: [changed ? `paused${timeClause}; next: mdmirror resume` : "the daemon was already paused"] };
}
