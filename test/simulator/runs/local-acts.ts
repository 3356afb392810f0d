import {
  absolutePath,
  type ActingUser,
  canHaveFile,
  documentsOf,
  foldersOf,
  isFile,
  makeParent,
  openOrClose,
  readFile,
  readRenamedFile,
  type UserFolder,
} from "./user-folder.ts";
import { type History, linkTo } from "./history.ts";
import { choose, freePath, isBelow, joined, nameIn, parentIn } from "./choices.ts";
import type { LocalAct } from "./script.ts";
import { linksIn, marksOf, pathBetween, tagOf, withOtherEnds } from "./contents.ts";
import { areSimilar, makeLineProfile } from "../../../src/mirror/model/similar.ts";
import { isConflictCopyName } from "../../../src/contract/path.ts";

/**
 * Executes an action of a user with an editor or a file manager in the folder.
 * @param aimed path of the document; undefined: the seed chooses one
 */
export function actInFolder(
  userFolder: UserFolder,
  history: History,
  act: LocalAct,
  seed: number,
  aimed?: string,
): string {
  finishSave(userFolder, history);
  if (userFolder.hands) openOrClose(userFolder, seed);
  const person = { userFolder, history, seed };
  const documents = documentsOf(userFolder);
  const path = aimed === undefined ? choose([...documents.keys()], seed) : documents.has(aimed) ? aimed : null;
  const done = perform(person, act, path);
  history.weighPaths(userFolder.mirror, () => documentsOf(userFolder));
  return `here ${userFolder.mirror}: ${act} ${done ?? "nothing"}`;
}

function perform(person: ActingUser, act: LocalAct, path: string | null): string | null {
  const { userFolder, seed } = person;
  switch (act) {
    case "create":
      return createFile(person);
    case "make-folder": {
      const folder = `box-${seed % 4}`;
      if (userFolder.user.exists(absolutePath(userFolder, folder))) return null;
      userFolder.user.makeFolder(absolutePath(userFolder, folder));
      return folder;
    }
    case "remove-many":
      return removeMany(person);
    case "odd-file":
      return leaveOddFile(person);
    case "end-conflict":
      return endConflict(person);
    case "rename-folder":
    case "move-folder":
    case "remove-folder":
      return actOnFolder(person, act);
    case "rename":
    case "change-case":
    case "move":
    case "swap":
    case "swap-edited":
    case "remove":
      return path === null ? null : actOnPlace(person, act, path);
    case "link":
      return path === null ? null : addLocalLink(person, path);
    case "create-linked":
      return path === null ? null : createLinkedPair(person, path);
    default:
      return path === null ? null : save(person, act, path);
  }
}

/** Creates a document at a free path. Returns the path; null if none is free. */
function createFile({ userFolder, history, seed }: ActingUser): string | null {
  const isTaken = (path: string): boolean =>
    userFolder.user.exists(absolutePath(userFolder, path)) || !canHaveFile(userFolder, path);
  const path = freePath(seed, isTaken);
  if (isTaken(path)) return null;
  makeParent(userFolder, path);
  userFolder.user.write(absolutePath(userFolder, path), history.newText(seed));
  return path;
}

/** Writes a link to another document into this one, by its path like an editor. */
function addLocalLink(person: ActingUser, path: string): string | null {
  const { userFolder, seed } = person;
  const others = [...documentsOf(userFolder)].filter(([one, text]) => one !== path && tagOf(text) !== null);
  const to = choose(
    others.map(([one]) => one),
    seed + 1,
  );
  return to !== null && writeLink(person, path, to) ? `${path} to ${to}` : null;
}

/** Creates a document that links to an existing one, and adds a link back. */
function createLinkedPair(person: ActingUser, path: string): string | null {
  const created = createFile(person);
  if (created === null) return null;
  const written = [writeLink(person, created, path), writeLink(person, path, created)];
  return `${created} ${written.join(" ")} with ${path}`;
}

/**
 * Records that a user replaces the content of a file. A power cut may have emptied the file, or cut
 * it off, before mdmirror flushed it. The user then edits the remaining content, and mdmirror sends
 * this edit (I14). So the edit also removes the lines that the power cut removed. Without its tag,
 * the document cannot be recognized any more.
 */
