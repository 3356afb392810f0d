import { readdirSync, readFileSync } from "node:fs";
import { mergeText } from "../../src/markdown/merge/merge.ts";

/**
 * Notes of a day that two devices edited, and what a careful person would make of them. The files
 * in `daily-notes/` hold the cases. Lines that begin with `%% ` part them: a title above the base,
 * then `local`, `remote`, `merged` above each merged text that is right, and `conflict` where a
 * question to the user is right. ␍ stands for a carriage return; after ␄ there is no line feed.
 */
export type Note = {
  readonly title: string;
  readonly base: string;
  readonly local: string;
  readonly remote: string;
  /** Merged texts that are right; none where only a conflict is. */
  readonly merged: readonly string[];
  readonly mayConflict: boolean;
};

/** How a merge of a note ended: `needless` is a conflict where a merge was due. */
export type NoteVerdict = "right" | "needless" | "wrong";

const FOLDER = new URL("daily-notes/", import.meta.url);

/** Reads the cases of all files, or of the one of this name. */
export function readNotes(only?: string): Note[] {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith(".txt") && (only ?? name) === name);
  return names.sort().flatMap((name) => notesIn(readFileSync(new URL(name, FOLDER), "utf8"), name));
}

/** The heads of a case's parts; any other head is the title of a case. */
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

/** Judges a merged text, undefined for a conflict. */
export function judgeNote(note: Note, merged: string | undefined): NoteVerdict {
  if (merged === undefined) return note.mayConflict ? "right" : "needless";
  return note.merged.includes(merged) ? "right" : "wrong";
}

/** A note with its sides exchanged. */
export function turned(note: Note): Note {
  return { ...note, title: `${note.title} (sides exchanged)`, local: note.remote, remote: note.local };
}

/** Merges a note as mdmirror does; undefined for a conflict. */
export function mergeNote({ base, local, remote }: Note): string | undefined {
  const result = mergeText(base, local, remote);
  return result.kind === "clean" ? result.text : undefined;
}
