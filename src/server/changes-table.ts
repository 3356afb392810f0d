import type { Db } from "./database.ts";
import { decodeIfKept, decodeText, encodeText, PRUNED } from "./text-codec.ts";

/**
 * `saved`: was or is the live text. The others never were: they wait for review, or were accepted
 * (as another, saved change) or rejected.
 */
export type ChangeStatus = "saved" | "in_review" | "accepted" | "rejected";

export type ChangeRow = {
  readonly seq: number;
  readonly id: string;
  readonly file: number;
  readonly baseId: string | null;
  readonly status: ChangeStatus;
  /** Milliseconds since the epoch, from the service's clock. */
  readonly at: number;
};

export type NewChange = {
  readonly id: string;
  readonly file: number;
  readonly baseId: string | null;
  readonly status: ChangeStatus;
  readonly text: string;
  readonly at: number;
};

const COLUMNS = "c.seq, c.id, c.file, c.base_id AS baseId, c.status, c.at";
type Stored = { readonly codec: number; readonly text: Buffer };
type Subtree = { readonly workspace: number; readonly path: string };

/** The prepared statements of table `changes`: the whole history of each document. */
export function changesTable(db: Db) {
  const textOf = db.prepare<[string], Stored>("SELECT codec, text FROM changes WHERE id = ?");
  const ofFile = db.prepare<[string, number], Stored>("SELECT codec, text FROM changes WHERE id = ? AND file = ?");
  const byId = db.prepare<[number, string], ChangeRow>(
    `SELECT ${COLUMNS} FROM changes c JOIN files x ON x.seq = c.file WHERE x.workspace = ? AND c.id = ?`,
  );
  const inReview = db.prepare<[number], { seq: number }>(
    "SELECT seq FROM changes WHERE file = ? AND status = 'in_review' LIMIT 1",
  );
  const reviews = db.prepare<[number, ChangeStatus], ChangeRow>(
    `SELECT ${COLUMNS} FROM changes c JOIN files x ON x.seq = c.file WHERE x.workspace = ? AND c.status = ? ORDER BY c.seq`,
  );
  const treeInReview = db.prepare<[Subtree], { seq: number }>(
    // From the few changes in review to their folders, never from the many files.
    `SELECT c.seq FROM changes c INDEXED BY changes_in_review
       CROSS JOIN files x ON x.seq = c.file CROSS JOIN folders d ON d.seq = x.folder
     WHERE c.status = 'in_review' AND x.workspace = @workspace
       AND (d.path = @path OR (d.path > @path || '/' AND d.path < @path || '0')) LIMIT 1`,
  );
  const insert = db.prepare<[string, number, string | null, ChangeStatus, number, Buffer, number]>(
    "INSERT INTO changes (id, file, base_id, status, codec, text, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  const setStatus = db.prepare<[ChangeStatus, number]>("UPDATE changes SET status = ? WHERE seq = ?");
  const removeOf = db.prepare<[number]>("DELETE FROM changes WHERE file = ?");
  const decoded = (row: Stored | undefined) => (row === undefined ? null : decodeText(row));
  return {
    /** @throws when the change is not there: every file's `change_id` names one */
    text: (id: string): string => {
      const text = decoded(textOf.get(id));
      if (text === null) throw new Error(`change ${id} has no text`);
      return text;
    },
    /**
     * A change of that file, in whatever state, as the base of a write: its text is null when it
     * was pruned.
     */
    base: (id: string, file: number): { readonly text: string | null } | null => {
      const stored = ofFile.get(id, file);
      return stored === undefined ? null : { text: decodeIfKept(stored) };
    },
    ...pruning(db),
    byId: (workspace: number, id: string) => byId.get(workspace, id),
    hasReview: (file: number) => inReview.get(file) !== undefined,
    treeHasReview: (workspace: number, path: string) => treeInReview.get({ workspace, path }) !== undefined,
    withStatus: (workspace: number, status: ChangeStatus) => reviews.all(workspace, status),
    insert: (change: NewChange) => {
      const { codec, text } = encodeText(change.text);
      insert.run(change.id, change.file, change.baseId, change.status, codec, text, change.at);
    },
    setStatus: (seq: number, status: ChangeStatus) => void setStatus.run(status, seq),
    removeOf: (file: number) => void removeOf.run(file),
  };
}

export type ChangesTable = ReturnType<typeof changesTable>;

/**
 * Texts of versions that were replaced long ago. Their rows stay: a write on such a base is still
 * known for one on a change of this file.
 */
function pruning(db: Db) {
  const portion = db.prepare<[number, number], { seq: number }>(
    "SELECT seq FROM changes WHERE seq > ? ORDER BY seq LIMIT ?",
  );
  const prune = db.prepare<[{ after: number; upTo: number; before: number }]>(
    `UPDATE changes SET codec = ${PRUNED}, text = x''
     WHERE seq > @after AND seq <= @upTo AND status = 'saved' AND codec <> ${PRUNED}
       AND NOT EXISTS (SELECT 1 FROM files x WHERE x.seq = changes.file AND x.change_id = changes.id)
       AND NOT EXISTS (SELECT 1 FROM changes r WHERE r.file = changes.file AND r.status = 'in_review' AND r.base_id = changes.id)
       AND (SELECT min(n.at) FROM changes n WHERE n.file = changes.file AND n.seq > changes.seq AND n.status = 'saved') < @before`,
  );
  return {
    /**
     * Prunes, of the next `most` changes, the texts of those that were replaced before a time
     * (milliseconds since the epoch).
     * @param after the number of the last change that was looked at
     * @returns that number now, or null at the end
     */
    prune: (after: number, most: number, before: number): { readonly next: number | null; readonly pruned: number } => {
      const upTo = portion.all(after, most).at(-1)?.seq;
      if (upTo === undefined) return { next: null, pruned: 0 };
      return { next: upTo, pruned: prune.run({ after, upTo, before }).changes };
    },
  };
}
