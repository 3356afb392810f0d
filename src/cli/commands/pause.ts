import type { Command } from "../command.ts";

export const command: Command = {
  usage: "pause [DIR]",
  about: [
    "The daemon of DIR ends what is under way and then does nothing until mdmirror resume, also after a restart. What you",
    "and others edit meanwhile is met by the resume. mdmirror sync still syncs, once.",
  ],
  options: {},
  operands: { least: 0, most: 1 },
  async run(io, args) {
    const { pauseOrResume } = await import("../pause-or-resume.ts");
    return pauseOrResume(io, args.operands[0], "pause");
  },
};
