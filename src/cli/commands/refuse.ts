import type { Command } from "../command.ts";
import { command as approve, letGoOrRefuse } from "./approve.ts";

/** The same as `approve --refuse`, for users who look for this word. */
export const command: Command = {
  ...approve,
  usage: "refuse [DIR] [--yes] [--all]",
  about: ["Brings back what a guard has stopped, instead of letting it go: the same as mdmirror approve --refuse."],
  run: (io, args) => letGoOrRefuse(io, args, true),
};
