import type { DocId } from "../../src/contract/ids.ts";
import type { Action, Step } from "../../src/mirror/model/action.ts";
import { nameOf, parentOf } from "../../src/contract/path.ts";
import { conflictCopyPath } from "../../src/mirror/model/conflict-copy-path.ts";
import { applyConflict } from "./executor-conflicts.ts";
import { applyFolder } from "./executor-folders.ts";
import { check, hasFolderThere, isTakenHere, isTakenThere, type OfDocument } from "./refusals.ts";
import type { World } from "./world.ts";

/**
 * Applies steps to the model as the engine would, and throws at whatever the real sides would
 * refuse or the plan promised not to do.
 */

/**
 * Any order that `after` allows, chosen by `pick` (0 ≤ result < n). `skip`: steps that fail, with
 * all that needs them.
 */
export function execute(
  world: World,
  steps: readonly Step[],
  pick: (n: number) => number,
  skip: ReadonlySet<number> = new Set(),
): number[] {
  const done = new Set<number>();
  const dropped = new Set(skip);
  const order: number[] = [];
  for (;;) {
    for (const [index, { after }] of steps.entries()) if (after.some((one) => dropped.has(one))) dropped.add(index);
    const ready = [...steps.keys()].filter(
      (index) => !done.has(index) && !dropped.has(index) && steps[index]!.after.every((one) => done.has(one)),
    );
    if (ready.length === 0) break;
    const index = ready[pick(ready.length)]!;
    try {
      apply(world, steps[index]!.action);
    } catch (error) {
      throw new Error(`step ${index} of ${order.join(",")}: ${(error as Error).message}`);
    }
    done.add(index);
    order.push(index);
  }
  if (done.size + dropped.size !== steps.length) throw new Error("some steps never become ready");
  return order;
}

function apply(world: World, action: Action): void {
  const say = JSON.stringify(action);
  if ("dirId" in action || action.kind === "make-folder-remote") applyFolder(world, action, say);
  else applyDocument(world, action, say);
}

function bury(world: World, id: DocId): void {
  const link = world.links.get(id)!;
  const { localPath, remotePath, changeId, digest } = link;
  world.tombstones.set(id, { id, localPath, remotePath, changeId, digest, trashPath: null, at: 0 });
  world.links.delete(id);
}

