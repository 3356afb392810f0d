import { resolve } from "node:path";
import { plural } from "../../model/count.ts";
import type { Command } from "../command.ts";
import { complain, misuse } from "../complain.ts";
import { EXIT, type ExitCode } from "../exit.ts";

export const command: Command = {
  usage: "serve-restore FILE --data DIR",
  about: [
    "Makes a data folder of a backup, also as mdmirror serve restore. Ids, texts, reviews, keys and cursors are those of the",
    "backup; the administrator's key is a new one. Mirrors that have seen more than the backup holds stop before they",
    "change anything, and ask.",
  ],
  options: { data: { value: "DIR", help: "a folder that holds no service yet" } },
  operands: { least: 1, most: 1 },
  async run(io, args): Promise<ExitCode> {
    const data = args.text("data");
    if (data === null) return misuse(io, "serve restore", "it takes --data DIR");
    const { restoreBackup } = await import("../../app/backup/restore.ts");
    const folder = resolve(io.cwd, data);
    const restored = await restoreBackup(resolve(io.cwd, args.operands[0]!), folder);
    if (restored.kind === "trouble") return complain(io, restored.trouble);
    const { documents, workspaces, keys } = restored.value;
    io.out(`${plural(documents, "document")} of ${plural(workspaces, "workspace")}, ${plural(keys, "key")}: ${folder}`);
    io.out(`try: mdmirror serve --data ${folder}`);
    return EXIT.inSync;
  },
};
