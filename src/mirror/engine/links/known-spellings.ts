import type { Digest } from "../../../contract/digest.ts";
import { type LocalPath, parentOf } from "../../../contract/path.ts";
import type { Spelling } from "../../../contract/spelling.ts";
import type { LocalFile } from "../../model/tree.ts";
import type { Spellings } from "../../ports/spellings.ts";
import type { State } from "../../ports/state.ts";
import type { PlacesByTime } from "./places.ts";

/** Keeps spellings: which content (with links by id) the bytes of each local file represent. */
export class KnownSpellings {
  readonly #stored: Spellings;
  readonly #state: Pick<State, "transact" | "transactSafely">;
  readonly #keeps: boolean;
  #dry = false;

  constructor(state: Pick<State, "spellings" | "transact" | "transactSafely">, mayStore: boolean) {
    this.#stored = state.spellings;
    this.#state = state;
    this.#keeps = mayStore;
  }

  /** @param dry true if nothing may be stored until the next call */
  begin(dry: boolean): void {
    this.#dry = dry;
  }

  /**
   * Returns true if spellings are stored: not in a dry run, and only if the state may be written.
   */
  isKept(): boolean {
    return this.#keeps && !this.#dry;
  }

  get(path: LocalPath, bytes: Digest): Spelling | null {
    return this.#stored.find(path, bytes);
  }

  /**
   * Returns the spelling of bytes at a path, and stores it for that path. The state may have the
   * spelling at this path, at the former path of a moved document, or at another path in the same
   * folder. From all paths in a folder, relative links lead to the same targets.
   */
  found(path: LocalPath, bytes: Digest, where: PlacesByTime): Spelling | null {
    const foundEntry = this.#find(path, bytes, where);
    if (foundEntry === null) return null;
    if (foundEntry.path === path) return this.asNewest(foundEntry);
    this.put({ ...foundEntry, path, id: where.now.docAt(path) });
    return foundEntry;
  }

  #find(path: LocalPath, bytes: Digest, { now, before }: PlacesByTime): Spelling | null {
    const atPath = this.get(path, bytes);
    const id = now.idAt(path);
    const formerPath = id === null ? null : before.pathOf(id);
    if (atPath !== null && (formerPath === null || formerPath === path || atPath.id === id)) return atPath;
    const otherEntries = this.#stored.withBytes(bytes);
    return (
      otherEntries.find((other) => id !== null && other.id === id) ??
      otherEntries.find((other) => other.path === formerPath) ??
      atPath ??
      findInFolder(otherEntries, parentOf(path))
    );
  }

  /**
   * Stores the spellings of files for their current paths. Finds all spellings before it stores the
   * first one, because equal files may have swapped paths.
   */
  follow(files: readonly LocalFile[], where: PlacesByTime): void {
    const movedEntries = files.flatMap(({ path, digest, bytes = digest }) => {
      const foundEntry = this.#find(path, bytes, where);
      return foundEntry === null || foundEntry.path === path
        ? []
        : [{ ...foundEntry, path, id: where.now.docAt(path) }];
    });
    if (movedEntries.length === 0 || !this.isKept()) return;
    this.#state.transact(() => {
      for (const spelling of movedEntries) this.put(spelling);
    });
  }

  ofContent(path: LocalPath, digest: Digest): Spelling | null {
    return this.#stored.ofContent(path, digest);
  }

  /** Returns true if no local file has links. */
  isEmpty(): boolean {
    return this.#stored.isEmpty();
  }

  /**
   * @param safely true to flush the spelling before bytes are written that represent other content
   * than the file's earlier bytes. Otherwise a power cut could keep the bytes but lose their
   * spelling. If the link targets also moved, mdmirror could then not find out which content the
   * bytes represent
   */
  put(spelling: Spelling, safely = false): void {
    if (!this.isKept()) return;
    if (safely) this.#state.transactSafely(() => this.#stored.put(spelling));
    else this.#stored.put(spelling);
  }

  /** Makes a spelling the newest again, after an edit or an effect was undone. */
  asNewest(spelling: Spelling): Spelling {
    if (this.#stored.atPath(spelling.path)[0]?.bytes !== spelling.bytes) this.put(spelling);
    return spelling;
  }

  /**
   * Records that a file was not written. The file still has its old bytes, so the spelling of these
   * bytes becomes the newest again.
   */
  recordUnwritten(path: LocalPath, bytes: Digest): void {
    const spelling = this.get(path, bytes);
    if (spelling !== null) this.asNewest(spelling);
  }

  /** Stores the spelling of a file also for the path to which the file is about to be set aside. */
  recordSettingAside(path: LocalPath, bytes: Digest, setAsideAt: string): void {
    const spelling = this.get(path, bytes);
    if (spelling !== null) this.put({ ...spelling, path: setAsideAt });
  }

  /**
   * Stores the spelling of a set-aside file for its original path again, because the file is back,
   * will be moved back, or was never set aside.
   */
  recordPuttingBack(setAsideAt: string, path: LocalPath): void {
    const [spelling] = this.#stored.atPath(setAsideAt);
    if (spelling !== undefined) this.asNewest({ ...spelling, path });
  }

  recordMoved(from: LocalPath, to: LocalPath): void {
    if (this.#keeps) this.#stored.copy(from, to);
  }
}

function findInFolder(spellings: readonly Spelling[], folder: LocalPath): Spelling | null {
  const inSameFolder = spellings.filter(({ spelledAt }) => parentOf(spelledAt) === folder);
  const [firstEntry] = inSameFolder;
  return firstEntry !== undefined && inSameFolder.every(({ text }) => text === firstEntry.text) ? firstEntry : null;
}
