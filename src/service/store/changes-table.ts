import type { ReviewReason } from "../../contract/resources.ts";
import { FILE_COLUMNS } from "./files-table.ts";
import type { ChangeRow, FileRow, Reviewed } from "./rows.ts";
import { type Dialect, isWithin, type Session, sql } from "./sql.ts";
import type { Changes, PruneLimits, ReviewedQuery } from "./tables.ts";
import { decodeIfKept, decodeText, encodeText, PRUNED, type StoredText } from "./text-codec.ts";

type ReviewedRow = FileRow & {
  readonly number: number;
  readonly change: string;
  readonly baseId: string | null;
  readonly status: ChangeRow["status"];
  readonly reason: ReviewReason | null;
  readonly at: number;
  readonly workspaceId: string;
};

function reviewed({ join }: Dialect, by = ""): string {
  return `
SELECT c.seq AS number, c.id AS change, c.base_id AS "baseId", c.status, c.reason, c.at, w.id AS "workspaceId",
  ${FILE_COLUMNS}
FROM changes c ${by} ${join} files x ON x.seq = c.file ${join} workspaces w ON w.seq = x.workspace
  LEFT JOIN folders d ON d.seq = x.folder
WHERE c.status <> 'saved'`;
}

/** Later versions that replaced a version. */
const NEWER = "FROM changes n WHERE n.file = c.file AND n.seq > c.seq AND n.status = 'saved'";

const SQL = {
  text: sql<StoredText>("changes.text", "SELECT codec, text FROM changes WHERE id = $1"),
  base: sql<StoredText>("changes.base", "SELECT codec, text FROM changes WHERE id = $1 AND file = $2"),
  review: sql<ReviewedRow>("changes.review", (dialect) => `${reviewed(dialect)} AND c.id = $1`),
  inReview: sql<{ readonly seq: number }>(
    "changes.inReview",
    "SELECT seq FROM changes WHERE file = $1 AND status = 'in_review' LIMIT 1",
  ),
  // Reads the few changes in review and then their folders, never all files.
  inReviewBelow: sql<{ readonly seq: number }>(
    "changes.inReviewBelow",
    (dialect) =>
      `SELECT c.seq FROM changes c ${dialect.by("changes_in_review")}
         ${dialect.join} files x ON x.seq = c.file ${dialect.join} folders d ON d.seq = x.folder
       WHERE c.status = 'in_review' AND x.workspace = $1 AND ${isWithin(dialect, "d.path", "$2")} LIMIT 1`,
  ),
  reviewed: sql<ReviewedRow>(
    "changes.reviewed",
    (dialect) =>
      `${reviewed(dialect, dialect.by("changes_reviewed"))} AND c.status = $1 AND c.seq > $2
         AND (CAST($3 AS bigint) IS NULL OR x.workspace = $3) ORDER BY c.seq LIMIT $4`,
  ),
  submit: sql(
    "changes.submit",
    `INSERT INTO changes (id, file, base_id, status, reason, codec, text, at)
     VALUES ($1, $2, $3, 'in_review', $4, $5, $6, $7)`,
  ),
  decide: sql("changes.decide", "UPDATE changes SET status = $2 WHERE seq = $1"),
  portion: sql<{ readonly upTo: number | null }>(
    "changes.portion",
    `SELECT max(seq) AS "upTo" FROM (SELECT seq FROM changes WHERE seq > $1 ORDER BY seq LIMIT $2) AS portion`,
  ),
  prune: sql(
    "changes.prune",
    `UPDATE changes AS c SET codec = ${PRUNED}, text = $5
     WHERE c.seq > $1 AND c.seq <= $2 AND c.status = 'saved' AND c.codec <> ${PRUNED}
       AND NOT EXISTS (SELECT 1 FROM files x WHERE x.seq = c.file AND x.change_id = c.id)
       AND NOT EXISTS (SELECT 1 FROM changes r WHERE r.file = c.file AND r.status = 'in_review' AND r.base_id = c.id)
       AND ((SELECT min(n.at) ${NEWER}) < CAST($3 AS bigint)
         OR (SELECT count(*) FROM (SELECT 1 ${NEWER} LIMIT coalesce(CAST($4 AS integer), 0)) AS newer) >= $4)`,
  ),
} as const;

const NOTHING = Buffer.alloc(0);

/** Table `changes`: the full history of each document. */
export class ChangesTable implements Changes {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async text(id: string): Promise<string> {
    const stored = await this.#session.one(SQL.text, id);
    if (stored === undefined) throw new Error(`change ${id} has no text`);
    return decodeText(stored);
  }

  async base(id: string, file: number): Promise<{ readonly text: string | null } | null> {
    const stored = await this.#session.one(SQL.base, id, file);
    return stored === undefined ? null : { text: decodeIfKept(stored) };
  }

  async review(id: string): Promise<Reviewed | undefined> {
    this.#session.locks?.fileOf(id);
    const row = await this.#session.one(SQL.review, id);
    return row && reviewedOf(row);
  }

  async hasReview(file: number): Promise<boolean> {
    return (await this.#session.one(SQL.inReview, file)) !== undefined;
  }

  async treeHasReview(workspace: number, path: string): Promise<boolean> {
    return (await this.#session.one(SQL.inReviewBelow, workspace, path)) !== undefined;
  }

  async reviewed({ workspace, status, after, most }: ReviewedQuery): Promise<Reviewed[]> {
    const rows = await this.#session.all(SQL.reviewed, status, after, workspace, most);
    return rows.map(reviewedOf);
  }

  async submit({ id, file, baseId, reason, text, at }: Parameters<Changes["submit"]>[0]): Promise<void> {
    const stored = encodeText(text);
    this.#session.send(SQL.submit, id, file, baseId, reason, stored.codec, stored.text, at);
  }

  async decide(seq: number, status: "accepted" | "rejected"): Promise<void> {
    this.#session.send(SQL.decide, seq, status);
  }

  async prune(after: number, most: number, { before, keep }: PruneLimits): Promise<number | null> {
    const { locks } = this.#session;
    if (locks !== null && !(await locks.pruning())) return null;
    const { upTo } = (await this.#session.one(SQL.portion, after, most))!;
    if (upTo !== null) this.#session.send(SQL.prune, after, upTo, before, keep, NOTHING);
    return upTo;
  }
}

function reviewedOf({ number, change, baseId, status, reason, at, workspaceId, ...file }: ReviewedRow): Reviewed {
  return { change: { seq: number, id: change, file: file.seq, baseId, status, reason, at }, file, workspaceId };
}
