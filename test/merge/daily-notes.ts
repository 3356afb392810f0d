import { readdirSync, readFileSync } from "node:fs";
import { mergeText } from "../../src/markdown/merge/merge.ts";

/**
 * Daily notes that two devices edited, with the results that a careful person would accept. The
 * files in `daily-notes/` contain the cases. Lines that begin with `%% ` separate the parts: a
 * title above base; then `local`, `remote`, and `merged` above each accepted result; `conflict` if
 * a conflict is accepted. ␍ means a carriage return; after ␄ there is no line feed.
 */
export type Note = {
  readonly title: string;
  readonly base: string;
  readonly local: string;
  readonly remote: string;
  /** Accepted results; empty if only a conflict is accepted. */
  readonly merged: readonly string[];
  readonly mayConflict: boolean;
};

/** Result of a merge: `needless` is a conflict although a merge is possible. */
export type NoteVerdict = "right" | "needless" | "wrong";

const FOLDER = new URL("daily-notes/", import.meta.url);

/** Reads the cases of all files, or of one file. */
export function readNotes(only?: string): Note[] {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith(".txt") && (only ?? name) === name);
  return names.sort().flatMap((name) => notesIn(readFileSync(new URL(name, FOLDER), "utf8"), name));
}

/** Headers of the parts of a case. Any other header is the title of a case. */
const PARTS = "local|remote|merged|conflict";

function notesIn(text: string, file: string): Note[] {
  const cases = text.split(new RegExp(`\\n(?=%% (?!(?:${PARTS})$))`, "m"));
  return cases.map((one) => noteOf(one.split(/^%% /m).slice(1).map(partOf), file));
}

type Part = { readonly head: string; readonly body: string };

function partOf(part: string): Part {
  const feed = part.indexOf("\n");
  const body = part
    .slice(feed + 1)
    .replaceAll("␍\n", "\r\n")
    .replaceAll("␄\n", "");
  return { head: part.slice(0, feed), body };
}

function noteOf([first, ...parts]: readonly Part[], file: string): Note {
  const bodiesOf = (head: string): string[] => parts.filter((part) => part.head === head).map(({ body }) => body);
  const [local, remote] = [bodiesOf("local")[0], bodiesOf("remote")[0]];
  if (first === undefined || local === undefined || remote === undefined) throw new Error(`no whole case in ${file}`);
  const [merged, mayConflict] = [bodiesOf("merged"), bodiesOf("conflict").length > 0];
  if (merged.length === 0 && !mayConflict) throw new Error(`no end of ${first.head} in ${file}`);
  return { title: `${file}: ${first.head}`, base: first.body, local, remote, merged, mayConflict };
}

/** Compares a result with the accepted ones; undefined is a conflict. */
export function judgeNote(note: Note, merged: string | undefined): NoteVerdict {
  if (merged === undefined) return note.mayConflict ? "right" : "needless";
  return note.merged.includes(merged) ? "right" : "wrong";
}

/** Returns a note with its sides exchanged. */
export function turned(note: Note): Note {
  return { ...note, title: `${note.title} (sides exchanged)`, local: note.remote, remote: note.local };
}

/** Merges a note like mdmirror. Returns undefined for a conflict. */
export function mergeNote({ base, local, remote }: Note): string | undefined {
  const result = mergeText(base, local, remote);
  return result.kind === "clean" ? result.text : undefined;
}
