import type { ChangeId, DocId } from "../../contract/ids.ts";
import type { FileResource } from "../../contract/resources.ts";
import { MAX_REVIEWS } from "../admin/operations.ts";
import { isRefused, type Refused, refuse } from "../requests/answer.ts";
import { type ServerContext, type TransactionContext, runWrite } from "../requests/context.ts";
import { refuseUnknownWorkspace } from "../keys/keys.ts";
import { combineWithLive, saveContent } from "../files/files.ts";
import { presentFile, toApiPath } from "../files/present.ts";
import type { ReviewRow } from "../store/changes-table.ts";
import type { Tables } from "../store/tables.ts";

export type ReviewSummary = Pick<ReviewRow, "workspaceId" | "status" | "reason" | "at" | "sender" | "decidedAt"> & {
  readonly id: ChangeId;
  readonly fileId: DocId;
  /** Path of the document, with a leading slash. */
  readonly path: string;
  readonly baseChangeId: ChangeId;
};

type ReviewsQuery = {
  /** Workspace whose reviews are listed. Default: all workspaces. */
  readonly workspaceId?: string | undefined;
  readonly status?: ReviewSummary["status"];
  /** Position after which the page begins: `nextCursor` of the previous page, or 0. */
  readonly after?: number;
  readonly limit?: number;
  readonly latestFirst?: boolean;
};

/**
 * Position of a review among the open reviews. `previous` and `next` are ids of the reviews beside
 * it; null at an end of the list.
 */
export type ReviewNeighbours = {
  readonly previous: string | null;
  readonly next: string | null;
  /**
   * Number of open reviews (`total`), and the position of this review among the open reviews,
   * counted from 1 (`at`).
   */
  readonly total: number;
  readonly at: number;
};

export type Review = ReviewSummary & {
  readonly content: string;
  /** Content with which the edit began; null if that content was pruned. */
  readonly baseContent: string | null;
  /**
   * Content that is published now. In a review with the reason `conflict`, another edit published
   * this content.
   */
  readonly liveContent: string;
  readonly liveChangeId: ChangeId;
};

/** Lists, accepts and rejects changes in review. Each change can be decided only once. */
export class Reviews {
  readonly #server: ServerContext;

  constructor(server: ServerContext) {
    this.#server = server;
  }

