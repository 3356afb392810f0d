import type { Drift } from "../drift/drift.ts";
import type { Link, Stamp } from "../../model/link.ts";
import type { DocumentBody } from "../match/body.ts";
import { fileInodeKey } from "../match/inode.ts";
import type { LocalOther } from "../../model/tree.ts";
import { endsOrWaitsWithDocument } from "./conflict.ts";
import { type Desk, draft, holdDocument } from "./desk.ts";
import { bringBack, createHere, forget } from "./presence.ts";

/**
 * What stands before the table: newly ignored and un-ignored documents, and those renamed out of
 * the mirror. A change of the ignore rules deletes nothing (I18), not even when the file went while
 * it was ignored.
 * @returns true where this decides alone
 */
export function decideStanding(desk: Desk, body: DocumentBody, link: Link, drift: Drift): boolean {
  const here = body.local.seen.kind === "present";
  if (!here && desk.trees.local.ignores(link.localPath, "file")) {
    if (link.standing !== "suspended") noteStanding(desk, body, link, "suspended", "excluded by the ignore rules");
    holdDocument(desk, body, "suspended", "excluded by the ignore rules; nothing is sent, written or deleted");
    return true;
  }
  if (link.standing === "suspended") {
    if (here) {
      noteStanding(desk, body, link, "linked", "no longer excluded by the ignore rules");
      return true;
    }
    if (drift.local === "deleted" && body.remote.seen.kind === "present") {
      bringBack(desk, body, body.remote.seen.file, "no longer excluded by the ignore rules");
      return true;
    }
  }
  if (link.standing === "outside" && drift.local === "deleted") {
    // Its text went to the trash when it left; its return is a move, whatever is absent here. A
    // conflict ended with it, or with the text that was held.
    if (endsOrWaitsWithDocument(desk, body, link) === "waits") return true;
    if (body.remote.seen.kind === "present")
      createHere(desk, body, body.remote.seen.file, "back in the mirrored subtree");
    if (body.remote.seen.kind === "gone") forget(desk, body);
    return true;
  }
  if (drift.local !== "deleted") return false;
  const other = findRenamed(desk, link.stamp);
  if (other === null) return false;
  holdDocument(desk, body, "renamed-out-of-mirror", `now ${JSON.stringify(other.path)}, which is not mirrored`);
  return true;
}

function noteStanding(desk: Desk, body: DocumentBody, link: Link, standing: Link["standing"], why: string): void {
  draft(desk, body, "note", () => ({ kind: "note-facts", why, id: link.id, protected: link.protected, standing }));
}

function findRenamed(desk: Desk, stamp: Stamp | null): LocalOther | null {
  const key = desk.trees.local.inodesTrusted ? fileInodeKey(stamp) : null;
  return key === null ? null : (desk.othersByInode().get(key) ?? null);
}
