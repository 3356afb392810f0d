import type { Command } from "../command.ts";

export const command: Command = {
  usage: "protect PATH",
  about: ["Afterwards each change of the document waits on the service until somebody accepts it. Needs Full access."],
  options: { "key-file": { value: "FILE", help: "read the API key from FILE" } },
  operands: { least: 1, most: 1 },
  async run(io, args) {
    const { changeProtection } = await import("../change-protection.ts");
    return changeProtection(io, args, true);
  },
};
