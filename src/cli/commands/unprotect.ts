import { changeProtection, PROTECTION_OPTIONS } from "../change-protection.ts";
import type { Command } from "../command.ts";

export const command: Command = {
  usage: "unprotect PATH… | FOLDER | 'GLOB' [--dry-run] [--json]",
  about: [
    "From then on, each change of the document is published immediately. Needs a key with Full access.",
    "For a folder or a quoted glob (** matches any folder): the documents that exist now, as one run, which one mdmirror undo takes back.",
  ],
  examples: ["mdmirror unprotect contract.md"],
  options: PROTECTION_OPTIONS,
  operands: { least: 1, most: 10_000 },
  async run(io, args) {
    return changeProtection(io, args, false);
  },
};
