import { hasConflictCopy, newestShown } from "../../src/mirror/model/link.ts";
import { copyPath } from "../../src/mirror/model/conflict-copy-path.ts";
import { check, isTakenHere, type OfDocument } from "./refusals.ts";
import type { World } from "./world.ts";

type ConflictAction = Extract<
  OfDocument,
  { kind: "end-conflict" | "look-again" | "renew-conflict" | "move-conflict-copy" | "drop-conflict" }
>;

export function applyConflict(
  world: World,
  action: ConflictAction,
  say: string,
  fileAt: (path: string, expect?: string) => { text: string },
): void {
  const conflict = world.conflicts.get(action.id);
  check(conflict !== undefined, `no conflict: ${say}`);
  const document = world.documents.get(action.id);
  switch (action.kind) {
    case "end-conflict": {
      const file = fileAt(action.localPath, action.expect);
      if (action.how !== "equal" && action.changeId !== action.baseChangeId) {
        showVersion(world, action);
        return;
      }
      world.others.delete(conflict.newestCopyPath);
      world.conflicts.delete(action.id);
      document!.text = file.text;
      document!.changeId = world.newChange();
      const digest = world.digest(file.text);
      world.patchLink(action.id, { changeId: document!.changeId, digest, localDigest: digest });
      return;
    }
    case "look-again":
      world.conflicts.set(action.id, { ...conflict, looksGone: conflict.looksGone + 1 });
      return;
    case "renew-conflict":
      fileAt(action.localPath, action.expect);
      showVersion(world, action);
      return;
    case "move-conflict-copy": {
      const other = world.others.get(action.from);
      if (other !== undefined && action.from !== action.to) {
        world.others.delete(action.from);
        check(!isTakenHere(world, action.to), `taken: ${say}`);
        world.others.set(action.to, other);
      } else check(world.others.has(action.to), `no sidecar at ${action.from}: ${say}`);
      if (action.nth === conflict.shown.length)
        world.conflicts.set(action.id, { ...conflict, newestCopyPath: action.to });
      return;
    }
    case "drop-conflict":
      if (action.newestCopyPath !== null) check(world.others.delete(action.newestCopyPath), `no sidecar: ${say}`);
      world.conflicts.delete(action.id);
  }
}

/** Shows the service's version in a copy of its own, as the engine does if texts do not merge. */
function showVersion(world: World, { id, localPath }: Extract<ConflictAction, { localPath: string }>): void {
  const conflict = world.conflicts.get(id)!;
  const { changeId, text } = world.documents.get(id)!;
  const digest = world.digest(text);
  const newest = newestShown(conflict);
  const before = digest === newest.digest ? conflict.shown.slice(0, -1) : conflict.shown;
  const isThere = digest === newest.digest && hasConflictCopy(conflict);
  const ino = isThere ? newest.ino : world.next();
  const shown = [...before, { changeId, digest, ino, dev: 1 }];
  const at = isThere ? conflict.newestCopyPath : copyPath(localPath, shown.length, world.disk.maxNameBytes);
  if (!isThere) world.others.delete(conflict.newestCopyPath);
  world.others.set(at, { kind: "conflict-copy", ino });
  world.conflicts.set(id, { ...conflict, shown, newestCopyPath: at, looksGone: 0 });
}
