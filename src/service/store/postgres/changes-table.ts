import type { ReviewReason } from "../../../contract/resources.ts";
import type { ChangeRow, FileRow, Reviewed } from "../rows.ts";
import type { Changes, PruneLimits, ReviewedQuery } from "../tables.ts";
import { decodeIfKept, decodeText, encodeText, PRUNED, type StoredText } from "../sqlite/text-codec.ts";
import { type Session, sql } from "./session.ts";
import { FILE_PATH, isWithin, isWritable } from "./sql.ts";

type ReviewedRow = FileRow & {
  readonly number: number;
  readonly change: string;
  readonly baseId: string | null;
  readonly status: ChangeRow["status"];
  readonly reason: ReviewReason | null;
  readonly at: number;
  readonly workspaceId: string;
};

const REVIEWED = `
SELECT c.seq AS number, c.id AS change, c.base_id AS "baseId", c.status, c.reason, c.at, w.id AS "workspaceId",
  x.seq, x.id, x.folder, d.id AS "folderId", x.name, x.protected::integer AS protected, x.change_id AS "changeId",
  ${FILE_PATH} AS path
FROM changes c JOIN files x ON x.seq = c.file JOIN workspaces w ON w.seq = x.workspace
  LEFT JOIN folders d ON d.seq = x.above
WHERE c.status <> 'saved'`;

/** Later versions that replaced a version. */
const NEWER = "FROM changes n WHERE n.file = c.file AND n.seq > c.seq AND n.status = 'saved'";

const SQL = {
  text: sql<StoredText>("changes.text", "SELECT codec, text FROM changes WHERE id = $1"),
  base: sql<StoredText>("changes.base", "SELECT codec, text FROM changes WHERE id = $1 AND file = $2"),
  lockFile: sql(
    "changes.lockFile",
    "SELECT 1 FROM files WHERE seq = (SELECT file FROM changes WHERE id = $1) FOR NO KEY UPDATE",
  ),
  review: sql<ReviewedRow>("changes.review", `${REVIEWED} AND c.id = $1`),
  hasReview: sql<{ found: boolean }>(
    "changes.hasReview",
    "SELECT EXISTS (SELECT FROM changes WHERE file = $1 AND status = 'in_review') AS found",
  ),
  treeHasReview: sql<{ found: boolean }>(
    "changes.treeHasReview",
    `SELECT EXISTS (SELECT FROM changes c JOIN files x ON x.seq = c.file JOIN folders d ON d.seq = x.above
       WHERE c.status = 'in_review' AND x.workspace = $1 AND ${isWithin("d.path", "$2")}) AS found`,
  ),
  reviewed: sql<ReviewedRow>(
    "changes.reviewed",
    `${REVIEWED} AND c.status = $1 AND c.seq > $2 AND ($3::bigint IS NULL OR x.workspace = $3)
     ORDER BY c.seq LIMIT $4`,
  ),
  submit: sql(
    "changes.submit",
    `INSERT INTO changes (id, file, base_id, status, reason, codec, text, at)
     VALUES ($1, $2, $3, 'in_review', $4, $5, $6, $7)`,
  ),
  decide: sql("changes.decide", "UPDATE changes SET status = $2 WHERE seq = $1"),
  // Lets one process prune at a time: another process would read the same rows.
  pruneAlone: sql<{ alone: boolean }>("changes.pruneAlone", "SELECT pg_try_advisory_xact_lock($1) AS alone"),
  portion: sql<{ upTo: number | null }>(
    "changes.portion",
    `SELECT max(seq) AS "upTo" FROM (SELECT seq FROM changes WHERE seq > $1 ORDER BY seq LIMIT $2) AS portion`,
  ),
  prune: sql(
    "changes.prune",
    `UPDATE changes c SET codec = ${PRUNED}, text = ''
     WHERE c.seq > $1 AND c.seq <= $2 AND c.status = 'saved' AND c.codec <> ${PRUNED}
       AND NOT EXISTS (SELECT FROM files x WHERE x.seq = c.file AND x.change_id = c.id)
       AND NOT EXISTS (SELECT FROM changes r WHERE r.file = c.file AND r.status = 'in_review' AND r.base_id = c.id)
       AND ((SELECT min(n.at) ${NEWER}) < $3::bigint
         OR ($4::integer IS NOT NULL AND (SELECT count(*) FROM (SELECT ${NEWER} LIMIT $4::integer) AS newer) >= $4::integer))`,
  ),
} as const;

const PRUNING = 7_214_906_233_012;

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
    if (!isWritable(id)) return undefined;
    if (this.#session.writes) this.#session.send(SQL.lockFile, id);
    const row = await this.#session.one(SQL.review, id);
    return row && reviewedOf(row);
  }

  async hasReview(file: number): Promise<boolean> {
    return (await this.#session.one(SQL.hasReview, file))!.found;
  }

  async treeHasReview(workspace: number, path: string): Promise<boolean> {
    return (await this.#session.one(SQL.treeHasReview, workspace, path))!.found;
  }

  async reviewed({ workspace, status, after, most }: ReviewedQuery): Promise<Reviewed[]> {
    const rows = await this.#session.all(SQL.reviewed, status, after, workspace, most);
    return rows.map(reviewedOf);
  }

  async submit(change: Parameters<Changes["submit"]>[0]): Promise<void> {
    const { codec, text } = encodeText(change.text);
    const { id, file, baseId, reason, at } = change;
    this.#session.send(SQL.submit, id, file, baseId, reason, codec, text, at);
  }

  async decide(seq: number, status: "accepted" | "rejected"): Promise<void> {
    this.#session.send(SQL.decide, seq, status);
  }

  async prune(after: number, most: number, { before, keep }: PruneLimits): Promise<number | null> {
    if (!(await this.#session.one(SQL.pruneAlone, PRUNING))!.alone) return null;
    const { upTo } = (await this.#session.one(SQL.portion, after, most))!;
    if (upTo !== null) this.#session.send(SQL.prune, after, upTo, before, keep);
    return upTo;
  }
}

function reviewedOf({ number, change, baseId, status, reason, at, workspaceId, ...file }: ReviewedRow): Reviewed {
  return { change: { seq: number, id: change, file: file.seq, baseId, status, reason, at }, file, workspaceId };
}
