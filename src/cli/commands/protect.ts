import type { Command } from "../command.ts";
import { KEY_OPTION } from "../use-mirror.ts";

export const command: Command = {
  usage: "protect PATH",
  about: ["Afterwards each change of the document waits on the service until somebody accepts it. Needs Full access."],
  options: KEY_OPTION,
  operands: { least: 1, most: 1 },
  async run(io, args) {
    const { changeProtection } = await import("../change-protection.ts");
    return changeProtection(io, args, true);
  },
};
