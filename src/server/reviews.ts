import type { ChangeId, DocId } from "../contract/ids.ts";
import type { FileResource } from "../contract/resources.ts";
import { isRefused, type Refused, refuse } from "./answer.ts";
import type { ChangeRow, ChangeStatus } from "./changes-table.ts";
import type { ServerContext } from "./context.ts";
import { saveCombined } from "./file-writes.ts";
import type { FileRow } from "./files-table.ts";
import { presentFile } from "./present.ts";

type ReviewInfo = {
  readonly id: ChangeId;
  readonly workspaceId: string;
  readonly fileId: DocId;
  readonly path: string;
  readonly baseChangeId: ChangeId;
  readonly status: Exclude<ChangeStatus, "saved">;
};

type Review = ReviewInfo & {
  /** The text that was sent, and the live text now. */
  readonly content: string;
  readonly liveContent: string;
};

type Found = {
  readonly workspace: { readonly id: string; readonly seq: number };
  readonly change: ChangeRow;
  readonly file: FileRow;
};

/**
 * What happens to changes in review. A change leaves review once, by being accepted or rejected.
 */
export class Reviews {
  readonly #server: ServerContext;

  constructor(server: ServerContext) {
    this.#server = server;
  }

  list(workspaceId: string, status: ReviewInfo["status"] = "in_review"): ReviewInfo[] | Refused {
    const { store } = this.#server;
    const workspace = store.workspaces.byId(workspaceId);
    if (workspace === undefined) return refuse("not_found", "There is no such workspace.");
    return store.changes.withStatus(workspace.seq, status).map((change) => {
      return reviewInfo({ workspace, change, file: store.files.bySeq(change.file)! });
    });
  }

  show(changeId: string): Review | Refused {
    const { changes } = this.#server.store;
    const found = findReview(this.#server, changeId);
    if (isRefused(found)) return found;
    const content = changes.text(found.change.id);
    return { ...reviewInfo(found), content, liveContent: changes.text(found.file.changeId) };
  }

  /**
   * Makes the change live, combined with what the live text became meanwhile; a new change id. Else
   * `edit_conflict`.
   */
  accept(changeId: string): FileResource | Refused {
    return this.#transact(() => accept(this.#server, changeId));
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

function accept(server: ServerContext, changeId: string): FileResource | Refused {
  const found = findWaiting(server, changeId);
  if (isRefused(found)) return found;
  const { store } = server;
  const { change, file } = found;
  const base = { id: change.baseId!, text: store.changes.base(change.baseId!, file.seq)!.text };
  const saved = saveCombined(server, file, base, store.changes.text(change.id));
  if (isRefused(saved)) return saved;
  store.changes.setStatus(change.seq, "accepted");
  return presentFile(saved.row);
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
    path: file.path,
    baseChangeId: change.baseId as ChangeId,
    status: change.status as ReviewInfo["status"],
  };
}
