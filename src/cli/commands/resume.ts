import type { Command } from "../command.ts";
import { pauseOrResume } from "../pause-or-resume.ts";

export const command: Command = {
  usage: "resume [DIR]",
  about: ["The daemon of DIR scans both sides and continues."],
  examples: ["mdmirror resume notes"],
  options: {},
  operands: { least: 0, most: 1 },
  async run(io, args) {
    return pauseOrResume(io, args.operands[0], { do: "resume" });
  },
};
