import type { ReviewReason } from "../../../contract/resources.ts";
import type { ChangeRow, ChangeStatus, Reviewed } from "../rows.ts";
import type { Changes, PruneLimits, ReviewedQuery } from "../tables.ts";
import type { Db } from "./database.ts";
import type { FilesTable } from "./files-table.ts";
import { isWithin, type Subtree } from "./sql.ts";
import { decodeIfKept, decodeText, encodeText, PRUNED, type StoredText } from "./text-codec.ts";

type ReviewedRow = ChangeRow & { readonly workspaceId: string };
type Submitted = Parameters<Changes["submit"]>[0];

const COLUMNS = "c.seq, c.id, c.file, c.base_id AS baseId, c.status, c.reason, c.at, w.id AS workspaceId";
const PLACED = "CROSS JOIN files x ON x.seq = c.file CROSS JOIN workspaces w ON w.seq = x.workspace";

/** Table `changes`: the full history of each document. */
export class ChangesTable implements Changes {
  readonly #files: FilesTable;
  readonly #sql: ReturnType<typeof prepare>;
  readonly #pruning: ReturnType<typeof preparePruning>;

  constructor(db: Db, files: FilesTable) {
    this.#files = files;
    this.#sql = prepare(db);
    this.#pruning = preparePruning(db);
  }

  async text(id: string): Promise<string> {
    const stored = this.#sql.textOf.get(id);
    if (stored === undefined) throw new Error(`change ${id} has no text`);
    return decodeText(stored);
  }

  async base(id: string, file: number): Promise<{ readonly text: string | null } | null> {
    const stored = this.#sql.ofFile.get(id, file);
    return stored === undefined ? null : { text: decodeIfKept(stored) };
  }

  async review(id: string): Promise<Reviewed | undefined> {
    const row = this.#sql.review.get(id);
    return row && this.#reviewed(row);
  }

  async hasReview(file: number): Promise<boolean> {
    return this.#sql.inReview.get(file) !== undefined;
  }

  async treeHasReview(workspace: number, path: string): Promise<boolean> {
    return this.#sql.treeInReview.get({ workspace, path }) !== undefined;
  }

  async reviewed(query: ReviewedQuery): Promise<Reviewed[]> {
    return this.#sql.reviewed.all(query).map((row) => this.#reviewed(row));
  }

  #reviewed({ workspaceId, ...change }: ReviewedRow): Reviewed {
    return { change, file: this.#files.bySeq(change.file)!, workspaceId };
  }

  async submit({ id, file, baseId, reason, text: sent, at }: Submitted): Promise<void> {
    const { codec, text } = encodeText(sent);
    this.#sql.submit.run(id, file, baseId, reason, codec, text, at);
  }

  async decide(seq: number, status: "accepted" | "rejected"): Promise<void> {
    this.#sql.setStatus.run(status, seq);
  }

  async prune(after: number, most: number, { before, keep }: PruneLimits): Promise<number | null> {
    const upTo = this.#pruning.portion.all(after, most).at(-1)?.seq;
    if (upTo === undefined) return null;
    this.#pruning.prune.run({ after, upTo, before, keep });
    return upTo;
  }
}

function prepare(db: Db) {
  return {
    textOf: db.prepare<[string], StoredText>("SELECT codec, text FROM changes WHERE id = ?"),
    ofFile: db.prepare<[string, number], StoredText>("SELECT codec, text FROM changes WHERE id = ? AND file = ?"),
    review: db.prepare<[string], ReviewedRow>(
      `SELECT ${COLUMNS} FROM changes c ${PLACED} WHERE c.id = ? AND c.status <> 'saved'`,
    ),
    inReview: db.prepare<[number], { seq: number }>(
      "SELECT seq FROM changes WHERE file = ? AND status = 'in_review' LIMIT 1",
    ),
    reviewed: db.prepare<[ReviewedQuery], ReviewedRow>(
      `SELECT ${COLUMNS} FROM changes c INDEXED BY changes_reviewed ${PLACED}
       WHERE c.status = @status AND c.status <> 'saved' AND c.seq > @after
         AND (@workspace IS NULL OR x.workspace = @workspace)
       ORDER BY c.seq LIMIT @most`,
    ),
    treeInReview: db.prepare<[Subtree], { seq: number }>(
      // Reads the few changes in review and then their folders, never all files.
      `SELECT c.seq FROM changes c INDEXED BY changes_in_review
         CROSS JOIN files x ON x.seq = c.file CROSS JOIN folders d ON d.seq = x.folder
       WHERE c.status = 'in_review' AND x.workspace = @workspace AND ${isWithin("d.path")} LIMIT 1`,
    ),
    submit: db.prepare<[string, number, string, ReviewReason, number, Buffer, number]>(
      `INSERT INTO changes (id, file, base_id, status, reason, codec, text, at)
       VALUES (?, ?, ?, 'in_review', ?, ?, ?, ?)`,
    ),
    setStatus: db.prepare<[ChangeStatus, number]>("UPDATE changes SET status = ? WHERE seq = ?"),
  };
}

/** Later versions that replaced a version. */
const NEWER = "FROM changes n WHERE n.file = changes.file AND n.seq > changes.seq AND n.status = 'saved'";

/** Prepares the statements that prune texts of versions that were replaced long ago. */
function preparePruning(db: Db) {
  return {
    portion: db.prepare<[number, number], { seq: number }>(
      "SELECT seq FROM changes WHERE seq > ? ORDER BY seq LIMIT ?",
    ),
    prune: db.prepare<[PruneLimits & { readonly after: number; readonly upTo: number }]>(
      `UPDATE changes SET codec = ${PRUNED}, text = x''
       WHERE seq > @after AND seq <= @upTo AND status = 'saved' AND codec <> ${PRUNED}
         AND NOT EXISTS (SELECT 1 FROM files x WHERE x.seq = changes.file AND x.change_id = changes.id)
         AND NOT EXISTS (SELECT 1 FROM changes r WHERE r.file = changes.file AND r.status = 'in_review' AND r.base_id = changes.id)
         AND ((SELECT min(n.at) ${NEWER}) < @before
           OR (@keep IS NOT NULL AND (SELECT count(*) FROM (SELECT 1 ${NEWER} LIMIT coalesce(@keep, 0))) >= @keep))`,
    ),
  };
}
