import type { ChangeId, DocId } from "../contract/ids.ts";
import type { FileResource } from "../contract/resources.ts";
import { isRefused, type Refused, refuse } from "./answer.ts";
import type { ChangeRow, ChangeStatus } from "./changes-table.ts";
import type { ServerContext } from "./context.ts";
import { combineWithLive, editConflict, saveText } from "./file-writes.ts";
import type { FileRow } from "./files-table.ts";
import { readContent } from "./input.ts";
import { presentFile } from "./present.ts";

export type ReviewInfo = {
  readonly id: ChangeId;
  readonly workspaceId: string;
  readonly fileId: DocId;
  readonly path: string;
  readonly baseChangeId: ChangeId;
  readonly status: Exclude<ChangeStatus, "saved">;
};

export type Review = ReviewInfo & {
  /** The text that was sent, and the live text now. */
  readonly content: string;
  readonly liveContent: string;
};

/**
 * What happens to changes in review. A change leaves review once, by being accepted or rejected.
 */
export type Reviews = {
  list(workspaceId: string, status?: ReviewInfo["status"]): ReviewInfo[] | Refused;
  show(changeId: string): Review | Refused;
  /**
   * Makes the change live, combined with what the live text became meanwhile; a new change id. Else
   * `edit_conflict`.
   */
  accept(changeId: string): FileResource | Refused;
  reject(changeId: string): ReviewInfo | Refused;
};

type Found = {
  readonly workspace: { readonly id: string; readonly seq: number };
  readonly change: ChangeRow;
  readonly file: FileRow;
};

export function createReviews(context: ServerContext): Reviews {
  const { store } = context;
  const kept = (result: object) => !isRefused(result);
  return {
    list: (workspaceId, status = "in_review") => {
      const workspace = store.keys.workspace(workspaceId);
      if (workspace === undefined) return refuse("not_found", "There is no such workspace.");
      return store.changes.withStatus(workspace.seq, status).map((change) => {
        return reviewInfo({ workspace, change, file: store.files.bySeq(change.file)! });
      });
    },
    show: (changeId) => {
      const found = findReview(context, changeId);
      if (isRefused(found)) return found;
      const content = store.changes.text(found.change.id);
      return { ...reviewInfo(found), content, liveContent: store.changes.text(found.file.changeId) };
    },
    accept: (changeId) => store.transact(() => accept(context, changeId), kept),
    reject: (changeId) =>
      store.transact(() => {
        const found = findWaiting(context, changeId);
        if (isRefused(found)) return found;
        store.changes.setStatus(found.change.seq, "rejected");
        return { ...reviewInfo(found), status: "rejected" as const };
      }, kept),
  };
}

function accept(context: ServerContext, changeId: string): FileResource | Refused {
  const found = findWaiting(context, changeId);
  if (isRefused(found)) return found;
  const { store } = context;
  const { change, file } = found;
  const sent = store.changes.text(change.id);
  const live = store.changes.text(file.changeId);
  const base = store.changes.base(change.baseId!, file.seq)!;
  const text = change.baseId === file.changeId ? sent : combineWithLive(context, base.text, sent, live);
  if (text === null || isRefused(readContent(text))) return editConflict();
  store.changes.setStatus(change.seq, "accepted");
  return presentFile(saveText(context, file, live, text));
}

function findReview(context: ServerContext, changeId: string): Found | Refused {
  for (const workspace of context.store.keys.workspaces()) {
    const change = context.store.changes.byId(workspace.seq, changeId);
    if (change !== undefined && change.status !== "saved") {
      return { workspace, change, file: context.store.files.bySeq(change.file)! };
    }
  }
  return refuse("not_found", "There is no such review.");
}

function findWaiting(context: ServerContext, changeId: string): Found | Refused {
  const found = findReview(context, changeId);
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
