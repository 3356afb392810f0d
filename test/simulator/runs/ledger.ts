import { documentsOf, isDocumentPath, isSwap } from "./user-folder.ts";
import { nameOf } from "../../../src/contract/path.ts";
import { isLeftoverName } from "../../../src/mirror/local/ignore.ts";
import { TEMP_PREFIX } from "../../../src/mirror/local/names.ts";
import type { History } from "./history.ts";
import { marksOf, storeHas, withoutDestinations } from "./contents.ts";
import type { SimulatedWorld } from "./world.ts";
import { ROOT } from "../mirror.ts";
import type { SimulatedMirror } from "./mirror.ts";

/** Returns true if content is in any place that counts for I03. */

function isKept(mirrors: readonly SimulatedMirror[], simulatedWorld: SimulatedWorld, text: string): boolean {
  const essence = withoutDestinations(text);
  for (const { state, disk } of mirrors) {
    if (storeHas(state, text)) return true;
    for (const there of disk.user.texts(ROOT, true).values()) if (withoutDestinations(there) === essence) return true;
  }
  return simulatedWorld.files().some((file) => withoutDestinations(file.text) === essence);
}

const TMP = ".mdmirror/tmp/";

/**
 * Returns true for files that mdmirror has set aside, for a replacement or in a move. Returns false
 * for the temporary file that it is about to link.
 */
function isSetAside(path: string): boolean {
  return path.startsWith(TMP) && !path.startsWith(`${TMP}${TEMP_PREFIX}`);
}

/** Contents of one folder. While a mirror syncs, only the folder's user may remove them. */
export class Ledger {
  readonly #mirror: SimulatedMirror;
  readonly #must = new Map<string, string>();
  readonly #late = new Set<string>();
  /**
   * Inodes whose last name a user's action removed during this sync; a new file may get the number.
   */
  readonly #removed = new Set<number>();