function recordReplaced(userFolder: UserFolder, history: History, path: string, text: string, next: string): void {
  history.replaced(text, next);
  const inode = userFolder.user.inode(absolutePath(userFolder, path));
  const whole = inode === null ? undefined : userFolder.damaged.get(inode);
  if (whole === undefined || !whole.startsWith(text)) return;
  history.replaced(whole, next);
  if (tagOf(text) === null) history.vanishes(whole);
}

function writeLink({ userFolder, history, seed }: ActingUser, path: string, to: string): boolean {
  const { user } = userFolder;
  const [text, target] = [user.read(absolutePath(userFolder, path)), user.read(absolutePath(userFolder, to))];
  const tag = tagOf(target ?? "");
  if (text === null || tag === null || tagOf(text) === null) return false;
  const said = pathBetween(path, to);
  // In one file, equal destinations must mean one document. An earlier link may have this
  // destination for a document that was moved since.
  if (linksIn(text).some((link) => link.said === said && link.to !== tag)) return false;
  const by = `mirror ${userFolder.mirror}`;
  const linked = linkTo(history, text, { tag, said }, { seed, by });
  history.editedHere(userFolder.mirror, text);
  recordReplaced(userFolder, history, path, text, linked.text);
  if (seed % 3 === 0) user.saveAtomically(absolutePath(userFolder, path), linked.text);
  else user.write(absolutePath(userFolder, path), linked.text);
  history.links.writtenHere(linked.mark, userFolder.mirror, history.step);
  return true;
}

