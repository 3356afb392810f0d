import { readOwn, removeOwn, replaceOwn } from "../state/own-files.ts";
import { errorCodeOf } from "../../common/trouble.ts";

/**
 * Problems that mostly end by themselves: another run has the lock, or the service cannot be
 * reached. If a timer runs every five minutes, each line of output is a mail, so `sync --quiet`
 * does not report such a problem at first. A file stores when each problem began, because a run
 * without the lock may not write the state.
 */
export type TransientKind = "locked" | "offline";

type NotedTrouble = { readonly since: number; readonly reportedAt: number | null };
type Notes = { readonly [kind in TransientKind]?: NotedTrouble };

const NOTES_FILE = "quiet.json";
/** Milliseconds after which a lasting problem is reported again. */
const REPORT_AGAIN_MS = 86_400_000;

/**
 * Stores the problem, and decides whether to report it now.
 * @param folder absolute path of `.mdmirror`
 * @param graceMs milliseconds that a problem may last without a report
 * @returns the duration of a problem to report, in milliseconds; null if it is not reported
 */
export function noteTransient(folder: string, kind: TransientKind, now: number, graceMs: number): number | null {
  try {
    const notes = readNotes(folder);
    const before = notes[kind];
    // After the clock was set back, the duration begins again.
    const note = before !== undefined && before.since <= now ? before : { since: now, reportedAt: null };
    const { since, reportedAt } = note;
    const isDue = now - since >= graceMs && (reportedAt === null || now - reportedAt >= REPORT_AGAIN_MS);
    const after = isDue ? { since, reportedAt: now } : note;
    if (after !== before) writeNotes(folder, { ...notes, [kind]: after });
    return isDue ? now - since : null;
  } catch (error) {
    // If the disk cannot store the note, the problem is reported: one mail too many is better than
    // none.
    if (errorCodeOf(error) === null) throw error;
    return 0;
  }
}

/**
 * Removes notes of problems that ended. Writes nothing if there are none. If the disk cannot be
 * written, the notes stay until later.
 */
export function endTransient(folder: string, ended: readonly TransientKind[]): void {
  try {
    const notes = readNotes(folder);
    const remaining = Object.entries(notes).filter(([kind]) => !ended.includes(kind as TransientKind));
    if (remaining.length === Object.keys(notes).length) return;
    writeNotes(folder, Object.fromEntries(remaining));
  } catch (error) {
    if (errorCodeOf(error) === null) throw error;
  }
}

function writeNotes(folder: string, notes: Notes): void {
  if (Object.keys(notes).length === 0) removeOwn(folder, NOTES_FILE);
  else replaceOwn(folder, NOTES_FILE, JSON.stringify(notes));
}

/** Reads the stored notes about problems. A file that is not valid JSON counts as empty. */
function readNotes(folder: string): Notes {
  try {
    return JSON.parse(readOwn(folder, NOTES_FILE)?.bytes.toString("utf8") ?? "{}") as Notes;
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