  constructor(mirror: SimulatedMirror) {
    this.#mirror = mirror;
    for (const [path, text] of this.#live()) this.#must.set(text, path);
  }

  /** Returns the files of the folder without swap files of editors. */
  #live(): Map<string, string> {
    return new Map([...this.#mirror.disk.user.texts(ROOT)].filter(([path]) => !isSwap(path)));
  }

  /** Returns the files of the folder and the set-aside files, which an editor may have open. */
  #all(): Map<string, string> {
    const all = this.#mirror.disk.user.texts(ROOT, true);
    return new Map([...all].filter(([path]) => !isSwap(path) && (!path.startsWith(".mdmirror/") || isSetAside(path))));
  }

  /**
   * Executes a user's action on the disk. Content that it removes was removed on purpose; new
   * content must be kept.
   */
  intervened<T>(act: () => T): T {
    const { user } = this.#mirror.disk;
    const before = this.#all();
    const filesOf = (texts: ReadonlyMap<string, string>): Set<number | null> =>
      new Set(Array.from(texts.keys(), (path) => user.inode(`${ROOT}/${path}`)));
    const files = filesOf(before);
    const done = act();
    const after = this.#all();
    const filesLeft = filesOf(after);
    for (const file of files) if (file !== null && !filesLeft.has(file)) this.#removed.add(file);
    const [texts, left] = [new Set(before.values()), new Set(after.values())];
    for (const text of texts) if (!left.has(text)) this.#must.delete(text);
    for (const [path, text] of after) {
      if (!texts.has(text)) this.#must.set(text, path);
      // The same content in a new file counts as new.
      else if (files.has(user.inode(`${ROOT}/${path}`))) continue;
      this.#late.add(text);
    }
    return done;
  }

  /**
   * Called when a user opens a file.
   * @returns a function that is true once a user has removed the file; content written into it then
   * need not be kept
   */
  watchRemoval(file: number | null): () => boolean {
    if (file !== null) this.#removed.delete(file);
    return () => file !== null && this.#removed.has(file);
  }

  /**
   * Called after a power cut, which may take content that a user wrote during this sync without
   * fsync, and the content that it replaced. The cut may also take only the rename at the end of an
   * editor's save. The new content then has a temporary name of the editor, which is never synced,
   * so no document can be made of it. It must still be kept, if only in the trash, where ignored
   * files go with their folder (I03).
   */
  lostPower(history: History): void {
    const live = this.#live();
    const left = new Set(this.#all().values());
    const unsaved = new Set(live.values());
    for (const [path, text] of live) if (!isLeftoverName(nameOf(path))) unsaved.delete(text);
    for (const text of this.#late) {
      const path = this.#must.get(text) ?? "";
      const isUnsaved = unsaved.has(text) && isDocumentPath(path);
      if (left.has(text) && !isUnsaved) continue;
      history.replaced(text, live.get(path) ?? null);
      history.vanishes(text);
      if (!isUnsaved) this.#must.delete(text);
    }
    const { userFolder } = this.#mirror;
    if (userFolder.half !== null) history.replaced(userFolder.half.text, live.get(userFolder.half.path) ?? null);
    userFolder.half = null;
  }

  /**
   * @param shown contents that the service returned in this sync; a kill may have come before they
   * were stored
   * @param whole true if the sync came to its end
   */
  judge(
    mirrors: readonly SimulatedMirror[],
    simulatedWorld: SimulatedWorld,
    history: History,
    shown: ReadonlySet<string>,
    whole: boolean,
  ): void {
    const live = new Set(Array.from(this.#live().values(), withoutDestinations));
    for (const [text, path] of this.#must) {
      if (live.has(withoutDestinations(text)) || isKept(mirrors, simulatedWorld, text)) continue;
      history.fail(`I03 the text of ${path} in mirror ${this.#mirror.index} is nowhere: ${shownText(text)}`);
    }
    if (!whole) return;
    for (const text of shown) {
      if (live.has(withoutDestinations(text)) || isKept(mirrors, simulatedWorld, text)) continue;
      // Content with NUL or over the limit is never on the service; its own user removed this file.
      if (text.includes("\0") || text.length > 51_200) continue;
      history.fail(`I03 a text that mirror ${this.#mirror.index} was shown is nowhere: ${shownText(text)}`);
    }
  }
}

/**
 * Checks that every line that a user wrote and no user removed is live: on the service or in a
 * folder, also in a conflict copy. I06 I14 I28 I31
 */
export function checkMarks(
  mirrors: readonly SimulatedMirror[],
  simulatedWorld: SimulatedWorld,
  history: History,
): void {
  // A user accepted that a restored service has older contents. Later lines may be in the content
  // store only.
  if (simulatedWorld.restored > 0) return;
  const live = new Set<string>();
  for (const { disk } of mirrors)
    for (const text of disk.user.texts(ROOT).values()) for (const mark of marksOf(text)) live.add(mark);
  // A power cut may take the journal's row of a set-aside file. Its purpose is then unknown, so the
  // file goes to the trash (I03).
  for (const { disk } of mirrors)
    for (const text of disk.user.texts(`${ROOT}/.mdmirror/trash/unclaimed`, true).values())
      for (const mark of marksOf(text)) live.add(mark);
  for (const file of simulatedWorld.files()) for (const mark of marksOf(file.text)) live.add(mark);
  for (const [mark, { tag, by }] of history.marks) {
    if (live.has(mark)) continue;
    history.fail(`I06/I14/I28 mark ${mark} of document ${tag}, by ${by}, is live nowhere`);
    history.marks.delete(mark);
  }
}

export function treeOf(mirror: SimulatedMirror): Map<string, string> {
  return documentsOf(mirror.userFolder);
}

export function shownText(text: string): string {
  return JSON.stringify(text.length > 160 ? `${text.slice(0, 60)} … marks ${[...marksOf(text)].join(" ")}` : text);
}
