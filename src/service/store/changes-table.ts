import type { ReviewReason } from "../../contract/resources.ts";
import { decodeIfKept, decodeText, encodeText, FILE_COLUMNS, PRUNED_CODEC, type StoredText } from "./files-table.ts";
import type { ChangeRow, FileRow, ReviewStatus } from "./rows.ts";
import { useIndex, isOneOf, isWithin, ORDERED_JOIN, type Session, sql, joinSql } from "./sql.ts";

export type ReviewRow = FileRow & {
  readonly number: number;
  readonly change: string;
  readonly baseId: string;
  readonly status: ReviewStatus;
  readonly reason: ReviewReason;
  /** Time of the edit in milliseconds since the epoch. */
  readonly at: number;
  /**
   * Label that the sender's key had when it sent the edit; null if the edit is older than this
   * column of the table.
   */
  readonly sender: string | null;
  /**
   * Time of the decision in milliseconds since the epoch. Null while the change is in review, or if
   * the decision is older than this column of the table.
   */
  readonly decidedAt: number | null;
  readonly workspaceId: string;
};

const REVIEW_COLUMNS = `c.seq AS number, c.id AS change, c.base_id AS "baseId", c.status, c.reason, c.at, c.sender,
  c.decided_at AS "decidedAt", w.id AS "workspaceId", ${FILE_COLUMNS}`;
const REVIEW_JOINS = joinSql`${ORDERED_JOIN} files x ON x.seq = c.file ${ORDERED_JOIN} workspaces w ON w.seq = x.workspace
  LEFT JOIN folders d ON d.seq = x.folder`;
const SELECT_REVIEWED_CHANGES = joinSql`SELECT ${REVIEW_COLUMNS} FROM changes c ${useIndex("changes_reviewed")} ${REVIEW_JOINS}
  WHERE c.status <> 'saved' AND c.status = $1 AND (CAST($3 AS bigint) IS NULL OR x.workspace = $3)`;

/**
 * A change in the history of a document. `version`: number of the version, counted from 1.
 * `sender`: label of the key that sent the change; null if it is not known.
 */
export type HistoryRow = Pick<ChangeRow, "seq" | "id" | "baseId" | "status" | "at"> & {
  readonly version: number;
  readonly sender: string | null;
};

/** SQL that selects the published versions of a document after its change `c`. */
const FROM_LATER_VERSIONS = "FROM changes n WHERE n.file = c.file AND n.seq > c.seq AND n.status = 'saved'";

const SQL = {
  text: sql<StoredText>`SELECT codec, text FROM changes WHERE id = $1`,
  base: sql<StoredText>`SELECT codec, text FROM changes WHERE id = $1 AND file = $2`,
  review: sql<ReviewRow>`SELECT ${REVIEW_COLUMNS} FROM changes c ${REVIEW_JOINS}
    WHERE c.status <> 'saved' AND c.id = $1`,
  inReview: sql<{ readonly seq: number }>`SELECT seq FROM changes WHERE file = $1 AND status = 'in_review' LIMIT 1`,
  filesInReview: sql<{ readonly file: number; readonly id: string }>`
    SELECT c.file, min(c.id) AS id FROM changes c ${useIndex("changes_in_review")}
       WHERE c.status = 'in_review' AND ${isOneOf("c.file", "$1")} GROUP BY c.file`,
  ofFile: sql<HistoryRow>`SELECT c.seq, c.id, c.base_id AS "baseId", c.status, c.at, c.sender,
      (SELECT count(*) FROM changes n WHERE n.file = c.file AND n.seq <= c.seq) AS version
    FROM changes c ${useIndex("changes_by_file")}
    WHERE c.file = $1 AND c.seq < $2 ORDER BY c.seq DESC LIMIT $3`,
  publishedAt: sql<StoredText>`SELECT c.codec, c.text FROM changes c ${useIndex("changes_by_file")}
    WHERE c.file = $1 AND c.status = 'saved' AND c.at <= $2 ORDER BY c.seq DESC LIMIT 1`,
  // The database reads all changes in review first, then the folders of their files. This order is
  // fast, because few changes are in review.
  inReviewBelow: sql<{ readonly seq: number }>`SELECT c.seq FROM changes c ${useIndex("changes_in_review")}
      ${ORDERED_JOIN} files x ON x.seq = c.file ${ORDERED_JOIN} folders d ON d.seq = x.folder
    WHERE c.status = 'in_review' AND x.workspace = $1 AND ${isWithin("d.path", "$2")} LIMIT 1`,
  reviewed: sql<ReviewRow>`${SELECT_REVIEWED_CHANGES} AND c.seq > $2 ORDER BY c.seq LIMIT $4`,
  reviewedBefore: sql<ReviewRow>`${SELECT_REVIEWED_CHANGES} AND c.seq < $2 ORDER BY c.seq DESC LIMIT $4`,
  position: sql<{ readonly at: number; readonly total: number }>`
    SELECT count(CASE WHEN c.seq <= $1 THEN 1 END) AS at, count(*) AS total
       FROM changes c ${useIndex("changes_in_review")} ${ORDERED_JOIN} files x ON x.seq = c.file
       WHERE c.status = 'in_review' AND (CAST($2 AS bigint) IS NULL OR x.workspace = $2)`,
  countReviewed: sql<{ readonly waiting: number }>`
    SELECT count(*) AS waiting FROM changes c ${useIndex("changes_in_review")} WHERE c.status = 'in_review'`,
  submit: sql`INSERT INTO changes (id, file, base_id, status, reason, codec, text, at, sender)
    VALUES ($1, $2, $3, 'in_review', $4, $5, $6, $7, (SELECT label FROM keys WHERE seq = $8))`,
  decide: sql`UPDATE changes SET status = $2, decided_at = $3 WHERE seq = $1`,
  portion: sql<{ readonly upTo: number | null }>`
    SELECT max(seq) AS "upTo" FROM (SELECT seq FROM changes WHERE seq > $1 ORDER BY seq LIMIT $2) AS portion`,
  prune: sql`UPDATE changes AS c SET codec = ${PRUNED_CODEC}, text = $5
    WHERE c.seq > $1 AND c.seq <= $2 AND c.status = 'saved' AND c.codec <> ${PRUNED_CODEC}
      AND NOT EXISTS (SELECT 1 FROM files x WHERE x.seq = c.file AND x.change_id = c.id)
      AND NOT EXISTS (SELECT 1 FROM changes r WHERE r.file = c.file AND r.status = 'in_review' AND r.base_id = c.id)
      AND ((SELECT min(n.at) ${FROM_LATER_VERSIONS}) < CAST($3 AS bigint)
        OR (SELECT count(*) FROM (SELECT 1 ${FROM_LATER_VERSIONS} LIMIT coalesce(CAST($4 AS integer), 0)) AS newer) >= $4)`,
} as const;

