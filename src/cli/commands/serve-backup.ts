import { resolve } from "node:path";
import { plural } from "../../model/count.ts";
import type { Command } from "../command.ts";
import { complain, misuse } from "../complain.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { DEFAULT_DATA } from "../service-data.ts";

export const command: Command = {
  usage: "serve-backup --out FILE [--data DIR]",
  about: [
    "A backup of an embedded service in one file, also as mdmirror serve backup: documents with their versions, reviews and the",
    "keys of all workspaces, but not the administrator's. The service may run, and goes on meanwhile; what it had answered",
    "when the backup began is in it. mdmirror serve restore makes a service of it.",
  ],
  options: {
    out: { value: "FILE", help: "a new file, for this user alone" },
    data: { value: "DIR", help: `the data folder of the service (${DEFAULT_DATA})` },
  },
  operands: { least: 0, most: 0 },
  async run(io, args): Promise<ExitCode> {
    const out = args.text("out");
    if (out === null) return misuse(io, "serve backup", "it takes --out FILE");
    const { takeBackup } = await import("../../app/backup/take.ts");
    const taken = await takeBackup(resolve(io.cwd, args.text("data") ?? DEFAULT_DATA), resolve(io.cwd, out), io.clock);
    if (taken.kind === "trouble") return complain(io, taken.trouble);
    const { documents, workspaces, keys, file } = taken.value;
    io.out(`${plural(documents, "document")} of ${plural(workspaces, "workspace")}, ${plural(keys, "key")}: ${file}`);
    return EXIT.inSync;
  },
};