function applyDocument(world: World, action: OfDocument, say: string): void {
  const fileAt = (path: string, expect?: string) => {
    const file = world.files.get(path);
    check(file !== undefined, `no file at ${path}: ${say}`);
    check(expect === undefined || world.digest(file.text) === expect, `other text at ${path}: ${say}`);
    return file;
  };
  const documentOf = (id: DocId) => {
    const document = world.documents.get(id);
    check(document !== undefined, `no document: ${say}`);
    return document;
  };
  const agree = (id: DocId, text: string, path: string) => {
    const file = fileAt(path);
    const document = documentOf(id);
    file.text = text;
    if (document.text !== text) {
      document.text = text;
      document.changeId = world.newChange();
    }
    const digest = world.digest(text);
    world.patchLink(id, {
      changeId: document.changeId,
      digest,
      localDigest: digest,
      stamp: world.stamp(file),
      submissions: [],
    });
  };
  switch (action.kind) {
    case "create-local": {
      const document = documentOf(action.id);
      check(document.changeId === action.changeId, `other version: ${say}`);
      check(!isTakenHere(world, action.localPath), `taken here: ${say}`);
      check(document.path === action.remotePath, `elsewhere on the service: ${say}`);
      check(
        parentOf(action.localPath) === "" || world.folders.has(parentOf(action.localPath)) || !world.foldersComplete,
        `no folder: ${say}`,
      );
      world.makeFolders(action.localPath);
      world.write(action.localPath, document.text);
      world.linkDocument(action.id, action.localPath);
      world.tombstones.delete(action.id);
      return;
    }
    case "write-local":
      fileAt(action.localPath, action.expect);
      agree(action.id, documentOf(action.id).text, action.localPath);
      return;
    case "create-remote": {
      const file = fileAt(action.localPath, action.expect);
      check(!isTakenThere(world, action.remotePath), `taken there: ${say}`);
      check(hasFolderThere(world, parentOf(action.remotePath)), `no folder there: ${say}`);
      if (action.tombstone !== null) check(world.tombstones.delete(action.tombstone), `no tombstone: ${say}`);
      world.linkDocument(world.newDocument(action.remotePath, file.text), action.localPath);
      return;
    }
    case "put": {
      const file = fileAt(action.localPath, action.expect);
      const document = documentOf(action.id);
      check(document.changeId === action.baseChangeId, `other base: ${say}`);
      if (!document.protected) {
        agree(action.id, file.text, action.localPath);
        return;
      }
      const link = world.links.get(action.id)!;
      const sent = { digest: action.expect, baseChangeId: action.baseChangeId, at: 0 };
      world.patchLink(action.id, { submissions: [...link.submissions, sent] });
      return;
    }
    case "merge": {
      const file = fileAt(action.localPath, action.expect);
      const { text } = documentOf(action.id);
      agree(action.id, file.text === text ? text : `${[file.text, text].sort().join("+")}`, action.localPath);
      return;
    }
    case "settle-review":
      fileAt(action.localPath, action.expect);
      agree(action.id, documentOf(action.id).text, action.localPath);
      return;
    case "meet": {
      const file = fileAt(action.localPath, action.expect);
      const document = documentOf(action.id);
      check(document.path === action.remotePath, `elsewhere on the service: ${say}`);
      world.linkDocument(action.id, action.localPath);
      if (file.text === document.text) return;
      const digest = world.digest(document.text);
      world.patchLink(action.id, { digest, localDigest: digest });
      const beside = conflictCopyPath(action.localPath, "theirs", 1, world.disk.maxNameBytes);
      const ino = world.next();
      world.others.set(beside, { kind: "conflict-copy", ino });
      const shown = [{ changeId: document.changeId, digest, ino, dev: 1 }];
      world.conflicts.set(action.id, {
        id: action.id,
        baseDigest: null,
        baseChangeId: null,
        newestCopyPath: beside,
        shown,
        looksGone: 0,
        since: 0,
      });
      return;
    }
    case "trash-local":
      fileAt(action.localPath, action.expect);
      world.files.delete(action.localPath);
      bury(world, action.id);
      return;
    case "delete-remote": {
      const document = documentOf(action.id);
      check(document.changeId === action.changeId && document.path === action.remotePath, `other version: ${say}`);
      check(!isTakenHere(world, action.localPath), `there again: ${say}`);
      world.documents.delete(action.id);
      bury(world, action.id);
      return;
    }
    case "forget":
      bury(world, action.id);
      return;
    case "move-local":
      fileAt(action.from);
      check(!isTakenHere(world, action.to), `taken here: ${say}`);
      check(
        parentOf(action.to) === "" || world.folders.has(parentOf(action.to)) || !world.foldersComplete,
        `no folder: ${say}`,
      );
      world.makeFolders(action.to);
      world.moveLocal(action.from, action.to);
      world.patchLink(action.id, { localPath: action.to });
      return;
    case "rename-remote":
    case "reparent-remote": {
      const document = documentOf(action.id);
      check(document.path === action.from, `not at ${action.from}: ${say}`);
      const [kept, changed] = action.kind === "rename-remote" ? [parentOf, nameOf] : [nameOf, parentOf];
      check(
        kept(action.from) === kept(action.to) && changed(action.from) !== changed(action.to),
        `two changes: ${say}`,
      );
      check(!isTakenThere(world, action.to), `taken there: ${say}`);
      check(hasFolderThere(world, parentOf(action.to)), `no folder there: ${say}`);
      document.path = action.to;
      world.patchLink(action.id, { remotePath: action.to });
      return;
    }
    case "relink":
      fileAt(action.localPath);
      check(documentOf(action.id).path === action.remotePath, `not there: ${say}`);
      world.patchLink(action.id, { localPath: action.localPath, remotePath: action.remotePath });
      return;
    case "note-facts":
      world.patchLink(action.id, {
        protected: action.protected,
        ...(action.state === "away" ? { state: "outside", stamp: null } : { state: action.state }),
      });
      return;
    default:
      applyConflict(world, action, say, fileAt);
  }
}