const NO_CONTENT = Buffer.alloc(0);

type ReviewedQuery = {
  /** Row number of the workspace whose reviews are listed; null for all workspaces. */
  readonly workspace: number | null;
  readonly status: ReviewStatus;
  /** Row number of the last change of the previous page. */
  readonly from: number;
  readonly most: number;
  /**
   * True: changes before `from` are listed, the latest first. False: changes after `from`, the
   * earliest first.
   */
  readonly latestFirst: boolean;
};

type SubmittedChange = Pick<ChangeRow, "id" | "file" | "at"> & {
  readonly baseId: string;
  readonly reason: ReviewReason;
  readonly text: string;
  /** Row number of the key that sent the edit; null for an administrator. */
  readonly key: number | null;
};

type PruneLimits = {
  /**
   * Time in milliseconds since the epoch. The content of a version that was replaced before this
   * time is pruned. Null: no limit.
   */
  readonly before: number | null;
  /** Number of the newest versions of a document that keep their content; null: all versions. */
  readonly keep: number | null;
};

export function makeChangesTable(session: Session) {
  return {
    /**
     * Returns the content of a change that is published or in review. Such content is never pruned.
     * @throws if the change does not exist
     */
    async text(id: string) {
      const storedText = await session.one(SQL.text, id);
      if (storedText === undefined) throw new Error(`change ${id} has no text`);
      return decodeText(storedText);
    },
    /**
     * Returns the change on which a write is based, whatever the state of that change is. Returns
     * null if this file has no such change. `text`: null if the content of the change was pruned.
     */
    async base(id: string, file: number) {
      const storedText = await session.one(SQL.base, id, file);
      return storedText === undefined ? null : { text: decodeIfKept(storedText) };
    },
    review(id: string) {
      session.lock("fileOf", id);
      return session.one(SQL.review, id);
    },
    hasReview: async (file: number) => (await session.one(SQL.inReview, file)) !== undefined,
    /**
     * Returns which of the files have changes in review. Maps the row number of such a file to the
     * id of one of these changes.
     */
    async filesInReview(files: readonly number[]): Promise<ReadonlyMap<number, string>> {
      const rows = files.length === 0 ? [] : await session.all(SQL.filesInReview, files);
      return new Map(rows.map(({ file, id }) => [file, id]));
    },
    /** Returns the changes of a file before the row number `from`, the latest first. */
    ofFile: (file: number, from: number, most: number) => session.all(SQL.ofFile, file, from, most),
    /** Returns the content that a file had at a time; null if the content was pruned. */
    async publishedAt(file: number, at: number) {
      const storedText = await session.one(SQL.publishedAt, file, at);
      return storedText === undefined ? null : decodeIfKept(storedText);
    },
    treeHasReview: async (workspace: number, path: string) =>
      (await session.one(SQL.inReviewBelow, workspace, path)) !== undefined,
    /**
     * Returns changes of one review status. The change that went to review first comes first, or
     * last if `latestFirst` is true.
     */
    reviewed: ({ workspace, status, from, most, latestFirst }: ReviewedQuery) =>
      session.all(latestFirst ? SQL.reviewedBefore : SQL.reviewed, status, from, workspace, most),
    /**
     * Returns the number of changes in review, and the position of the change `seq` among them,
     * counted from 1.
     */
    position: async (seq: number, workspace: number | null) => (await session.one(SQL.position, seq, workspace))!,
    countInReview: async () => (await session.one(SQL.countReviewed))!.waiting,
    async submit({ id, file, baseId, reason, text, at, key }: SubmittedChange) {
      const storedText = encodeText(text);
      session.send(SQL.submit, id, file, baseId, reason, storedText.codec, storedText.text, at, key);
    },
    /** @param at time of the decision in milliseconds since the epoch */
    decide: async (seq: number, status: "accepted" | "rejected", at: number) =>
      session.send(SQL.decide, seq, status, at),
    /**
     * Prunes the content of old versions that exceed the limits for age and number. Checks the next
     * `most` changes. Keeps published contents, and the bases of changes in review. The rows of all
     * changes stay, so that a write can still be based on each change.
     * @param after row number of the last change that the previous call checked
     * @returns row number of the last change that this call checked; null if there was no change
     * left to check
     */
    async prune(after: number, most: number, { before, keep }: PruneLimits) {
      const { upTo } = (await session.one(SQL.portion, after, most))!;
      if (upTo !== null) session.send(SQL.prune, after, upTo, before, keep, NO_CONTENT);
      return upTo;
    },
  };
}
