import { RESERVED_BYTES } from "./reserve.ts";

const PAGE_BYTES = 4_096;

type PragmaRunner = { pragma(text: string): unknown };

/**
 * Limits the size of the journal. SQLite writes the journal back into the database when it is half
 * as large as the reserved disk space (`reserve.ts`). The database may then grow by the size of the
 * journal, and the next changes need as much space again. After a large transaction, a journal of
 * more than 16 MB is made smaller.
 * LIMIT: if a journal has more than 4 MB, this may need more than the reserved 8 MB.
 */
export function limitJournal(db: PragmaRunner): void {
  db.pragma(`journal_size_limit = ${2 * RESERVED_BYTES}`);
  db.pragma(`wal_autocheckpoint = ${RESERVED_BYTES / 2 / PAGE_BYTES}`);
}

/**
 * Writes the whole journal back into the database file. Then the file does not change until
 * `limitJournal` is called; meanwhile, the journal grows.
 * @throws if the journal cannot be written back, which is a bug, because no other process reads the
 * file
 */
export function keepJournal(db: PragmaRunner): void {
  const [result] = db.pragma("wal_checkpoint(TRUNCATE)") as { readonly busy: number }[];
  if (result?.busy !== 0) throw new Error("the journal of service.db could not be written back");
  db.pragma("wal_autocheckpoint = 0");
}
