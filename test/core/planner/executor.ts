import type { DirId, DocId } from "../../../src/contract/ids.ts";
import type { Action, Step } from "../../../src/core/action.ts";
import { isBelow, isWithin, nameOf, parentOf, rebase, sidecarPath } from "../../../src/core/path.ts";
import type { World } from "./world.ts";

/** Applies steps to the model as the engine would, and throws at whatever the real sides would refuse or the plan promised not to do. */

/** Any order that `after` allows, chosen by `pick` (0 ≤ result < n). `skip`: steps that fail, with all that needs them. */
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

function check(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(what);
}

export function apply(world: World, action: Action): void {
  const say = JSON.stringify(action);
  if ("dirId" in action || action.kind === "make-folder-remote") applyFolder(world, action, say);
  else applyDocument(world, action, say);
}

function isTakenHere(world: World, path: string): boolean {
  return world.files.has(path) || world.folders.has(path) || world.others.has(path);
}

function isTakenThere(world: World, path: string): boolean {
  for (const document of world.documents.values()) if (document.path === path) return true;
  for (const dir of world.dirs.values()) if (dir === path) return true;
  return false;
}

function hasFolderThere(world: World, path: string): boolean {
  return path === "" || [...world.dirs.values()].includes(path);
}

function bury(world: World, id: DocId): void {
  const link = world.links.get(id)!;
  const { localPath, remotePath, changeId, digest } = link;
  world.tombstones.set(id, { id, localPath, remotePath, changeId, digest, trashPath: null, at: 0 });
  world.links.delete(id);
}

type DocumentActionOf = Exclude<Action, { dirId: DirId } | { kind: "make-folder-remote" }>;

function applyDocument(world: World, action: DocumentActionOf, say: string): void {
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
      const beside = sidecarPath(action.localPath);
      const ino = world.next();
      world.others.set(beside, { kind: "sidecar", ino });
      const shown = [{ changeId: document.changeId, digest, at: 0 }];
      world.conflicts.set(action.id, {
        id: action.id,
        baseDigest: null,
        baseChangeId: null,
        sidecarPath: beside,
        sidecarIno: ino,
        sidecarDev: 1,
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
      world.patchLink(action.id, { protected: action.protected, standing: action.standing });
      return;
    default:
      applyConflict(world, action, say, fileAt);
  }
}

type ConflictAction = Extract<
  DocumentActionOf,
  { kind: "end-conflict" | "look-again" | "renew-conflict" | "move-sidecar" | "drop-conflict" }
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
      world.conflicts.set(action.id, { ...conflict, shown });
      return;
    }
    case "move-sidecar": {
      const other = world.others.get(action.from);
      if (other !== undefined) {
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

function rewrite(world: World, side: "local" | "remote", from: string, to: string): void {
  if (from === to) return;
  const key = side === "local" ? "localPath" : "remotePath";
  for (const [id, link] of world.links)
    if (isWithin(link[key], from)) world.links.set(id, { ...link, [key]: rebase(link[key], from, to) });
  for (const [id, dir] of world.dirLinks)
    if (isWithin(dir[key], from)) world.dirLinks.set(id, { ...dir, [key]: rebase(dir[key], from, to) });
  if (side === "remote") return;
  for (const [id, conflict] of world.conflicts)
    if (isWithin(conflict.sidecarPath, from))
      world.conflicts.set(id, { ...conflict, sidecarPath: rebase(conflict.sidecarPath, from, to) });
}

function applyFolder(
  world: World,
  action: Extract<Action, { dirId: DirId } | { kind: "make-folder-remote" }>,
  say: string,
): void {
  const link = (id: DirId, localPath: string, remotePath: string, rewrites = false): void => {
    const folder = world.folders.get(localPath);
    check(folder !== undefined, `no folder at ${localPath}: ${say}`);
    check(world.dirs.get(id) === remotePath, `no folder there: ${say}`);
    const known = world.dirLinks.get(id);
    if (known !== undefined && rewrites) {
      rewrite(world, "local", known.localPath, localPath);
      rewrite(world, "remote", known.remotePath, remotePath);
    }
    world.dirLinks.set(id, { id, localPath, remotePath, dev: 1, ...folder });
  };
  switch (action.kind) {
    case "make-folder-local":
      check(!isTakenHere(world, action.localPath), `taken here: ${say}`);
      check(parentOf(action.localPath) === "" || world.folders.has(parentOf(action.localPath)), `no folder: ${say}`);
      world.makeFolder(action.localPath);
      link(action.dirId, action.localPath, action.remotePath);
      return;
    case "make-folder-remote":
      check(!isTakenThere(world, action.remotePath), `taken there: ${say}`);
      check(hasFolderThere(world, parentOf(action.remotePath)), `no folder there: ${say}`);
      link(world.newDir(action.remotePath), action.localPath, action.remotePath);
      return;
    case "link-folder":
      link(action.dirId, action.localPath, action.remotePath, true);
      return;
    case "move-folder-local":
      check(world.folders.has(action.from), `no folder at ${action.from}: ${say}`);
      check(!isTakenHere(world, action.to), `taken here: ${say}`);
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
      check(!isTakenThere(world, action.to), `taken there: ${say}`);
      check(hasFolderThere(world, parentOf(action.to)) && !isBelow(action.to, action.from), `no folder there: ${say}`);
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
      world.dirLinks.delete(action.dirId);
      return;
    }
    case "remove-folder-remote": {
      const inside = [...world.dirs.values(), ...[...world.documents.values()].map(({ path }) => path)];
      check(!inside.some((path) => isBelow(path, action.remotePath)), `not empty: ${say}`);
      check(world.dirs.get(action.dirId) === action.remotePath, `not there: ${say}`);
      check(!isTakenHere(world, action.localPath), `there again: ${say}`);
      world.dirs.delete(action.dirId);
      world.dirLinks.delete(action.dirId);
      return;
    }
    case "forget-folder":
      world.dirLinks.delete(action.dirId);
  }
}
