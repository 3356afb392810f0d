import type { Command } from "../command.ts";
import { KEY_OPTION } from "../use-mirror.ts";

export const command: Command = {
  usage: "unprotect PATH",
  about: ["Afterwards each change of the document is in the live files at once. Needs Full access."],
  options: KEY_OPTION,
  operands: { least: 1, most: 1 },
  async run(io, args) {
    const { changeProtection } = await import("../change-protection.ts");
    return changeProtection(io, args, false);
  },
};
