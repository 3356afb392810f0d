import type { DocId, DirId } from "../../src/contract/ids.ts";
import type { Action, Step } from "../../src/mirror/model/action.ts";
import { nameOf, parentOf, isBelow, isWithin, rebase } from "../../src/contract/path.ts";
import { makeConflictCopyPath, makeTheirsCopyPath } from "../../src/mirror/model/names.ts";
import { hasConflictCopy, findNewestShown } from "../../src/mirror/model/record.ts";
import {
  check,
  hasRemoteFolder,
  isTakenLocally,
  isTakenOnService,
  type OfDocument,
  type OfFolder,
  type World,
} from "./world.ts";

/**
 * Applies steps to the model like the engine. Throws if the real side would refuse a step, or if
 * the plan breaks its own promises.
 */

/**
 * Executes the steps in an order that `after` allows.
 * @param pick chooses the next of n possible steps (0 ≤ result < n)
 * @param skip steps that fail, together with all steps that need them
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
  const record = world.records.get(id)!;
  const { localPath, remotePath, changeId, digest } = record;
  world.tombstones.set(id, { id, localPath, remotePath, changeId, digest, trashPath: null, at: 0 });
  world.records.delete(id);
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
    world.patchRecord(id, {
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
      check(!isTakenLocally(world, action.localPath), `taken here: ${say}`);
      check(document.path === action.remotePath, `elsewhere on the service: ${say}`);
      check(
        parentOf(action.localPath) === "" || world.folders.has(parentOf(action.localPath)) || !world.foldersComplete,
        `no folder: ${say}`,
      );
      world.makeFolders(action.localPath);
      world.write(action.localPath, document.text);
      world.recordDocument(action.id, action.localPath);
      world.tombstones.delete(action.id);
      return;
    }
    case "write-local":
      fileAt(action.localPath, action.expect);
      agree(action.id, documentOf(action.id).text, action.localPath);
      return;
    case "create-remote": {
      const file = fileAt(action.localPath, action.expect);
      check(!isTakenOnService(world, action.remotePath), `taken there: ${say}`);
      check(hasRemoteFolder(world, parentOf(action.remotePath)), `no folder there: ${say}`);
      if (action.tombstone !== null) check(world.tombstones.delete(action.tombstone), `no tombstone: ${say}`);
      world.recordDocument(world.newDocument(action.remotePath, file.text), action.localPath);
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
      const record = world.records.get(action.id)!;
      const sent = { digest: action.expect, baseChangeId: action.baseChangeId, at: 0 };
      world.patchRecord(action.id, { submissions: [...record.submissions, sent] });
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
      world.recordDocument(action.id, action.localPath);
      if (file.text === document.text) return;
      const digest = world.digest(document.text);
      world.patchRecord(action.id, { digest, localDigest: digest });
      const beside = makeConflictCopyPath(action.localPath, "theirs", 1, world.disk.maxNameBytes);
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
      check(!isTakenLocally(world, action.localPath), `there again: ${say}`);
      world.documents.delete(action.id);
      bury(world, action.id);
      return;
    }
    case "forget":
      bury(world, action.id);
      return;
    case "move-local":
      fileAt(action.from);
      check(!isTakenLocally(world, action.to), `taken here: ${say}`);
      check(
        parentOf(action.to) === "" || world.folders.has(parentOf(action.to)) || !world.foldersComplete,
        `no folder: ${say}`,
      );
      world.makeFolders(action.to);
      world.moveLocal(action.from, action.to);
      world.patchRecord(action.id, { localPath: action.to });
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
      check(!isTakenOnService(world, action.to), `taken there: ${say}`);
      check(hasRemoteFolder(world, parentOf(action.to)), `no folder there: ${say}`);
      document.path = action.to;
      world.patchRecord(action.id, { remotePath: action.to });
      return;
    }
    case "relink":
      fileAt(action.localPath);
      check(documentOf(action.id).path === action.remotePath, `not there: ${say}`);
      world.patchRecord(action.id, { localPath: action.localPath, remotePath: action.remotePath });
      return;
    case "note-facts":
      world.patchRecord(action.id, {
        protected: action.protected,
        ...(action.state === "away" ? { state: "outside", stamp: null } : { state: action.state }),
      });
      return;
    default:
      applyConflict(world, action, say, fileAt);
  }
}

function rewrite(world: World, side: "local" | "remote", from: string, to: string): void {
  if (from === to) return;
  const key = side === "local" ? "localPath" : "remotePath";
  for (const [id, record] of world.records)
    if (isWithin(record[key], from)) world.records.set(id, { ...record, [key]: rebase(record[key], from, to) });
  for (const [id, dir] of world.dirRecords)
    if (isWithin(dir[key], from)) world.dirRecords.set(id, { ...dir, [key]: rebase(dir[key], from, to) });
  if (side === "remote") return;
  for (const [id, conflict] of world.conflicts)
    if (isWithin(conflict.newestCopyPath, from))
      world.conflicts.set(id, { ...conflict, newestCopyPath: rebase(conflict.newestCopyPath, from, to) });
}

type Places = { readonly localPath: string; readonly remotePath: string };

function carry(world: World, id: DocId, from: Places, to: Places): void {
  const moved = (side: keyof Places, path: string): string =>
    isWithin(path, from[side]) ? rebase(path, from[side], to[side]) : path;
  const [record, conflict] = [world.records.get(id), world.conflicts.get(id)];
  if (record !== undefined) {
    const localPath = moved("localPath", record.localPath);
    world.records.set(id, { ...record, localPath, remotePath: moved("remotePath", record.remotePath) });
  }
  if (conflict !== undefined)
    world.conflicts.set(id, { ...conflict, newestCopyPath: moved("localPath", conflict.newestCopyPath) });
}

function applyFolder(world: World, action: OfFolder, say: string): void {
  const putFolder = (id: DirId, localPath: string, remotePath: string, carries: readonly DocId[] | null = []): void => {
    const folder = world.folders.get(localPath);
    check(folder !== undefined, `no folder at ${localPath}: ${say}`);
    check(world.dirs.get(id) === remotePath, `no folder there: ${say}`);
    const known = world.dirRecords.get(id);
    if (known !== undefined && carries === null) {
      rewrite(world, "local", known.localPath, localPath);
      rewrite(world, "remote", known.remotePath, remotePath);
    }
    for (const one of known === undefined ? [] : (carries ?? [])) carry(world, one, known!, { localPath, remotePath });
    world.dirRecords.set(id, { id, localPath, remotePath, dev: 1, ...folder });
  };
  switch (action.kind) {
    case "make-folder-local":
      check(!isTakenLocally(world, action.localPath), `taken here: ${say}`);
      check(parentOf(action.localPath) === "" || world.folders.has(parentOf(action.localPath)), `no folder: ${say}`);
      world.makeFolder(action.localPath);
      putFolder(action.dirId, action.localPath, action.remotePath, action.carries);
      return;
    case "make-folder-remote":
      check(!isTakenOnService(world, action.remotePath), `taken there: ${say}`);
      check(hasRemoteFolder(world, parentOf(action.remotePath)), `no folder there: ${say}`);
      putFolder(world.newDir(action.remotePath), action.localPath, action.remotePath);
      return;
    case "link-folder":
      putFolder(action.dirId, action.localPath, action.remotePath, action.carries);
      return;
    case "move-folder-local":
      check(world.folders.has(action.from), `no folder at ${action.from}: ${say}`);
      check(!isTakenLocally(world, action.to), `taken here: ${say}`);
      check(parentOf(action.to) === "" || world.folders.has(parentOf(action.to)), `no folder: ${say}`);
      check(!isBelow(action.to, action.from), `into itself: ${say}`);
      world.moveLocal(action.from, action.to);
      rewrite(world, "local", action.from, action.to);
      return;
    case "rename-folder-remote":
    case "reparent-folder-remote": {
      check(world.dirs.get(action.dirId) === action.from, `not at ${action.from}: ${say}`);
      const [kept, changed] = action.kind === "rename-folder-remote" ? [parentOf, nameOf] : [nameOf, parentOf];
      check(
        kept(action.from) === kept(action.to) && changed(action.from) !== changed(action.to),
        `two changes: ${say}`,
      );
      check(!isTakenOnService(world, action.to), `taken there: ${say}`);
      check(hasRemoteFolder(world, parentOf(action.to)) && !isBelow(action.to, action.from), `no folder there: ${say}`);
      world.moveDir(action.dirId, action.to);
      rewrite(world, "remote", action.from, action.to);
      return;
    }
    case "remove-folder-local": {
      for (const [path, { kind }] of world.others)
        if (kind === "litter" && isBelow(path, action.localPath)) world.others.delete(path);
      const inside = [...world.files.keys(), ...world.folders.keys(), ...world.others.keys()];
      check(!inside.some((path) => isBelow(path, action.localPath)), `not empty: ${say}`);
      check(world.folders.delete(action.localPath), `no folder: ${say}`);
      if (action.dirId !== null) world.dirRecords.delete(action.dirId);
      return;
    }
    case "remove-folder-remote": {
      const inside = [...world.dirs.values(), ...[...world.documents.values()].map(({ path }) => path)];
      check(!inside.some((path) => isBelow(path, action.remotePath)), `not empty: ${say}`);
      check(world.dirs.get(action.dirId) === action.remotePath, `not there: ${say}`);
      check(!isTakenLocally(world, action.localPath), `there again: ${say}`);
      world.dirs.delete(action.dirId);
      world.dirRecords.delete(action.dirId);
      return;
    }
    case "forget-folder":
      world.dirRecords.delete(action.dirId);
  }
}

type ConflictAction = Extract<
  OfDocument,
  { kind: "end-conflict" | "look-again" | "renew-conflict" | "move-conflict-copy" | "drop-conflict" }
>;

function applyConflict(
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
      world.patchRecord(action.id, { changeId: document!.changeId, digest, localDigest: digest });
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
        check(!isTakenLocally(world, action.to), `taken: ${say}`);
        world.others.set(action.to, other);
      } else check(world.others.has(action.to), `no conflict copy at ${action.from}: ${say}`);
      if (action.nth === conflict.shown.length)
        world.conflicts.set(action.id, { ...conflict, newestCopyPath: action.to });
      return;
    }
    case "drop-conflict":
      if (action.newestCopyPath !== null) check(world.others.delete(action.newestCopyPath), `no conflict copy: ${say}`);
      world.conflicts.delete(action.id);
  }
}

/** Adds a conflict copy with the service's version, like the engine after a failed merge. */
function showVersion(world: World, { id, localPath }: Extract<ConflictAction, { localPath: string }>): void {
  const conflict = world.conflicts.get(id)!;
  const { changeId, text } = world.documents.get(id)!;
  const digest = world.digest(text);
  const newest = findNewestShown(conflict);
  const before = digest === newest.digest ? conflict.shown.slice(0, -1) : conflict.shown;
  const isThere = digest === newest.digest && hasConflictCopy(conflict);
  const ino = isThere ? newest.ino : world.next();
  const shown = [...before, { changeId, digest, ino, dev: 1 }];
  const at = isThere ? conflict.newestCopyPath : makeTheirsCopyPath(localPath, shown.length, world.disk.maxNameBytes);
  if (!isThere) world.others.delete(conflict.newestCopyPath);
  world.others.set(at, { kind: "conflict-copy", ino });
  world.conflicts.set(id, { ...conflict, shown, newestCopyPath: at, looksGone: 0 });
}
