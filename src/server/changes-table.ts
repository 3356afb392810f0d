import type { ReviewReason } from "../contract/resources.ts";
import type { Db } from "./database.ts";
import { isWithin, type Subtree } from "./sql.ts";
import { decodeIfKept, decodeText, encodeText, PRUNED, type StoredText } from "./text-codec.ts";

/**
 * `saved`: is or was the live text. The others never were: they wait for review, or were accepted
 * (as another, saved change) or rejected.
 */
export type ChangeStatus = "saved" | "in_review" | "accepted" | "rejected";

export type ChangeRow = {
  readonly seq: number;
  readonly id: string;
  readonly file: number;
  readonly baseId: string | null;
  readonly status: ChangeStatus;
  /** Why it went to review; null for saved changes. */
  readonly reason: ReviewReason | null;
  /** Milliseconds since the epoch, from the service's clock. */
  readonly at: number;
};

type ReviewedRow = ChangeRow & { readonly workspace: number };

type ReviewedQuery = {
  readonly workspace: number | null;
  readonly status: Exclude<ChangeStatus, "saved">;
  readonly after: number;
  readonly most: number;
};

type NewChange = Omit<ChangeRow, "seq" | "reason"> & { readonly reason?: ReviewReason; readonly text: string };

const IN_WORKSPACE = `
SELECT c.seq, c.id, c.file, c.base_id AS baseId, c.status, c.reason, c.at
FROM changes c JOIN files x ON x.seq = c.file WHERE x.workspace = ?`;

/** Table `changes`: the whole history of each document. */
export class ChangesTable {
  readonly #sql: ReturnType<typeof prepare>;
  readonly #pruning: ReturnType<typeof preparePruning>;

  constructor(db: Db) {
    this.#sql = prepare(db);
    this.#pruning = preparePruning(db);
  }

  /** @throws when the change does not exist: every file's `change_id` names one */
  text(id: string): string {
    const stored = this.#sql.textOf.get(id);
    if (stored === undefined) throw new Error(`change ${id} has no text`);
    return decodeText(stored);
  }

  /**
   * A change of that file, in any state, as the base of a write; its text is null if it was pruned.
   */
  base(id: string, file: number): { readonly text: string | null } | null {
    const stored = this.#sql.ofFile.get(id, file);
    return stored === undefined ? null : { text: decodeIfKept(stored) };
  }

  byId(workspace: number, id: string): ChangeRow | undefined {
    return this.#sql.byId.get(workspace, id);
  }

  hasReview(file: number): boolean {
    return this.#sql.inReview.get(file) !== undefined;
  }

  treeHasReview(workspace: number, path: string): boolean {
    return this.#sql.treeInReview.get({ workspace, path }) !== undefined;
  }

  /**
   * Changes that went to review, in the order in which they came.
   * @param workspace null: all of them
   * @param after the number of the last one that is known
   */
  reviewed(query: ReviewedQuery): ReviewedRow[] {
    return this.#sql.reviewed.all(query);
  }

  countInReview(workspace: number): number {
    return this.#sql.countInReview.get(workspace)!.n;
  }

  insert(change: NewChange): void {
    const { codec, text } = encodeText(change.text);
    const { id, file, baseId, status, reason = null, at } = change;
    this.#sql.insert.run(id, file, baseId, status, reason, codec, text, at);
  }

  setStatus(seq: number, status: ChangeStatus): void {
    this.#sql.setStatus.run(status, seq);
  }

  removeOf(file: number): void {
    this.#sql.removeOf.run(file);
  }

  /**
   * Prunes the texts that were replaced before a time (milliseconds since the epoch), among the
   * next `most` changes. Their rows stay, so that they are still known as the base of a write.
   * @param after the number of the last change that was looked at
   * @returns that number now, or null at the end
   */
  prune(after: number, most: number, before: number): { readonly next: number | null; readonly pruned: number } {
    const upTo = this.#pruning.portion.all(after, most).at(-1)?.seq;
    if (upTo === undefined) return { next: null, pruned: 0 };
    return { next: upTo, pruned: this.#pruning.prune.run({ after, upTo, before }).changes };
  }
}

function prepare(db: Db) {
  return {
    textOf: db.prepare<[string], StoredText>("SELECT codec, text FROM changes WHERE id = ?"),
    ofFile: db.prepare<[string, number], StoredText>("SELECT codec, text FROM changes WHERE id = ? AND file = ?"),
    byId: db.prepare<[number, string], ChangeRow>(`${IN_WORKSPACE} AND c.id = ?`),
    inReview: db.prepare<[number], { seq: number }>(
      "SELECT seq FROM changes WHERE file = ? AND status = 'in_review' LIMIT 1",
    ),
    reviewed: db.prepare<[ReviewedQuery], ReviewedRow>(
      `SELECT c.seq, c.id, c.file, c.base_id AS baseId, c.status, c.reason, c.at, x.workspace
       FROM changes c INDEXED BY changes_reviewed CROSS JOIN files x ON x.seq = c.file
       WHERE c.status = @status AND c.status <> 'saved' AND c.seq > @after
         AND (@workspace IS NULL OR x.workspace = @workspace)
       ORDER BY c.seq LIMIT @most`,
    ),
    countInReview: db.prepare<[number], { n: number }>(
      `SELECT count(*) AS n FROM changes c INDEXED BY changes_in_review CROSS JOIN files x ON x.seq = c.file
       WHERE c.status = 'in_review' AND x.workspace = ?`,
    ),
    treeInReview: db.prepare<[Subtree], { seq: number }>(
      // Reads the few changes in review and then their folders, never all files.
      `SELECT c.seq FROM changes c INDEXED BY changes_in_review
         CROSS JOIN files x ON x.seq = c.file CROSS JOIN folders d ON d.seq = x.folder
       WHERE c.status = 'in_review' AND x.workspace = @workspace AND ${isWithin("d.path")} LIMIT 1`,
    ),
    insert: db.prepare<[string, number, string | null, ChangeStatus, ReviewReason | null, number, Buffer, number]>(
      "INSERT INTO changes (id, file, base_id, status, reason, codec, text, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    ),
    setStatus: db.prepare<[ChangeStatus, number]>("UPDATE changes SET status = ? WHERE seq = ?"),
    removeOf: db.prepare<[number]>("DELETE FROM changes WHERE file = ?"),
  };
}

/** The statements that prune texts of versions that were replaced long ago. */
function preparePruning(db: Db) {
  return {
    portion: db.prepare<[number, number], { seq: number }>(
      "SELECT seq FROM changes WHERE seq > ? ORDER BY seq LIMIT ?",
    ),
    prune: db.prepare<[{ after: number; upTo: number; before: number }]>(
      `UPDATE changes SET codec = ${PRUNED}, text = x''
       WHERE seq > @after AND seq <= @upTo AND status = 'saved' AND codec <> ${PRUNED}
         AND NOT EXISTS (SELECT 1 FROM files x WHERE x.seq = changes.file AND x.change_id = changes.id)
         AND NOT EXISTS (SELECT 1 FROM changes r WHERE r.file = changes.file AND r.status = 'in_review' AND r.base_id = changes.id)
         AND (SELECT min(n.at) FROM changes n WHERE n.file = changes.file AND n.seq > changes.seq AND n.status = 'saved') < @before`,
    ),
  };
}