function actOnPlace(
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
  userFolder.renamed.delete(to);
  userFolder.renamed.set(path, to);
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
function removeMany({ userFolder, history, seed }: ActingUser): string {
  const documents = [...documentsOf(userFolder)].filter((_, n) => seed % 3 === 0 || n % 3 !== seed % 2);
  for (const [path, text] of documents) {
    history.vanishes(text);
    history.replaced(text, null);
    userFolder.user.remove(absolutePath(userFolder, path));
  }
  return String(documents.length);
}

function actOnFolder(
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
  recordReplaced(userFolder, history, path, text, next);
  userFolder.user.write(absolutePath(userFolder, path), next);
  return areSimilar(makeLineProfile(text), makeLineProfile(next));
}

export function finishSave(userFolder: UserFolder, history: History): void {
  const { half } = userFolder;
  if (half === null) return;
  userFolder.half = null;
  const before = readFile(userFolder, half.path);
  if (before === null) history.vanishes(half.text);
  // Another document came to the path while the editor was saving. The editor overwrites it, and by
  // path the file is that other document.
  else if (tagOf(before) !== tagOf(half.text)) for (const text of [before, half.text]) history.vanishes(text);
  history.editedHere(userFolder.mirror, half.text);
  makeParent(userFolder, half.path);
  history.replaced(before, half.text);
  history.links.savedStale(before, half.text);
  if (before === null || isFile(userFolder, half.path))
    userFolder.user.write(absolutePath(userFolder, half.path), half.text);
}

type SaveAct =
  | "write-in-place"
  | "save-by-rename"
  | "save-with-backup"
  | "delete-and-create"
  | "half-write"
  | "touch"
  | "rewrite"
  | "cut-short"
  | "redress";

/** Saves like different editors, system call by system call. */
function save({ userFolder, history, seed }: ActingUser, how: SaveAct, path: string): string | null {
  const { user } = userFolder;
  const whole = absolutePath(userFolder, path);
  const text = user.read(whole);
  if (text === null || isOdd(userFolder, path, text)) return null;
  if (how === "touch") {
    user.saveAtomically(whole, text);
    history.rewrittenHere(userFolder.mirror, text);
    return path;
  }
  const next = editedText(history, how, text, seed, `mirror ${userFolder.mirror}`);
  if (next === null) return null;
  history.editedHere(userFolder.mirror, text);
  recordReplaced(userFolder, history, path, text, next);
  if (how === "half-write") {
    userFolder.half = { path, text: next };
    user.write(whole, next.slice(0, Math.floor(next.length / 2)));
    return path;
  }
  if (IN_PLACE.has(how)) user.write(whole, next);
  else if (how === "save-by-rename") user.saveAtomically(whole, next);
  else if (how === "save-with-backup") {
    user.rename(whole, `${whole}~`);
    user.write(whole, next);
    user.remove(`${whole}~`);
  } else {
    user.remove(whole);
    user.write(whole, next);
  }
  return path;
}

const IN_PLACE: ReadonlySet<SaveAct> = new Set(["write-in-place", "rewrite", "cut-short", "redress"]);

/** Returns the new content; null if this way of saving changes nothing. */
function editedText(history: History, how: SaveAct, text: string, seed: number, by: string): string | null {
  if (how === "rewrite") return history.rewrite(text, by);
  if (how === "cut-short") return history.cutShort(text, seed);
  if (how !== "redress") return history.edit(text, seed, by);
  const next = withOtherEnds(text);
  history.texts.add(next);
  return next;
}

/**
 * Creates a file that cannot be synced, or whose name the service refuses. It must delay nothing
 * but itself (I17).
 */
function leaveOddFile({ userFolder, history, seed }: ActingUser): string | null {
  const odd: readonly (readonly [string, string | Uint8Array])[] = [
    ["My notes.md", history.newText(seed)],
    ["bytes.md", new Uint8Array([0x74, 0xff, 0xfe, 0x0a])],
    ["nul.md", "a\0b\n"],
    ["large.md", `${"0123456789 abcdef\n".repeat(2_900)}`],
    ["empty.md", ""],
    ["notes.txt", "not Markdown\n"],
    [".hidden.md", history.newText(seed)],
  ];
  const [name, content] = odd[seed % odd.length]!;
  if (userFolder.user.exists(absolutePath(userFolder, name))) return null;
  userFolder.user.write(absolutePath(userFolder, name), content);
  return name;
}

function isOdd(userFolder: UserFolder, path: string, text: string): boolean {
  return text.includes("\0") || text.length > 40_000 || text.includes("\uFFFD") || !isFile(userFolder, path);
}

/**
 * Resolves a conflict: removes the copy (mine), moves it over the document (theirs), or edits the
 * copy.
 */
function endConflict({ userFolder, history, seed }: ActingUser): string | null {
  const { user } = userFolder;
  const conflictCopy = choose(
    [...user.texts(userFolder.root).keys()].filter((path) => isConflictCopyName(path.split("/").at(-1)!)),
    seed,
  );
  if (conflictCopy === null) return null;
  const note = conflictCopy.replace(/ \((?:theirs|mine)(?: \d+)?\)\.md$/, ".md");
  const [theirs, mine] = [user.read(absolutePath(userFolder, conflictCopy))!, readFile(userFolder, note)];
  if (seed % 3 === 0 || mine === null) {
    // The conflict continues after a rename of its document, so the user keeps the renamed file.
    const kept = mine ?? readRenamedFile(userFolder, note);
    history.replaced(theirs, kept);
    if (kept !== null) history.keptHere(userFolder.mirror, kept, theirs);
    user.remove(absolutePath(userFolder, conflictCopy));
    return `${conflictCopy} removed`;
  }
  if (seed % 3 === 1) {
    history.replaced(mine, theirs);
    // With the copy's content, the document may be edited and moved at the same time. A file that
    // came to the path after the mirror's scan is not the conflict's document, which is elsewhere
    // and keeps its incoming links.
    history.takenHere(userFolder.mirror, mine, theirs);
    user.rename(absolutePath(userFolder, conflictCopy), absolutePath(userFolder, note));
    return `${conflictCopy} → ${note}`;
  }
  const next = history.edit(theirs, seed, `the conflict copy at mirror ${userFolder.mirror}`);
  history.replaced(theirs, next);
  // LIMIT: a line in a conflict copy counts as live only once a user takes the copy; until then
  // only I03 protects it.
  for (const mark of marksOf(next)) if (!marksOf(theirs).has(mark)) history.marks.delete(mark);
  user.write(absolutePath(userFolder, conflictCopy), next);
  return `${conflictCopy} edited`;
}
