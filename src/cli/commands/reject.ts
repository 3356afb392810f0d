import type { Command } from "../command.ts";
import { answerStop, command as approve } from "./approve.ts";

export const command: Command = {
  usage: "reject [DIR] [--yes] [--all]",
  about: [
    "Shows the changes that a safety check stopped, asks for confirmation, and reverts what led to them. Restores files that were deleted locally. Uploads files as new if their documents were deleted on the service.",
    "To carry the changes out instead: mdmirror approve.",
  ],
  examples: ["mdmirror reject notes"],
  options: approve.options,
  operands: approve.operands,
  run: (io, args) => answerStop(io, args, "reject"),
};
