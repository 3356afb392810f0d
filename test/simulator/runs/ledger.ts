import { isSwap } from "./editors.ts";
import { nameOf } from "../../../src/contract/path.ts";
import { isLeftoverName } from "../../../src/mirror/local/ignore.ts";
import { TEMP_PREFIX } from "../../../src/mirror/local/names.ts";
import type { History } from "./history.ts";
import { marksOf } from "./text-marks.ts";
import type { SimulatedWorld } from "./world.ts";
import { documentsOf, isDocumentPath } from "./user-folder.ts";
import { essenceOf } from "./linked-texts.ts";
import { storeHas } from "./stored-texts.ts";
import { ROOT } from "../mirror.ts";
import type { SimulatedMirror } from "./mirror.ts";

/** Every place that may keep content (I03), and the content that must be kept in one of them. */

function isKept(mirrors: readonly SimulatedMirror[], simulatedWorld: SimulatedWorld, text: string): boolean {
  const essence = essenceOf(text);
  for (const { state, disk } of mirrors) {
    if (storeHas(state, text)) return true;
    for (const there of disk.user.texts(ROOT, true).values()) if (essenceOf(there) === essence) return true;
  }
  return simulatedWorld.files().some((file) => essenceOf(file.text) === essence);
}

const TMP = ".mdmirror/tmp/";

/**
 * Returns true for files that the mirror has set aside, for a replacement or in a move; not for the
 * file that it is about to write.
 */
function isAside(path: string): boolean {
  return path.startsWith(TMP) && !path.startsWith(`${TMP}${TEMP_PREFIX}`);
}

/** Contents of one folder that only its user may remove while a mirror works on it. */
export class Ledger {
  readonly #mirror: SimulatedMirror;
  readonly #must = new Map<string, string>();
  readonly #late = new Set<string>();
  /** Files whose last name an act of this run removed; a new file may get the inode number. */
  readonly #removed = new Set<number>();

  constructor(mirror: SimulatedMirror) {
    this.#mirror = mirror;
    for (const [path, text] of this.#live()) this.#must.set(text, path);
  }

  /** Without editors' locks, which are no content. */
  #live(): Map<string, string> {
    return new Map([...this.#mirror.disk.user.texts(ROOT)].filter(([path]) => !isSwap(path)));
  }

  /** With files that the mirror has set aside: an editor may have such a file open. */
  #all(): Map<string, string> {
    const all = this.#mirror.disk.user.texts(ROOT, true);
    return new Map([...all].filter(([path]) => !isSwap(path) && (!path.startsWith(".mdmirror/") || isAside(path))));
  }

  /**
   * A user acts on the disk: content that the act removes was removed on purpose, and new content
   * must stay.
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
      // The same content in a new file is as unsynced as other content.
      else if (files.has(user.inode(`${ROOT}/${path}`))) continue;
      this.#late.add(text);
    }
    return done;
  }

  /**
   * A user opens that file.
   * @returns a function: true if a user removed the file since; content written into it then need
   * not be kept
   */
  watchRemoval(file: number | null): () => boolean {
    if (file !== null) this.#removed.delete(file);
    return () => file !== null && this.#removed.has(file);
  }

  /**
   * Called after a power cut. Content that a user wrote during this run without an fsync may be
   * torn or gone, together with the content that it replaced. Or the cut took only the rename that
   * ended an editor's save: then the document has its old content, and the new content has the
   * editor's own name beside it, which is never synced. No mirror can make a document of that file.
   * Its content must still be kept, if only in the trash, where ignored leftovers go with their
   * folder (I03).
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
   * @param shown contents that the service showed in this run; a kill may have come before they
   * could be stored
   * @param whole true if the run came to its end
   */
  judge(
    mirrors: readonly SimulatedMirror[],
    simulatedWorld: SimulatedWorld,
    history: History,
    shown: ReadonlySet<string>,
    whole: boolean,
  ): void {
    const live = new Set(Array.from(this.#live().values(), essenceOf));
    for (const [text, path] of this.#must) {
      if (live.has(essenceOf(text)) || isKept(mirrors, simulatedWorld, text)) continue;
      history.fail(`I03 the text of ${path} in mirror ${this.#mirror.index} is nowhere: ${shownText(text)}`);
    }
    if (!whole) return;
    for (const text of shown) {
      if (live.has(essenceOf(text)) || isKept(mirrors, simulatedWorld, text)) continue;
      // Content with NUL or beyond the limit is never on the service; its user removed the file.
      if (text.includes("\0") || text.length > 51_200) continue;
      history.fail(`I03 a text that mirror ${this.#mirror.index} was shown is nowhere: ${shownText(text)}`);
    }
  }
}

/**
 * Checks that every line that a user wrote and no user removed is live: on the service, or in a
 * folder (including a conflict's other content). I06 I14 I28 I31
 */
export function checkMarks(
  mirrors: readonly SimulatedMirror[],
  simulatedWorld: SimulatedWorld,
  history: History,
): void {
  // A restored service has older contents, and a user accepted that: lines written since may only
  // be in the content store.
  if (simulatedWorld.restored > 0) return;
  const live = new Set<string>();
  for (const { disk } of mirrors)
    for (const text of disk.user.texts(ROOT).values()) for (const mark of marksOf(text)) live.add(mark);
  // A power cut may take the journal row of a set-aside file: the file is then put into the trash,
  // because its purpose is unknown (I03).
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
