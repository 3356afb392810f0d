import { RESERVED_BYTES } from "./reserve.ts";

const PAGE_BYTES = 4_096;

/** Part of a database that its journal needs. */
type Pragmas = { pragma(text: string): unknown };

/**
 * Limits the journal to half of the reserve. A checkpoint makes the database grow by the size of
 * the journal, and the next changes need as much again. LIMIT: from 4 MB on, the whole reserve is
 * used. After one large transaction, space beyond 16 MB is returned to the disk.
 */
export function boundJournal(db: Pragmas): void {
  db.pragma(`journal_size_limit = ${2 * RESERVED_BYTES}`);
  db.pragma(`wal_autocheckpoint = ${RESERVED_BYTES / 2 / PAGE_BYTES}`);
}

/**
 * Writes the whole journal back. Until `boundJournal`, no further write-back happens: the database
 * file does not change, and the journal grows.
 * @throws if the journal cannot be written back, which is a bug, because no other process reads
 * the file
 */
export function holdJournal(db: Pragmas): void {
  const [result] = db.pragma("wal_checkpoint(TRUNCATE)") as { readonly busy: number }[];
  if (result?.busy !== 0) throw new Error("the journal of service.db could not be written back");
  db.pragma("wal_autocheckpoint = 0");
}
