import { type Result, unwrap } from "../../common/trouble.ts";
import { resolve } from "node:path";
import { plural } from "../../common/quantities.ts";
import type { BackupContents, TakenBackup } from "../../service/backup/backup.ts";
import type { Command, Io } from "../command.ts";
import { refuseUsage } from "../exit.ts";
import { quoteForShell } from "../../mirror/model/shell-word.ts";
import { readDatabaseUrl, DEFAULT_DATA } from "../service-data.ts";

export const command: Command = {
  about: [
    "Also written mdmirror serve backup. Writes documents with their versions, reviews and the keys of all workspaces to one file; not the administrator's key.",
    "The service can keep running. The backup has every change that the service had confirmed when the backup began.",
  ],
  examples: ["mdmirror serve backup --out backup.db"],
  options: {
    out: { value: "FILE", help: "file to create, readable by this user alone" },
    data: { value: "DIR", help: `data folder of the service (default: ${DEFAULT_DATA})` },
    database: { value: "URL", help: "the service's database in PostgreSQL: postgres://USER@HOST/NAME" },
  },
  operands: { usage: "--out FILE", least: 0, most: 0 },
  async run(io, args) {
    const outOption = args.text("out");
    if (outOption === null) return refuseUsage("it takes --out FILE");
    const dataFolder = args.text("data");
    const database = args.text("database") ?? (dataFolder === null ? readDatabaseUrl(io) : null);
    if (dataFolder !== null && database !== null) return refuseUsage("it takes --data or --database, not both");
    const contents = unwrap(await runBackup(io, dataFolder ?? DEFAULT_DATA, database, resolve(io.cwd, outOption)));
    return { lines: [`${describeContents(contents)}: ${contents.file}`] };
  },
};

async function runBackup(io: Io, folder: string, database: string | null, out: string): Promise<Result<TakenBackup>> {
  if (database !== null) return (await import("../../service/backup/database.ts")).takeDatabaseBackup(database, out);
  const { takeBackup } = await import("../../service/backup/backup.ts");
  const { openWire } = await import("../admin/open-wire.ts");
  return takeBackup(resolve(io.cwd, folder), out, { clock: io.clock, openWire });
}

function describeContents({ documents, workspaces, keys }: BackupContents): string {
  return `${plural(documents, "document")} of ${plural(workspaces, "workspace")}, ${plural(keys, "key")}`;
}

export const restore: Command = {
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
  async run(io, args) {
    const [dataFolder, named] = [args.text("data"), args.text("database")];
    const database = named ?? (dataFolder === null ? readDatabaseUrl(io) : null);
    if ((dataFolder === null) === (database === null)) return refuseUsage("it takes --data or --database");
    const folder = dataFolder === null ? null : resolve(io.cwd, dataFolder);
    const contents = unwrap(await restoreFrom(resolve(io.cwd, args.operands[0]!), folder, database!));
    const placeOption = folder === null ? "--database URL" : `--data ${quoteForShell(folder)}`;
    return { lines: [describeContents(contents), `try: mdmirror serve ${placeOption}`] };
  },
};

async function restoreFrom(file: string, folder: string | null, database: string): Promise<Result<BackupContents>> {
  return folder === null
    ? (await import("../../service/backup/database.ts")).restoreToDatabase(file, database)
    : (await import("../../service/backup/backup.ts")).restoreBackup(file, folder);
}
