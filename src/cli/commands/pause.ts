import type { Command } from "../command.ts";
import { pauseOrResume } from "../pause-or-resume.ts";

export const command: Command = {
  usage: "pause [DIR]",
  about: [
    "The daemon of DIR finishes the current step, then does nothing until mdmirror resume, also after a restart.",
    "Changes made meanwhile on either side are synced after mdmirror resume. mdmirror sync still syncs once.",
  ],
  examples: ["mdmirror pause notes"],
  options: {},
  operands: { least: 0, most: 1 },
  async run(io, args) {
    return pauseOrResume(io, args.operands[0], "pause");
  },
};