  /**
   * Returns a page of reviews. The change that went to review first comes first, or last if
   * `latestFirst` is true.
   */
  page({ workspaceId, status = "in_review", after = 0, limit = MAX_REVIEWS, latestFirst = false }: ReviewsQuery) {
    return this.#server.store.read(async (tables) => {
      const workspace = workspaceId === undefined ? null : await tables.workspaces.byId(workspaceId);
      if (workspace === undefined) return refuseUnknownWorkspace();
      const fromNumber = latestFirst && after === 0 ? Number.MAX_SAFE_INTEGER : after;
      const query = { workspace: workspace?.seq ?? null, status, from: fromNumber, most: limit + 1, latestFirst };
      const rows = await tables.changes.reviewed(query);
      const page = rows.slice(0, limit);
      const hasMore = rows.length > limit;
      return { data: page.map(toReviewSummary), hasMore, nextCursor: hasMore ? String(page.at(-1)!.number) : null };
    });
  }

  show(changeId: string): Promise<Review | Refused> {
    return this.#server.store.read(async ({ changes }) => {
      const reviewRow = await changes.review(changeId);
      return reviewRow === undefined ? refuseUnknownReview() : readReview(changes, reviewRow);
    });
  }

  waiting(): Promise<number> {
    return this.#server.store.read(({ changes }) => changes.countInReview());
  }

  /** @param workspaceId workspace whose open reviews are counted; null for all workspaces */
  neighbours(changeId: string, workspaceId: string | null): Promise<ReviewNeighbours> {
    return this.#server.store.read(async ({ changes, workspaces }) => {
      const number = (await changes.review(changeId))?.number ?? 0;
      const workspace = workspaceId === null ? undefined : await workspaces.byId(workspaceId);
      const query = { workspace: workspace?.seq ?? null, status: "in_review", from: number, most: 1 } as const;
      const [before] = await changes.reviewed({ ...query, latestFirst: true });
      const [after] = await changes.reviewed({ ...query, latestFirst: false });
      const positionInList = await changes.position(number, query.workspace);
      return { previous: before?.change ?? null, next: after?.change ?? null, ...positionInList };
    });
  }

  /**
   * Returns the content that would be published if the review were accepted; null if its edit
   * conflicts with the published content.
   */
  merged(review: Review): string | null {
    return combineWithLive(this.#server.combine, review);
  }

  /** Returns the published content before and after a decision; null if it was pruned. */
  decided(changeId: string): Promise<{ readonly before: string | null; readonly after: string | null }> {
    return this.#server.store.read(async ({ changes }) => {
      const reviewRow = await changes.review(changeId);
      const decidedAt = reviewRow?.decidedAt ?? null;
      if (reviewRow === undefined || decidedAt === null) return { before: null, after: null };
      const { seq } = reviewRow;
      return {
        before: await changes.publishedAt(seq, decidedAt - 1),
        after: await changes.publishedAt(seq, decidedAt),
      };
    });
  }

  /**
   * Publishes a change in review under a new change id. If the published content has changed since,
   * merges the change with the published content. If the merge is a conflict, the reason of the
   * review decides:
   * - `conflict`: the change replaces the published content, which stays in the history.
   * - `protected`: the result is an `edit_conflict`.
   * @param content content that a reviewer wrote, which is published instead of the change; null
   * for the change itself
   * @param seen id of the published change that the reviewer saw. If another change is published
   * now, the result is an `edit_conflict`. Null: not checked
   */
  accept(changeId: string, content: string | null = null, seen: string | null = null): Promise<FileResource | Refused> {
    return runWrite(this.#server, async (transaction): Promise<FileResource | Refused> => {
      const reviewRow = await findOpenReview(transaction, changeId);
      if (isRefused(reviewRow)) return reviewRow;
      if (seen !== null && reviewRow.changeId !== seen) {
        return refuse("edit_conflict", "Somebody changed the published version since it was shown.");
      }
      const review = await readReview(transaction.tables.changes, reviewRow);
      const combinedText = content ?? this.merged(review);
      if (combinedText === null && review.reason !== "conflict") {
        const detail = "The file changed since the base and the two versions cannot be combined; nothing was saved.";
        return refuse("edit_conflict", detail);
      }
      // The decision and the new version get the same time, because `decided` finds the version by
      // this time.
      const decidedAt = transaction.now();
      const savingContext = { ...transaction, now: () => decidedAt, key: null };
      const row = await saveContent(savingContext, reviewRow, review.liveContent, combinedText ?? review.content);
      await transaction.tables.changes.decide(reviewRow.number, "accepted", decidedAt);
      return presentFile(row);
    });
  }

  reject(changeId: string): Promise<ReviewSummary | Refused> {
    return runWrite(this.#server, async (transaction): Promise<ReviewSummary | Refused> => {
      const reviewRow = await findOpenReview(transaction, changeId);
      if (isRefused(reviewRow)) return reviewRow;
      await transaction.tables.changes.decide(reviewRow.number, "rejected", transaction.now());
      return { ...toReviewSummary(reviewRow), status: "rejected", decidedAt: transaction.now() };
    });
  }
}

async function readReview(changes: Tables["changes"], row: ReviewRow): Promise<Review> {
  const baseVersion = await changes.base(row.baseId, row.seq);
  return {
    ...toReviewSummary(row),
    content: await changes.text(row.change),
    baseContent: baseVersion!.text,
    liveContent: await changes.text(row.changeId),
    liveChangeId: row.changeId as ChangeId,
  };
}

function refuseUnknownReview(): Refused {
  return refuse("not_found", "There is no such review.");
}

async function findOpenReview({ tables }: TransactionContext, changeId: string): Promise<ReviewRow | Refused> {
  const reviewRow = await tables.changes.review(changeId);
  if (reviewRow === undefined) return refuseUnknownReview();
  if (reviewRow.status === "in_review") return reviewRow;
  return refuse("not_found", `The change is no longer in review: ${reviewRow.status}.`);
}

function toReviewSummary(row: ReviewRow): ReviewSummary {
  return {
    id: row.change as ChangeId,
    workspaceId: row.workspaceId,
    fileId: row.id as DocId,
    path: toApiPath(row.path),
    baseChangeId: row.baseId as ChangeId,
    status: row.status,
    reason: row.reason,
    at: row.at,
    sender: row.sender,
    decidedAt: row.decidedAt,
  };
}
