import { posix } from "node:path";
import { type Mirror, ROOT } from "../../simulator/mirror.ts";
import type { Dice } from "../../simulator/dice.ts";
import type { Rig } from "../../simulator/rig.ts";

/** What people do to documents that link each other, here and there. */

/** What an act may use of the life that it is one of. */
type LinkedLife = {
  readonly rig: Rig;
  readonly dice: Dice;
  readonly deleted: Set<string>;
  documents(mirror: Mirror): string[];
  newName(): string;
  newTitle(): number;
};

export const FOLDERS = ["", "a", "b", "a/deep", "c"];

export function titleOf(text: string): string {
  return /^# (T\d+)/.exec(text)?.[1] ?? "";
}

export function relative(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to);
}

/** Does it, and says what it did. */
type Act = (life: LinkedLife, mirror: Mirror) => string;

function insert(text: string, mark: string, line: string): string {
  return text.replace(`\n${mark}:\n`, `\n${mark}:\n\n${line}\n`);
}

function move(mirror: Mirror, from: string, to: string): string {
  if (from === to || mirror.disk.user.exists(mirror.path(to))) return "nothing";
  mirror.disk.user.makeFolder(posix.dirname(mirror.path(to)));
  mirror.disk.user.rename(mirror.path(from), mirror.path(to));
  mirror.disk.advance(10);
  return `${from} → ${to}`;
}

function moveHere(life: LinkedLife, mirror: Mirror): string {
  const from = life.dice.pick(life.documents(mirror));
  return move(mirror, from, posix.join(life.dice.pick(FOLDERS), life.newName()));
}

function moveFolderHere(life: LinkedLife, mirror: Mirror): string {
  const folder = life.dice.pick(["a", "b", "a/deep", "c"]);
  return move(mirror, folder, life.dice.pick(["x", "y", "b/x", "a", "b"]));
}

function swapHere(life: LinkedLife, mirror: Mirror): string {
  const [a, b] = [life.dice.pick(life.documents(mirror)), life.dice.pick(life.documents(mirror))];
  if (a === b) return "nothing";
  mirror.disk.user.rename(mirror.path(a), `${ROOT}/swap.tmp`);
  mirror.disk.user.rename(mirror.path(b), mirror.path(a));
  mirror.disk.user.rename(`${ROOT}/swap.tmp`, mirror.path(b));
  mirror.disk.advance(10);
  return `${a} ⇄ ${b}`;
}

/**
 * Whether a text links to another document by this destination, which was moved since and not
 * synced: one destination cannot stand for two.
 */
function saysForAnother(text: string, destination: string, title: string): boolean {
  return [...text.matchAll(/\[(T\d+)\]\(([^)#]*)/g)].some(([, says, to]) => to === destination && says !== title);
}

function editHere(life: LinkedLife, mirror: Mirror): string {
  const path = life.dice.pick(life.documents(mirror));
  const to = life.dice.pick(life.documents(mirror));
  const texts = mirror.texts();
  const [text, title] = [texts.get(path)!, titleOf(texts.get(to)!)];
  if (saysForAnother(text, relative(path, to), title)) return "nothing";
  const line = `- [${title}](${relative(path, to)}#h${life.dice.below(9)})`;
  const edited = insert(text, "here", line);
  if (life.dice.below(2) === 0) mirror.disk.user.saveAtomically(mirror.path(path), edited);
  else mirror.disk.user.write(mirror.path(path), edited);
  mirror.disk.advance(10);
  return `${path} links ${to}`;
}

function createHere(life: LinkedLife, mirror: Mirror): string {
  const path = posix.join(life.dice.pick(FOLDERS), life.newName());
  if (mirror.disk.user.exists(mirror.path(path))) return "nothing";
  const to = life.dice.pick(life.documents(mirror));
  const title = titleOf(mirror.texts().get(to)!);
  mirror.write(path, `# T${life.newTitle()}\n\n[${title}](${relative(path, to)})\n\nhere:\n\nx\n\nthere:\n\ny\n`);
  return `${path} links ${to}`;
}

function removeHere(life: LinkedLife, mirror: Mirror): string {
  const documents = life.documents(mirror);
  if (documents.length < 6) return "nothing";
  const path = life.dice.pick(documents);
  life.deleted.add(titleOf(mirror.texts().get(path)!));
  mirror.disk.user.remove(mirror.path(path));
  mirror.disk.advance(10);
  return path;
}

function moveThere({ rig, dice }: LinkedLife): string {
  const path = dice.pick([...rig.app.files().keys()]);
  const folder = dice.pick(rig.app.folders());
  rig.app.move(path, folder);
  return `${path} → ${folder}`;
}

function renameThere(life: LinkedLife): string {
  const path = life.dice.pick([...life.rig.app.files().keys()]);
  const name = life.newName();
  life.rig.app.rename(path, name);
  return `${path} → ${name}`;
}

function renameFolderThere({ rig, dice }: LinkedLife): string {
  const path = dice.pick(rig.app.folders());
  const name = dice.pick(["p", "q", "r", "a", "b"]);
  rig.app.renameFolder(path, name);
  return `${path} → ${name}`;
}

function editThere({ rig, dice }: LinkedLife): string {
  const files = [...rig.app.files().values()];
  const [file, to] = [dice.pick(files), dice.pick(files)];
  rig.app.edit(file.path, insert(file.text, "there", `- [${titleOf(to.text)}](${to.id})`));
  return `${file.path} links ${to.path}`;
}

function createThere(life: LinkedLife): string {
  const { rig, dice } = life;
  const to = dice.pick([...rig.app.files().values()]);
  const path = posix.join(dice.pick(FOLDERS), life.newName());
  rig.app.create(path, `# T${life.newTitle()}\n\n[${titleOf(to.text)}](${to.id})\n\nhere:\n\nx\n\nthere:\n\ny\n`);
  return `${path} links ${to.path}`;
}

function removeThere({ rig, dice, deleted }: LinkedLife): string {
  const files = rig.app.files();
  if (files.size < 6) return "nothing";
  const path = dice.pick([...files.keys()]);
  deleted.add(titleOf(files.get(path)!.text));
  rig.app.remove(path);
  return path;
}

export const ACTS: readonly Act[] = [
  moveHere,
  moveHere,
  moveFolderHere,
  swapHere,
  editHere,
  editHere,
  createHere,
  removeHere,
  moveThere,
  renameThere,
  renameFolderThere,
  editThere,
  editThere,
  createThere,
  removeThere,
];

/** After which a link stands on disk that no sync has seen. */
export const SAYS_A_LINK: ReadonlySet<Act> = new Set([editHere, createHere]);
