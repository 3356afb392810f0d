import { readOwn, removeOwn, replaceOwn } from "../../state/own-files.ts";
import { codeOf } from "./trouble.ts";

/**
 * Troubles that mostly end by themselves: another run still holds the folder, the service is not
 * reached. To a timer that runs every five minutes each line is a mail, so `sync --quiet` says
 * nothing of them until they have lasted. The time they began is kept in a file: a run that did not
 * get the lock may not write the state.
 */
export type Passing = "locked" | "offline";

type Noted = { readonly since: number; readonly toldAt: number | null };
type Notes = { readonly [kind in Passing]?: Noted };

const FILE = "quiet.json";
/** What lasts is told again after so long. */
const AGAIN_MS = 86_400_000;

export type Told =
  | { readonly kind: "silent" }
  /** `sinceMs`: how long it has lasted. */
  | { readonly kind: "told"; readonly sinceMs: number };

/**
 * Notes that it is so, and whether it is to be told now.
 * @param folder absolute path of `.mdmirror`
 * @param quietMs how long it may last unsaid
 */
export function notePassing(folder: string, kind: Passing, now: number, quietMs: number): Told {
  try {
    const notes = readNotes(folder);
    // A clock that was set back starts it anew.
    const before = (notes[kind]?.since ?? Number.POSITIVE_INFINITY) <= now ? notes[kind]! : null;
    const noted = before ?? { since: now, toldAt: null };
    const sinceMs = now - noted.since;
    const isDue = sinceMs >= quietMs && (noted.toldAt === null || now - noted.toldAt >= AGAIN_MS);
    if (before === null || isDue) writeNotes(folder, { ...notes, [kind]: isDue ? { ...noted, toldAt: now } : noted });
    return isDue ? { kind: "told", sinceMs } : { kind: "silent" };
  } catch (error) {
    // A disk that cannot keep it: rather a mail too many than none.
    if (codeOf(error) === null) throw error;
    return { kind: "told", sinceMs: 0 };
  }
}

/**
 * They ended. Writes nothing where there was none. @throws as node:fs does, but for a disk that
 * cannot be written: then they end later
 */
export function endPassing(folder: string, ended: readonly Passing[]): void {
  try {
    const notes = readNotes(folder);
    const left = Object.entries(notes).filter(([kind]) => !ended.includes(kind as Passing));
    if (left.length === Object.keys(notes).length) return;
    writeNotes(folder, Object.fromEntries(left));
  } catch (error) {
    if (codeOf(error) === null) throw error;
  }
}

function writeNotes(folder: string, notes: Notes): void {
  if (Object.keys(notes).length === 0) removeOwn(folder, FILE);
  else replaceOwn(folder, FILE, JSON.stringify(notes));
}

/** What is not of the form was never noted. */
function readNotes(folder: string): Notes {
  const read = readOwn(folder, FILE);
  let json: unknown = null;
  try {
    json = JSON.parse(read?.bytes.toString("utf8") ?? "{}");
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  const kept: { [kind in Passing]?: Noted } = {};
  for (const kind of ["locked", "offline"] as const) {
    const noted = typeof json === "object" && json !== null ? (json as Notes)[kind] : undefined;
    if (isNoted(noted)) kept[kind] = noted;
  }
  return kept;
}

function isNoted(noted: unknown): noted is Noted {
  if (typeof noted !== "object" || noted === null) return false;
  const { since, toldAt } = noted as Partial<Record<keyof Noted, unknown>>;
  return typeof since === "number" && (toldAt === null || typeof toldAt === "number");
}
