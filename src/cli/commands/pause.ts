import type { Command } from "../command.ts";
import { misuse } from "../exit.ts";
import { pauseOrResume } from "../pause-or-resume.ts";

export const command: Command = {
  usage: "pause [DIR] [--for TIME]",
  about: [
    "The daemon of DIR finishes the current step, then does nothing until mdmirror resume, or until TIME has passed. A restart does not end the pause.",
    "Changes made meanwhile on either side are synced after the pause. mdmirror sync still syncs once.",
  ],
  examples: ["mdmirror pause notes", "mdmirror pause notes --for 1h"],
  options: { for: { value: "TIME", isTime: true, help: "end the pause after TIME, such as 15m, 2h or 1d" } },
  operands: { least: 0, most: 1 },
  async run(io, args) {
    const forMs = args.ms("for");
    if (forMs === 0) return misuse(io, "pause", "--for takes a time above 0");
    return pauseOrResume(io, args.operands[0], forMs === null ? { do: "pause" } : { do: "pause", forMs });
  },
};
