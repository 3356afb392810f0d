import type { Command } from "../command.ts";

export const command: Command = {
  usage: "unprotect PATH",
  about: ["Afterwards each change of the document is in the live files at once. Needs Full access."],
  options: { "key-file": { value: "FILE", help: "read the API key from FILE" } },
  operands: { least: 1, most: 1 },
  async run(io, args) {
    const { changeProtection } = await import("../change-protection.ts");
    return changeProtection(io, args, false);
  },
};
