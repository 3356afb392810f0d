import type { Drift } from "../drift/place-change.ts";
import type { DocumentRecord } from "../../model/record.ts";
import type { DocumentRow } from "../match/row.ts";
import { findRenamedFile } from "../match/inode.ts";
import { ancestorsOf, type LocalPath } from "../../../contract/path.ts";
import { endConflictOfRemovedDocument } from "./conflict.ts";
import { describeExclusion, type PlanDraft, blockRow } from "./plan-draft.ts";
import { proposeLocalCreation, proposeForget, proposeFacts } from "./presence.ts";

/**
 * Decides about documents that became ignored or are no longer ignored. Also decides about
 * documents whose file got a name that is not synced. A changed ignore rule deletes nothing, even
 * if the file was removed while it was ignored (I18).
 * @returns false if `CONTENT_RULES` must decide
 */
export function decideIgnored(draft: PlanDraft, row: DocumentRow, record: DocumentRecord, drift: Drift): boolean {
  const isLocal = row.local.seen.kind === "present";
  if (!isLocal && draft.trees.local.ignores(record.localPath, "file")) {
    const reasonClause = `excluded by ${describeExclusion(draft, record.localPath, "file")}`;
    if (record.state !== "suspended") proposeFacts(draft, row, record, "suspended", reasonClause);
    blockRow(draft, row, "suspended", `${reasonClause}; nothing is sent, written or deleted`);
    return true;
  }
  if (record.state === "suspended" && endSuspension(draft, row, record, drift)) return true;
  if (record.state === "outside" && drift.local === "deleted" && drift.remote !== "outside") {
    decideReturnedDocument(draft, row, record);
    return true;
  }
  if (drift.local !== "deleted") return false;
  const renamedFile = findRenamedFile(draft.trees.local, draft.othersByInode(), record.stamp);
  if (renamedFile !== null) {
    blockRow(draft, row, "renamed-out-of-mirror", `now ${JSON.stringify(renamedFile.path)}, which is not synced`);
    return true;
  }
  const replacementClause = row.remote.seen.kind === "present" ? describeReplacement(draft, record.localPath) : null;
  if (replacementClause === null) return false;
  blockRow(draft, row, "type-clash", `${replacementClause}, in place of the document, which stays on the service`);
  return true;
}

/**
 * Returns a clause if a folder, symbolic link or special file is now at or above a document's path:
 * the user has replaced the file, not deleted the document. Otherwise returns null.
 */
function describeReplacement({ trees: { local } }: PlanDraft, path: LocalPath): string | null {
  if (local.folders.has(path)) return "a folder is at this path";
  for (const above of [path, ...ancestorsOf(path)]) {
    const kind = local.others.get(above)?.kind;
    if (kind !== "symlink" && kind !== "special") continue;
    const subjectClause = kind === "symlink" ? "a symbolic link" : "no file and no folder";
    return `${subjectClause} is ${above === path ? "at this path" : `at ${JSON.stringify(above)}`}`;
  }
  return null;
}

/**
 * Decides about a document that is no longer ignored. Returns false if another rule must decide.
 */
function endSuspension(draft: PlanDraft, row: DocumentRow, record: DocumentRecord, drift: Drift): boolean {
  const reasonClause = "no longer excluded by the ignore rules";
  if (row.local.seen.kind === "present") {
    proposeFacts(draft, row, record, "linked", reasonClause);
    return true;
  }
  if (drift.local !== "deleted" || row.remote.seen.kind !== "present") return false;
  proposeLocalCreation(draft, row, row.remote.seen.file, reasonClause);
  return true;
}

/**
 * Decides about a document that was moved back into the linked part of the workspace. When the
 * document left, its file went to the trash, so a missing file does not mean that the user deleted
 * it.
 */
function decideReturnedDocument(draft: PlanDraft, row: DocumentRow, record: DocumentRecord): void {
  if (endConflictOfRemovedDocument(draft, row, record) === "waits") return;
  if (row.remote.seen.kind === "present")
    proposeLocalCreation(draft, row, row.remote.seen.file, "back in the linked folder of the workspace");
  if (row.remote.seen.kind === "gone") proposeForget(draft, row);
}
