import { resolve } from "node:path";
import { plural } from "../../common/count.ts";
import type { BackupContents } from "../../service/backup/restore.ts";
import type { Result } from "../../common/trouble.ts";
import type { Command } from "../command.ts";
import { complain, EXIT, type ExitCode, misuse } from "../exit.ts";
import { databaseOf } from "../service-data.ts";

export const command: Command = {
  about: [
    "Also written mdmirror serve restore. Ids, content, reviews, keys and cursors are those of the backup; the administrator's key is new.",
    "If a linked folder has documents or versions that are not in the backup, its next sync stops before it changes anything. Then mdmirror approve makes the folder equal to the backup: newer documents are moved to its trash, newer versions stay in its history. mdmirror reject uploads them again.",
  ],
  examples: ["mdmirror serve restore backup.db --data ~/service"],
  options: {
    data: { value: "DIR", help: "data folder for the restored service; it must not contain a service" },
    database: { value: "URL", help: "empty PostgreSQL database: postgres://USER@HOST/NAME" },
  },
  operands: { usage: "FILE --data DIR|--database URL", least: 1, most: 1 },
  async run(io, args): Promise<ExitCode> {
    const [data, named] = [args.text("data"), args.text("database")];
    const database = named ?? (data === null ? databaseOf(io) : null);
    if ((data === null) === (database === null)) return misuse(io, "serve restore", "it takes --data or --database");
    const folder = data === null ? null : resolve(io.cwd, data);
    const restored = await restore(resolve(io.cwd, args.operands[0]!), folder, database!);
    if (restored.kind === "trouble") return complain(io, restored.trouble);
    const { documents, workspaces, keys } = restored.value;
    io.out(`${plural(documents, "document")} of ${plural(workspaces, "workspace")}, ${plural(keys, "key")}`);
    io.out(`try: mdmirror serve ${folder === null ? "--database URL" : `--data ${folder}`}`);
    return EXIT.inSync;
  },
};

async function restore(file: string, folder: string | null, database: string): Promise<Result<BackupContents>> {
  if (folder === null) {
    const { restoreToDatabase } = await import("../../service/backup/database.ts");
    return restoreToDatabase(file, database);
  }
  const { restoreBackup } = await import("../../service/backup/restore.ts");
  return restoreBackup(file, folder);
}
