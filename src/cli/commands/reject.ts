import type { Command } from "../command.ts";
import { answerStop, command as approve } from "./approve.ts";

export const command: Command = {
  usage: "reject [DIR] [--yes] [--all]",
  about: [
    "Undoes the changes that a safety check stopped: files that were deleted locally come back, and files whose documents",
    "are gone on the service stay and are uploaded as new. To apply them instead: mdmirror approve.",
  ],
  options: approve.options,
  operands: approve.operands,
  run: (io, args) => answerStop(io, args, "reject"),
};
