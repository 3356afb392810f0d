import { editedLists } from "../../test/merge/edited-lists.ts";
import { judgeNote, mergeNote, type Note, type NoteVerdict, readNotes, turned } from "../../test/merge/daily-notes.ts";
import { rivals } from "./rivals.ts";

type NoteRow = { cases: number } & Record<NoteVerdict, number>;

/**
 * Returns the number of each verdict on the daily notes and the edited lists; for the notes, also
 * those of other tools.
 */
export function measureNotes(withRivals: boolean): Record<string, NoteRow> {
  const notes = readNotes().flatMap((note) => [note, turned(note)]);
  const lists = editedLists(60, 1).map((list): Note => ({ ...list, title: `${list.format}: ${list.change}` }));
  const rows: Record<string, NoteRow> = {
    "daily notes": rowOf(notes, mergeNote),
    "edited lists": rowOf(lists, mergeNote),
  };
  if (!withRivals) return rows;
  for (const [name, merge] of Object.entries(rivals())) {
    const mergeOther = ({ base, local, remote }: Note) => merge({ base, ours: remote, theirs: local });
    rows[`daily notes by ${name}`] = rowOf(notes, mergeOther);
  }
  return rows;
}

function rowOf(notes: readonly Note[], merge: (note: Note) => string | undefined): NoteRow {
  const row: NoteRow = { cases: notes.length, right: 0, needless: 0, wrong: 0 };
  for (const note of notes) row[judgeNote(note, merge(note))]++;
  return row;
}
