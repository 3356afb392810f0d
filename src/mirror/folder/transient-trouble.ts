import { readOwnFile, removeOwnFile, replaceOwnFile } from "../state/own-files.ts";
import { readErrorCode } from "../../common/trouble.ts";

/**
 * Problems that usually end without the user: another run has the lock, or the service cannot be
 * reached. A timer may run `sync --quiet` every few minutes, and each line of output may become a
 * mail. So mdmirror reports such a problem only after some time. The beginning of each problem is
 * stored in a file of its own, because a run without the lock may not write the state file.
 */
export type TransientKind = "locked" | "offline";

type NotedTrouble = { readonly since: number; readonly reportedAt: number | null };
type NotedTroubles = { readonly [kind in TransientKind]?: NotedTrouble };

export const NOTES_FILE = "quiet.json";
/** Milliseconds between two reports of the same problem. */
const REPORT_AGAIN_MS = 86_400_000;

/**
 * Stores that the problem exists now, and decides whether to report the problem.
 * @param folder absolute path of `.mdmirror`
 * @param graceMs milliseconds for which a problem may last before it is reported
 * @returns milliseconds for which the problem has lasted; null if the problem must not be reported
 * now
 */
export function noteTrouble(folder: string, kind: TransientKind, now: number, graceMs: number): number | null {
  try {
    const notes = readNotes(folder);
    const storedNote = notes[kind];
    // If the clock was set back to a time before the problem began, the problem counts as new.
    const note = storedNote !== undefined && storedNote.since <= now ? storedNote : { since: now, reportedAt: null };
    const { since, reportedAt } = note;
    const isDue = now - since >= graceMs && (reportedAt === null || now - reportedAt >= REPORT_AGAIN_MS);
    const newNote = isDue ? { since, reportedAt: now } : note;
    if (newNote !== storedNote) writeNotes(folder, { ...notes, [kind]: newNote });
    return isDue ? now - since : null;
  } catch (error) {
    // If the file cannot be written, each run reports the problem, because too many mails are
    // better than none.
    if (readErrorCode(error) === null) throw error;
    return 0;
  }
}

/** Removes ended problems from the file. Leaves the file unchanged if it cannot be written. */
export function endTroubles(folder: string, ended: readonly TransientKind[]): void {
  try {
    const notes = readNotes(folder);
    const remainingNotes = Object.entries(notes).filter(([kind]) => !ended.includes(kind as TransientKind));
    if (remainingNotes.length === Object.keys(notes).length) return;
    writeNotes(folder, Object.fromEntries(remainingNotes));
  } catch (error) {
    if (readErrorCode(error) === null) throw error;
  }
}

function writeNotes(folder: string, notes: NotedTroubles): void {
  if (Object.keys(notes).length === 0) removeOwnFile(folder, NOTES_FILE);
  else replaceOwnFile(folder, NOTES_FILE, JSON.stringify(notes));
}

/** Reads the stored problems. A file that is not valid JSON counts as empty. */
function readNotes(folder: string): NotedTroubles {
  try {
    return JSON.parse(readOwnFile(folder, NOTES_FILE)?.bytes.toString("utf8") ?? "{}") as NotedTroubles;
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
