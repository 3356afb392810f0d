import { isConflictCopyName } from "../../../src/contract/path.ts";
import { absolutePath, type UserFolder, isFile, makeParent, type ActingUser, readFile } from "./user-folder.ts";
import type { History } from "./history.ts";
import { marksOf, tagOf, withOtherEnds } from "./text-marks.ts";
import { choose } from "./choose.ts";

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

export type SaveAct =
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
export function save({ userFolder, history, seed }: ActingUser, how: SaveAct, path: string): string | null {
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
  if (how === "half-write") {
    history.replaced(text, next);
    userFolder.half = { path, text: next };
    user.write(whole, next.slice(0, Math.floor(next.length / 2)));
    return path;
  }
  history.replaced(text, next);
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
export function leaveOddFile({ userFolder, history, seed }: ActingUser): string | null {
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
export function endConflict({ userFolder, history, seed }: ActingUser): string | null {
  const { user } = userFolder;
  const conflictCopy = choose(
    [...user.texts(userFolder.root).keys()].filter((path) => isConflictCopyName(path.split("/").at(-1)!)),
    seed,
  );
  if (conflictCopy === null) return null;
  const note = conflictCopy.replace(/ \((?:theirs|mine)(?: \d+)?\)\.md$/, ".md");
  const [theirs, mine] = [user.read(absolutePath(userFolder, conflictCopy))!, readFile(userFolder, note)];
  if (seed % 3 === 0 || mine === null) {
    history.replaced(theirs, mine);
    if (mine !== null) history.keptHere(userFolder.mirror, mine, theirs);
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
