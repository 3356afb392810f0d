import { isBeingReplaced } from "../../src/model/link.ts";
import { sidecarPath } from "../../src/model/sidecar-path.ts";
import { check, isTakenHere, type OfDocument } from "./refusals.ts";
import type { World } from "./world.ts";

type ConflictAction = Extract<
  OfDocument,
  { kind: "end-conflict" | "look-again" | "renew-conflict" | "move-sidecar" | "drop-conflict" }
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
      world.others.delete(conflict.sidecarPath);
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
    case "renew-conflict": {
      fileAt(action.localPath, action.expect);
      const shown = [...conflict.shown, { changeId: document!.changeId, digest: world.digest(document!.text), at: 0 }];
      const replaced = isBeingReplaced(conflict);
      const at =
        replaced && !world.others.has(conflict.sidecarPath) ? sidecarPath(action.localPath) : conflict.sidecarPath;
      const sidecarIno = replaced ? world.next() : conflict.sidecarIno;
      if (replaced) world.others.set(at, { kind: "sidecar", ino: sidecarIno });
      world.conflicts.set(action.id, { ...conflict, shown, sidecarPath: at, sidecarIno });
      return;
    }
    case "move-sidecar": {
      const other = world.others.get(action.from);
      if (other !== undefined && action.from !== action.to) {
        world.others.delete(action.from);
        check(!isTakenHere(world, action.to), `taken: ${say}`);
        world.others.set(action.to, other);
      } else check(world.others.has(action.to), `no sidecar at ${action.from}: ${say}`);
      world.conflicts.set(action.id, { ...conflict, sidecarPath: action.to });
      return;
    }
    case "drop-conflict":
      if (action.sidecarPath !== null) check(world.others.delete(action.sidecarPath), `no sidecar: ${say}`);
      world.conflicts.delete(action.id);
  }
}
