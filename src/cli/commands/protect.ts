import { PROTECTION_OPTIONS } from "../change-protection.ts";
import type { Command } from "../command.ts";

export const command: Command = {
  usage: "protect PATH… | FOLDER | 'GLOB' [--dry-run] [--json]",
  about: [
    "Afterwards each change of the document waits on the service until somebody accepts it. Needs Full access.",
    "Of a folder or a glob (quoted; ** is any folder): the documents that are there now, as one run, which one mdmirror undo takes back.",
  ],
  options: PROTECTION_OPTIONS,
  operands: { least: 1, most: 10_000 },
  async run(io, args) {
    const { changeProtection } = await import("../change-protection.ts");
    return changeProtection(io, args, true);
  },
};
