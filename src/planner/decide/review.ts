import type { ChangeId } from "../../contract/ids.ts";
import { holdsBaseText } from "../drift/drift.ts";
import type { Link } from "../../model/link.ts";
import type { DocumentRow } from "../match/row.ts";
import type { LocalFile, RemoteFile } from "../../model/tree.ts";
import { type PlanDraft, propose, holdDocument } from "./plan-draft.ts";
import { isStopped } from "./remembered.ts";

/**
 * Protected documents and text in review.
 * @returns true where the review decides and the table's cell does not apply
 */
export function decideReview(
  draft: PlanDraft,
  row: DocumentRow,
  link: Link,
  here: LocalFile,
  there: RemoteFile,
): boolean {
  const outstanding = link.submissions.length > 0;
  if (outstanding && there.changeId !== link.changeId) {
    settleReview(draft, row, link, here, there);
    return true;
  }
  if (holdsBaseText(link, here)) return false;
  if (outstanding && !there.protected && !hasMetEdit(link)) {
    holdDocument(draft, row, "review-unknown", "no longer protected, and what was submitted is not live", {
      digest: here.digest,
    });
    return true;
  }
  if (link.submissions.some((submission) => submission.digest === here.digest)) {
    const met = link.submissions.some(({ baseChangeId }) => baseChangeId !== link.changeId) ? link.changeId : null;
    if (!holdMetEdit(draft, row, link, here, met))
      holdDocument(draft, row, "in-review", "waiting for review", { digest: here.digest });
    return true;
  }
  if (there.protected && there.changeId === link.changeId && !isQuiet(draft, link, here)) {
    holdDocument(draft, row, "review-quiet", "will go to review when its text has rested", { digest: here.digest });
    return true;
  }
  return false;
}

function hasMetEdit({ submissions }: Link): boolean {
  return submissions.some(({ reason }) => reason === "conflict");
}

/**
 * One state for a text that is in review because it met another edit, whether the two merge here or
 * the other one stands beside it.
 * @param met the live version that it met; null: not seen yet
 * @returns false where the text is not such a one: it was edited since it was sent, or never sent
 */
export function holdMetEdit(
  draft: PlanDraft,
  row: DocumentRow,
  link: Link,
  here: LocalFile,
  met: ChangeId | null,
): boolean {
  if (!hasMetEdit(link) || !link.submissions.some(({ digest }) => digest === here.digest)) return false;
  const other = met === null ? "another edit" : `another edit (${met})`;
  holdDocument(draft, row, "review-conflict", `in review, because it met ${other}`, { digest: here.digest });
  return true;
}

function isQuiet(draft: PlanDraft, link: Link, here: LocalFile): boolean {
  const quiet = draft.policy.quietTexts;
  return quiet === null || quiet.get(link.id) === here.digest;
}

/**
 * A new live version while text is out: settled if it holds what was submitted, else merged under
 * the local text.
 */
function settleReview(draft: PlanDraft, row: DocumentRow, link: Link, here: LocalFile, there: RemoteFile): void {
  if (draft.policy.direction === "push-only") {
    holdDocument(draft, row, "direction-off", "a new version after a review; this mirror is push-only");
    return;
  }
  if (isStopped(draft, row, "merge")) return;
  propose(draft, row, "content", (at) => ({
    kind: "settle-review",
    why: "a new version on the service while text was in review",
    id: link.id,
    localPath: at.local,
    changeId: there.changeId,
    expect: here.digest,
  }));
}
