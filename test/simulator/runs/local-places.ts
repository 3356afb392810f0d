import { areSimilar, makeLineProfile } from "../../../src/mirror/model/similar.ts";
import { absolutePath, type UserFolder, documentsOf, foldersOf, type ActingUser } from "./user-folder.ts";
import { choose } from "./choose.ts";
import { isBelow, joined, nameIn, parentIn } from "./names.ts";

export function actOnPlace(
  { userFolder, history, seed }: ActingUser,
  act: "rename" | "change-case" | "move" | "swap" | "swap-edited" | "remove",
  path: string,
): string | null {
  const { user } = userFolder;
  const text = user.read(absolutePath(userFolder, path))!;
  if (act === "remove") {
    history.vanishes(text);
    history.replaced(text, null);
    user.remove(absolutePath(userFolder, path));
    userFolder.removed.set(path, text);
    return path;
  }
  const folder = parentIn(path);
  const name = path.slice(folder === "" ? 0 : folder.length + 1);
  if (act === "swap" || act === "swap-edited") {
    const mate = choose(
      [...documentsOf(userFolder).keys()].filter((one) => one !== path),
      seed + 1,
    );
    if (mate === null) return null;
    const other = user.read(absolutePath(userFolder, mate))!;
    for (const one of [text, other]) history.renamedHere(userFolder.mirror, one);
    if (act === "swap-edited") history.linkFates(text, other);
    const aside = findTemporaryName(userFolder, path);
    user.rename(absolutePath(userFolder, path), aside);
    user.rename(absolutePath(userFolder, mate), absolutePath(userFolder, path));
    user.rename(aside, absolutePath(userFolder, mate));
    if (act === "swap-edited") {
      const alike = [path, mate].map((one) => editInPlace({ userFolder, history, seed }, one));
      if (alike.includes(false)) for (const one of [text, other]) history.vanishes(one);
    }
    return `${path} ↔ ${mate}`;
  }
  const changed = name[0] === name[0]!.toUpperCase() ? name.toLowerCase() : name[0]!.toUpperCase() + name.slice(1);
  const to =
    act === "rename"
      ? joined(folder, nameIn(seed))
      : act === "change-case"
        ? joined(folder, changed)
        : joined(choose([...foldersOf(userFolder), ""], seed)!, name);
  const replaced = user.inode(absolutePath(userFolder, to));
  const isOwn = replaced === user.inode(absolutePath(userFolder, path));
  const mayReplace = act === "change-case" && user.read(absolutePath(userFolder, to)) === text;
  if (to === path || (user.exists(absolutePath(userFolder, to)) && !mayReplace)) return null;
  history.renamedHere(userFolder.mirror, text);
  // On a disk that distinguishes case, the user removes another document.
  if (replaced !== null && !isOwn) history.vanishes(text);
  user.rename(absolutePath(userFolder, path), absolutePath(userFolder, to));
  return `${path} → ${to}`;
}

/**
 * Returns an unused temporary name. A swap that a power cut partly reverted may have left a file at
 * such a name.
 */
function findTemporaryName(userFolder: UserFolder, path: string): string {
  let aside = absolutePath(userFolder, `${path}.swap~`);
  while (userFolder.user.exists(aside)) aside = `${aside}~`;
  return aside;
}

/** Removes all documents, or two thirds of them. */
export function removeMany({ userFolder, history, seed }: ActingUser): string {
  const documents = [...documentsOf(userFolder)].filter((_, n) => seed % 3 === 0 || n % 3 !== seed % 2);
  for (const [path, text] of documents) {
    history.vanishes(text);
    history.replaced(text, null);
    userFolder.user.remove(absolutePath(userFolder, path));
  }
  return String(documents.length);
}

export function actOnFolder(
  { userFolder, history, seed }: ActingUser,
  act: "rename-folder" | "move-folder" | "remove-folder",
): string | null {
  const { user } = userFolder;
  const folders = foldersOf(userFolder);
  // The workspace folder of a mirror with a prefix is not moved: these runs do not test that.
  const folder = choose(
    folders.filter((path) => path !== "work"),
    seed,
  );
  if (folder === null) return null;
  const below = [...userFolder.user.texts(userFolder.root)].filter(([path]) => isBelow(path, folder));
  if (act === "remove-folder") {
    for (const [, text] of below) {
      history.vanishes(text);
      history.replaced(text, null);
    }
    user.remove(absolutePath(userFolder, folder));
    return folder;
  }
  const name = folder.split("/").at(-1)!;
  const to =
    act === "rename-folder"
      ? joined(parentIn(folder), `${name.replace(/-\d$/, "")}-${seed % 3}`)
      : joined(
          choose(
            ["", ...folders].filter((one) => one !== folder && !isBelow(one, folder)),
            seed + 1,
          )!,
          name,
        );
  if (to === folder || user.exists(absolutePath(userFolder, to))) return null;
  for (const [, text] of below) history.renamedHere(userFolder.mirror, text);
  history.folderMovedHere(userFolder.mirror, folder, to);
  user.rename(absolutePath(userFolder, folder), absolutePath(userFolder, to));
  return `${folder}/ → ${to}/`;
}

/**
 * Edits a file in place, so the inode stays.
 * @returns true if most of the content stays too, so that the document can be recognized by it
 */
function editInPlace({ userFolder, history, seed }: ActingUser, path: string): boolean {
  const text = userFolder.user.read(absolutePath(userFolder, path))!;
  const next = history.edit(text, seed, `mirror ${userFolder.mirror}`);
  history.replaced(text, next);
  userFolder.user.write(absolutePath(userFolder, path), next);
  return areSimilar(makeLineProfile(text), makeLineProfile(next));
}
