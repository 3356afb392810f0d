import type { Digest } from "../../../contract/digest.ts";
import { type LocalPath, parentOf } from "../../../contract/path.ts";
import type { Spelling } from "../../../contract/spelling.ts";
import type { Spellings } from "../../ports/spellings.ts";
import type { State } from "../../ports/state.ts";
import type { Where } from "./places.ts";

/** Remembers, during a cycle, which content the bytes of files represent. */
export class KnownSpellings {
  readonly #stored: Spellings;
  readonly #state: Pick<State, "transactSafely">;
  readonly #keeps: boolean;
  #dry = false;

  /** @param keeps whether the state may be written */
  constructor(state: Pick<State, "spellings" | "transactSafely">, keeps: boolean) {
    this.#stored = state.spellings;
    this.#state = state;
    this.#keeps = keeps;
  }

  /** @param dry whether nothing may be stored until the next call */
  begin(dry: boolean): void {
    this.#dry = dry;
  }

  /** Returns whether the state may be written, until the next call of `begin`. */
  isKept(): boolean {
    return this.#keeps && !this.#dry;
  }

  of(path: LocalPath, bytes: Digest): Spelling | null {
    return this.#stored.of(path, bytes);
  }

  /**
   * Returns what is remembered of these bytes: at this path; of a file that was moved, as its
   * document's, or at base's path of that; or at another path of this folder, from which its links
   * lead to the same.
   */
  found(path: LocalPath, bytes: Digest, { now, before }: Where): Spelling | null {
    const own = this.of(path, bytes);
    if (own !== null) return this.asNewest(own);
    const others = this.#stored.with(bytes);
    if (others.length === 0) return null;
    const id = now.idAt(path);
    const old = id === null ? null : before.pathOf(id);
    const found =
      others.find((other) => id !== null && other.id === id) ??
      others.find((other) => other.path === old) ??
      ofFolder(others, parentOf(path));
    if (found !== null) this.put({ ...found, path, id: now.docAt(path) });
    return found;
  }

  /** Returns the form of this text in the file at a path, as last seen. */
  standingFor(path: LocalPath, text: Digest): Spelling | null {
    return this.#stored.standingFor(path, text);
  }

  /** Returns whether nothing is known of any file: no local text has links. */
  isEmpty(): boolean {
    return this.#stored.isEmpty();
  }

  /**
   * Stores an entry.
   * @param safely true for bytes that represent another content than the file's earlier bytes,
   * before these bytes are written. A power cut must not keep the bytes and lose their entry: if
   * targets moved meanwhile, the bytes could not be read
   */
  put(spelling: Spelling, safely = false): void {
    if (!this.isKept()) return;
    if (safely) this.#state.transactSafely(() => this.#stored.put(spelling));
    else this.#stored.put(spelling);
  }

  /**
   * Marks bytes as the newest: a program's undo, or an effect that was reverted, restores older
   * ones, and the next edit starts from them.
   */
  asNewest(spelling: Spelling): Spelling {
    if (this.#stored.at(spelling.path)[0]?.bytes !== spelling.bytes) this.put(spelling);
    return spelling;
  }

  /** Called when a file was not written after all, and its bytes stay as they were. */
  unwritten(path: LocalPath, bytes: Digest): void {
    const spelling = this.of(path, bytes);
    if (spelling !== null) this.asNewest(spelling);
  }

  /** Called before a file is set aside. */
  settingAside(path: LocalPath, bytes: Digest, setAsideAt: string): void {
    const spelling = this.of(path, bytes);
    if (spelling !== null) this.put({ ...spelling, path: setAsideAt });
  }

  /** Called when a set-aside file is back, or about to be, or was not set aside. */
  puttingBack(setAsideAt: string, path: LocalPath): void {
    const [spelling] = this.#stored.at(setAsideAt);
    if (spelling !== undefined) this.asNewest({ ...spelling, path });
  }

  /** Called before a file or folder is moved. */
  moving(from: LocalPath, to: LocalPath): void {
    if (this.#keeps) this.#stored.copy(from, to);
  }
}

function ofFolder(spellings: readonly Spelling[], folder: LocalPath): Spelling | null {
  const near = spellings.filter(({ spelledAt }) => parentOf(spelledAt) === folder);
  const [first] = near;
  return first !== undefined && near.every(({ text }) => text === first.text) ? first : null;
}
