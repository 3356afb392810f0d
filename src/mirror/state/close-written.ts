import { type Db, faultOf } from "./database.ts";
import { leaveWal } from "./wal-mode.ts";

/**
 * Closes a file that was opened for writing, and takes it out of WAL mode: a reader of a WAL file
 * makes a `-wal` and a `-shm` where there are none and cannot take them away again, so that even
 * `status` would write (I23). While another process reads it, it stays as it is.
 */
export function closeWritten(db: Db): void {
  try {
    if (db.memory || db.readonly || !db.open) return;
    db.pragma("busy_timeout = 0");
    leaveWal(db);
  } catch (error) {
    // Busy, a full disk, a damaged file: closing leaves a sound WAL file behind, or what was
    // damaged before.
    if (faultOf(error) === null) throw error;
  } finally {
    db.close();
  }
}
