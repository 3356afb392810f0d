import type { DirId, DocId } from "../../src/contract/ids.ts";
import { isBelow, isWithin, nameOf, parentOf, rebase } from "../../src/contract/path.ts";
import { check, hasFolderThere, isTakenHere, isTakenThere, type OfFolder } from "./refusals.ts";
import type { World } from "./world.ts";

function rewrite(world: World, side: "local" | "remote", from: string, to: string): void {
  if (from === to) return;
  const key = side === "local" ? "localPath" : "remotePath";
  for (const [id, link] of world.links)
    if (isWithin(link[key], from)) world.links.set(id, { ...link, [key]: rebase(link[key], from, to) });
  for (const [id, dir] of world.dirLinks)
    if (isWithin(dir[key], from)) world.dirLinks.set(id, { ...dir, [key]: rebase(dir[key], from, to) });
  if (side === "remote") return;
  for (const [id, conflict] of world.conflicts)
    if (isWithin(conflict.newestCopyPath, from))
      world.conflicts.set(id, { ...conflict, newestCopyPath: rebase(conflict.newestCopyPath, from, to) });
}

type Places = { readonly localPath: string; readonly remotePath: string };

function carry(world: World, id: DocId, from: Places, to: Places): void {
  const moved = (side: keyof Places, path: string): string =>
    isWithin(path, from[side]) ? rebase(path, from[side], to[side]) : path;
  const [link, conflict] = [world.links.get(id), world.conflicts.get(id)];
  if (link !== undefined) {
    const localPath = moved("localPath", link.localPath);
    world.links.set(id, { ...link, localPath, remotePath: moved("remotePath", link.remotePath) });
  }
  if (conflict !== undefined)
    world.conflicts.set(id, { ...conflict, newestCopyPath: moved("localPath", conflict.newestCopyPath) });
}

export function applyFolder(world: World, action: OfFolder, say: string): void {
  const link = (id: DirId, localPath: string, remotePath: string, carries: readonly DocId[] | null = []): void => {
    const folder = world.folders.get(localPath);
    check(folder !== undefined, `no folder at ${localPath}: ${say}`);
    check(world.dirs.get(id) === remotePath, `no folder there: ${say}`);
    const known = world.dirLinks.get(id);
    if (known !== undefined && carries === null) {
      rewrite(world, "local", known.localPath, localPath);
      rewrite(world, "remote", known.remotePath, remotePath);
    }
    for (const one of known === undefined ? [] : (carries ?? [])) carry(world, one, known!, { localPath, remotePath });
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
      link(action.dirId, action.localPath, action.remotePath, action.carries);
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
      if (action.dirId !== null) world.dirLinks.delete(action.dirId);
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
