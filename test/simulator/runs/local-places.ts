import { isSimilar, profileOf } from "../../../src/mirror/model/similar.ts";
import { at, type Desk, documentsOf, foldersOf, type Person } from "./desk.ts";
import { choose } from "./choose.ts";
import { isBelow, joined, nameIn, parentIn } from "./names.ts";

export function actOnPlace(
  { desk, history, seed }: Person,
  act: "rename" | "change-case" | "move" | "swap" | "swap-edited" | "remove",
  path: string,
): string | null {
  const { user } = desk;
  const text = user.read(at(desk, path))!;
  if (act === "remove") {
    history.vanishes(text);
    history.replaced(text, null);
    user.remove(at(desk, path));
    desk.removed.set(path, text);
    return path;
  }
  const folder = parentIn(path);
  const name = path.slice(folder === "" ? 0 : folder.length + 1);
  if (act === "swap" || act === "swap-edited") {
    const mate = choose(
      [...documentsOf(desk).keys()].filter((one) => one !== path),
      seed + 1,
    );
    if (mate === null) return null;
    const other = user.read(at(desk, mate))!;
    for (const one of [text, other]) history.renamedHere(desk.mirror, one);
    if (act === "swap-edited") history.standTogether(text, other);
    const aside = freeAside(desk, path);
    user.rename(at(desk, path), aside);
    user.rename(at(desk, mate), at(desk, path));
    user.rename(aside, at(desk, mate));
    if (act === "swap-edited") {
      const alike = [path, mate].map((one) => editInPlace({ desk, history, seed }, one));
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
        : joined(choose([...foldersOf(desk), ""], seed)!, name);
  const replaced = user.inode(at(desk, to));
  const isOwn = replaced === user.inode(at(desk, path));
  const mayReplace = act === "change-case" && user.read(at(desk, to)) === text;
  if (to === path || (user.exists(at(desk, to)) && !mayReplace)) return null;
  history.renamedHere(desk.mirror, text);
  // If the disk distinguishes both cases, the user removes another document of equal content.
  if (replaced !== null && !isOwn) history.vanishes(text);
  user.rename(at(desk, path), at(desk, to));
  return `${path} → ${to}`;
}

/**
 * Returns a temporary name; a swap that a power cut reverted in part may have left content at such
 * a name.
 */
function freeAside(desk: Desk, path: string): string {
  let aside = at(desk, `${path}.swap~`);
  while (desk.user.exists(aside)) aside = `${aside}~`;
  return aside;
}

/** Removes all documents, or two of three. */
export function removeMany({ desk, history, seed }: Person): string {
  const documents = [...documentsOf(desk)].filter((_, n) => seed % 3 === 0 || n % 3 !== seed % 2);
  for (const [path, text] of documents) {
    history.vanishes(text);
    history.replaced(text, null);
    desk.user.remove(at(desk, path));
  }
  return String(documents.length);
}

export function actOnFolder(
  { desk, history, seed }: Person,
  act: "rename-folder" | "move-folder" | "remove-folder",
): string | null {
  const { user } = desk;
  const folders = foldersOf(desk);
  // The workspace folder of a mirror with a prefix stays: these runs do not test its move.
  const folder = choose(
    folders.filter((path) => path !== "work"),
    seed,
  );
  if (folder === null) return null;
  const below = [...desk.user.texts(desk.root)].filter(([path]) => isBelow(path, folder));
  if (act === "remove-folder") {
    for (const [, text] of below) {
      history.vanishes(text);
      history.replaced(text, null);
    }
    user.remove(at(desk, folder));
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
  if (to === folder || user.exists(at(desk, to))) return null;
  for (const [, text] of below) history.renamedHere(desk.mirror, text);
  history.folderMovedHere(desk.mirror, folder, to);
  user.rename(at(desk, folder), at(desk, to));
  return `${folder}/ → ${to}/`;
}

/**
 * Edits in place: the inode stays.
 * @returns true if most of the content stays too, so that the file can be recognised
 */
function editInPlace({ desk, history, seed }: Person, path: string): boolean {
  const text = desk.user.read(at(desk, path))!;
  const next = history.edit(text, seed, `mirror ${desk.mirror}`);
  history.replaced(text, next);
  desk.user.write(at(desk, path), next);
  return isSimilar(profileOf(text), profileOf(next));
}
