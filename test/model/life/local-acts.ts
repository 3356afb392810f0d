import { isSidecarName } from "../../../src/core/path.ts";
import type { RamUser } from "../ram-user.ts";
import { type History, marksOf } from "./history.ts";
import { choose } from "./house.ts";
import { freePath, isBelow, joined, nameIn, parentIn } from "./names.ts";
import type { LocalAct } from "./script.ts";

/** One person's folder: paths are relative to it. A save that is half done is finished before the next act. */
export type Desk = {
  readonly mirror: number;
  readonly root: string;
  readonly user: RamUser;
  half: { readonly path: string; readonly text: string } | null;
  /** What was removed last at a path, and may be taken back. */
  readonly removed: Map<string, string>;
};

type Person = { readonly desk: Desk; readonly history: History; readonly seed: number };

/** What is never mirrored, and must never be read or touched (I26). */
export const PRIVATE_FOLDER = "private";
export const LINKED_FOLDER = "linked";
export const CANARY = "canary: nobody but its owner may read this";

export function documentsOf(desk: Pick<Desk, "user" | "root">): Map<string, string> {
  return new Map([...desk.user.texts(desk.root)].filter(([path]) => isDocumentPath(path)));
}

export function isDocumentPath(path: string): boolean {
  const names = path.split("/");
  const name = names.at(-1)!;
  return (
    name.endsWith(".md") &&
    !isSidecarName(name) &&
    !/^(?:\.#|\._|\.~)|~$/.test(name) &&
    !names.slice(0, -1).some((folder) => folder.startsWith(".")) &&
    names[0] !== PRIVATE_FOLDER
  );
}

/**
 * A person with editors and a file manager at the folder.
 * @param aimed the document; without it, one that the seed chooses
 */
export function actHere(desk: Desk, history: History, act: LocalAct, seed: number, aimed?: string): string {
  finishSave(desk, history);
  const person = { desk, history, seed };
  const documents = documentsOf(desk);
  const path = aimed === undefined ? choose([...documents.keys()], seed) : documents.has(aimed) ? aimed : null;
  const done = perform(person, act, path);
  history.weighPaths(desk.mirror, () => documentsOf(desk));
  return `here ${desk.mirror}: ${act} ${done ?? "nothing"}`;
}

export function finishSave(desk: Desk, history: History): void {
  const { half } = desk;
  if (half === null) return;
  desk.half = null;
  const before = read(desk, half.path);
  if (before === null) history.vanishes(half.text);
  history.editedHere(desk.mirror, half.text);
  makeParent(desk, half.path);
  history.replaced(before, half.text);
  if (before === null || isFile(desk, half.path)) desk.user.write(at(desk, half.path), half.text);
}

function perform(person: Person, act: LocalAct, path: string | null): string | null {
  const { desk, history, seed } = person;
  switch (act) {
    case "create": {
      const free = freePath(seed, (one) => desk.user.exists(at(desk, one)) || !canStand(desk, one));
      if (desk.user.exists(at(desk, free)) || !canStand(desk, free)) return null;
      makeParent(desk, free);
      desk.user.write(at(desk, free), history.newText(seed));
      return free;
    }
    case "make-folder": {
      const folder = `box-${seed % 4}`;
      if (desk.user.exists(at(desk, folder))) return null;
      desk.user.makeFolder(at(desk, folder));
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
    case "remove":
      return path === null ? null : actOnPlace(person, act, path);
    default:
      return path === null ? null : save(person, act, path);
  }
}

/** Editors' ways to save, system call by system call. */
function save(
  { desk, history, seed }: Person,
  how: "write-in-place" | "save-by-rename" | "save-with-backup" | "delete-and-create" | "half-write" | "touch",
  path: string,
): string | null {
  const { user } = desk;
  const whole = at(desk, path);
  const text = user.read(whole);
  if (text === null || isOdd(desk, path, text)) return null;
  if (how === "touch") {
    user.saveAtomically(whole, text);
    history.rewrittenHere(desk.mirror, text);
    return path;
  }
  const next = history.edit(text, seed, `mirror ${desk.mirror}`);
  history.editedHere(desk.mirror, text);
  if (how === "half-write") {
    history.replaced(text, next);
    desk.half = { path, text: next };
    user.write(whole, next.slice(0, Math.floor(next.length / 2)));
    return path;
  }
  history.replaced(text, next);
  if (how === "write-in-place") user.write(whole, next);
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

function actOnPlace(
  { desk, history, seed }: Person,
  act: "rename" | "change-case" | "move" | "swap" | "remove",
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
  if (act === "swap") {
    const mate = choose(
      [...documentsOf(desk).keys()].filter((one) => one !== path),
      seed + 1,
    );
    if (mate === null) return null;
    history.renamedHere(desk.mirror, text);
    history.renamedHere(desk.mirror, user.read(at(desk, mate))!);
    user.rename(at(desk, path), at(desk, `${path}.swap~`));
    user.rename(at(desk, mate), at(desk, path));
    user.rename(at(desk, `${path}.swap~`), at(desk, mate));
    return `${path} ↔ ${mate}`;
  }
  const changed = name[0] === name[0]!.toUpperCase() ? name.toLowerCase() : name[0]!.toUpperCase() + name.slice(1);
  const to =
    act === "rename"
      ? joined(folder, nameIn(seed))
      : act === "change-case"
        ? joined(folder, changed)
        : joined(choose([...foldersOf(desk), ""], seed)!, name);
  const free = !user.exists(at(desk, to)) || (act === "change-case" && to !== path);
  if (!free || to === path) return null;
  if (act === "change-case" && user.exists(at(desk, to)) && user.read(at(desk, to)) !== text) return null;
  history.renamedHere(desk.mirror, text);
  user.rename(at(desk, path), at(desk, to));
  return `${path} → ${to}`;
}

/** All of them, or two of three. */
function removeMany({ desk, history, seed }: Person): string {
  const documents = [...documentsOf(desk)].filter((_, n) => seed % 3 === 0 || n % 3 !== seed % 2);
  for (const [path, text] of documents) {
    history.vanishes(text);
    history.replaced(text, null);
    desk.user.remove(at(desk, path));
  }
  return String(documents.length);
}

function actOnFolder(
  { desk, history, seed }: Person,
  act: "rename-folder" | "move-folder" | "remove-folder",
): string | null {
  const { user } = desk;
  const folders = foldersOf(desk);
  // The folder that a mirror is of stays where it is: its move is another mirror's story.
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
  user.rename(at(desk, folder), at(desk, to));
  return `${folder}/ → ${to}/`;
}

/** What cannot be mirrored as it is, or has a name that the service refuses: it may delay nothing but itself (I17). */
function leaveOddFile({ desk, history, seed }: Person): string | null {
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
  if (desk.user.exists(at(desk, name))) return null;
  desk.user.write(at(desk, name), content);
  return name;
}

function isOdd(desk: Desk, path: string, text: string): boolean {
  return text.includes("\0") || text.length > 40_000 || text.includes("\uFFFD") || !isFile(desk, path);
}

/** Mine: the sidecar goes. Theirs: it is moved over the document. Or it is written into. */
function endConflict({ desk, history, seed }: Person): string | null {
  const { user } = desk;
  const sidecar = choose(
    [...user.texts(desk.root).keys()].filter((path) => isSidecarName(path.split("/").at(-1)!)),
    seed,
  );
  if (sidecar === null) return null;
  const note = sidecar.replace(/ \(theirs(?: \d+)?\)\.md$/, ".md");
  const [theirs, mine] = [user.read(at(desk, sidecar))!, read(desk, note)];
  if (seed % 3 === 0 || mine === null) {
    history.replaced(theirs, mine);
    user.remove(at(desk, sidecar));
    return `${sidecar} removed`;
  }
  if (seed % 3 === 1) {
    history.replaced(mine, theirs);
    // With their text it may be edited and moved at once.
    history.vanishes(mine);
    user.rename(at(desk, sidecar), at(desk, note));
    return `${sidecar} → ${note}`;
  }
  const next = history.edit(theirs, seed, `the sidecar at mirror ${desk.mirror}`);
  // LIMIT: a line in a sidecar is live only once the sidecar is taken over; I03 alone holds it.
  for (const mark of marksOf(next)) if (!marksOf(theirs).has(mark)) history.marks.delete(mark);
  user.write(at(desk, sidecar), next);
  return `${sidecar} edited`;
}

export function foldersOf(desk: Pick<Desk, "user" | "root">): string[] {
  return desk.user
    .folders(desk.root)
    .filter((path) => !path.split("/").some((name) => name.startsWith(".") || name === PRIVATE_FOLDER));
}

function at(desk: Desk, path: string): string {
  return `${desk.root}/${path}`;
}

function read(desk: Desk, path: string): string | null {
  return canStand(desk, path) ? desk.user.read(at(desk, path)) : null;
}

function isFile(desk: Desk, path: string): boolean {
  return desk.user.read(at(desk, path)) !== null;
}

/** Whether every part above is a folder, or free. */
function canStand(desk: Desk, path: string): boolean {
  const names = path.split("/").slice(0, -1);
  return names.every((_, index) => {
    const above = at(desk, names.slice(0, index + 1).join("/"));
    return !desk.user.exists(above) || desk.user.read(above) === null;
  });
}

function makeParent(desk: Desk, path: string): void {
  const parent = parentIn(path);
  if (parent !== "") desk.user.makeFolder(at(desk, parent));
}
