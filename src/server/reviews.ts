import type { ChangeId, DocId } from "../contract/ids.ts";
import type { FileResource, ReviewReason } from "../contract/resources.ts";
import { isRefused, type Refused, refuse } from "./answer.ts";
import type { ChangeRow, ChangeStatus } from "./changes-table.ts";
import type { ServerContext } from "./context.ts";
import { saveCombined, saveText } from "./file-writes.ts";
import type { FileRow } from "./files-table.ts";
import { presentFile, shownPath } from "./present.ts";

export type ReviewInfo = {
  readonly id: ChangeId;
  readonly workspaceId: string;
  readonly fileId: DocId;
  readonly path: string;
  readonly baseChangeId: ChangeId;
  readonly status: Exclude<ChangeStatus, "saved">;
  readonly reason: ReviewReason;
  /** Milliseconds since the epoch. */
  readonly at: number;
};

type ReviewsAsked = {
  /** Default: all workspaces. */
  readonly workspaceId?: string | undefined;
  /** Default `in_review`. */
  readonly status?: ReviewInfo["status"];
  /** The `nextCursor` of the page before, as a number. */
  readonly after?: number;
  readonly limit?: number;
};

type ReviewPage = {
  readonly data: readonly ReviewInfo[];
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
};

/** LIMIT: reviews of one page. */
export const MOST_REVIEWS = 1_000;

export type Review = ReviewInfo & {
  /** The text that was sent. */
  readonly content: string;
  /** The text that it was made from; null where that version was pruned. */
  readonly baseContent: string | null;
  /** The live text now, which is the other edit of a `conflict`, and its change. */
  readonly liveContent: string;
  readonly liveChangeId: ChangeId;
};

type Found = {
  readonly workspace: { readonly id: string };
  readonly change: ChangeRow;
  readonly file: FileRow;
};

/** The end of changes in review: each is accepted or rejected once. */
export class Reviews {
  readonly #server: ServerContext;

  constructor(server: ServerContext) {
    this.#server = server;
  }

  /** All of a workspace, in the order in which they came. */
  list(workspaceId: string, status: ReviewInfo["status"] = "in_review"): readonly ReviewInfo[] | Refused {
    const page = this.page({ workspaceId, status, limit: Number.MAX_SAFE_INTEGER - 1 });
    return isRefused(page) ? page : page.data;
  }

  page({ workspaceId, status = "in_review", after = 0, limit = MOST_REVIEWS }: ReviewsAsked): ReviewPage | Refused {
    const { store } = this.#server;
    const workspace = workspaceId === undefined ? null : store.workspaces.byId(workspaceId);
    if (workspace === undefined) return refuse("not_found", "There is no such workspace.");
    const asked = { workspace: workspace?.seq ?? null, status, after, most: limit + 1 };
    const rows = store.changes.reviewed(asked);
    const page = rows.slice(0, limit);
    const ids = new Map(store.workspaces.all().map(({ seq, id }) => [seq, id]));
    const data = page.map((change) => {
      const file = store.files.bySeq(change.file)!;
      return reviewInfo({ workspace: { id: ids.get(change.workspace)! }, change, file });
    });
    const hasMore = rows.length > limit;
    return { data, hasMore, nextCursor: hasMore ? String(page.at(-1)!.seq) : null };
  }

  show(changeId: string): Review | Refused {
    const { changes } = this.#server.store;
    const found = findReview(this.#server, changeId);
    if (isRefused(found)) return found;
    const { change, file } = found;
    return {
      ...reviewInfo(found),
      content: changes.text(change.id),
      baseContent: changes.base(change.baseId!, file.seq)!.text,
      liveContent: changes.text(file.changeId),
      liveChangeId: file.changeId as ChangeId,
    };
  }

  /**
   * Makes the change live under a new change id, combined with what the live text became meanwhile.
   * If they do not combine and the change was in review for that very reason, it replaces the live
   * text, which stays a version; any other is an `edit_conflict`.
   * @param content the text to make live instead, which somebody wrote from both edits
   */
  accept(changeId: string, content: string | null = null): FileResource | Refused {
    return this.#transact(() => accept(this.#server, changeId, content));
  }

  reject(changeId: string): ReviewInfo | Refused {
    return this.#transact(() => {
      const found = findWaiting(this.#server, changeId);
      if (isRefused(found)) return found;
      this.#server.store.changes.setStatus(found.change.seq, "rejected");
      return { ...reviewInfo(found), status: "rejected" };
    });
  }

  #transact<Result extends object>(work: () => Result | Refused): Result | Refused {
    return this.#server.store.transact(work, (result) => !isRefused(result));
  }
}

function accept(server: ServerContext, changeId: string, content: string | null): FileResource | Refused {
  const found = findWaiting(server, changeId);
  if (isRefused(found)) return found;
  const row = makeLive(server, found, content);
  if (isRefused(row)) return row;
  server.store.changes.setStatus(found.change.seq, "accepted");
  return presentFile(row);
}

function makeLive(server: ServerContext, { change, file }: Found, content: string | null): FileRow | Refused {
  const { changes } = server.store;
  const live = changes.text(file.changeId);
  if (content !== null) return saveText(server, file, live, content);
  const sent = changes.text(change.id);
  const base = { id: change.baseId!, text: changes.base(change.baseId!, file.seq)!.text };
  const saved = saveCombined(server, file, base, sent);
  if (saved !== null) return saved.row;
  if (change.reason === "conflict") return saveText(server, file, live, sent);
  const detail = "The file changed since the base and the two versions cannot be combined; nothing was saved.";
  return refuse("edit_conflict", detail);
}

function findReview(server: ServerContext, changeId: string): Found | Refused {
  for (const workspace of server.store.workspaces.all()) {
    const change = server.store.changes.byId(workspace.seq, changeId);
    if (change !== undefined && change.status !== "saved") {
      return { workspace, change, file: server.store.files.bySeq(change.file)! };
    }
  }
  return refuse("not_found", "There is no such review.");
}

function findWaiting(server: ServerContext, changeId: string): Found | Refused {
  const found = findReview(server, changeId);
  if (isRefused(found) || found.change.status === "in_review") return found;
  return refuse("not_found", `The change is no longer in review: ${found.change.status}.`);
}

function reviewInfo({ workspace, change, file }: Found): ReviewInfo {
  return {
    id: change.id as ChangeId,
    workspaceId: workspace.id,
    fileId: file.id as DocId,
    path: shownPath(file.path),
    baseChangeId: change.baseId as ChangeId,
    status: change.status as ReviewInfo["status"],
    reason: change.reason!,
    at: change.at,
  };
}
