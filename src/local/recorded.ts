import type { Fs, FsStat } from "../ports/fs.ts";

/**
 * What was read of folders before they are walked: their names, and the stat of each entry. A
 * thread reads them while the process is still loading what it will compare them with.
 */

/**
 * Some folders as a message that costs little. `stats`: `NUMBERS` for each entry, folder after
 * folder.
 */
export type Portion = { readonly folders: readonly RecordedNames[]; readonly stats: Float64Array<ArrayBuffer> };

/** A folder by its path, with the stamp that it had before its names were read. */
type RecordedNames = Pick<FsStat, "dev" | "ino" | "mtimeMs"> & {
  readonly abs: string;
  /** Sorted, and joined by `/`, which no name holds; null: the folder is empty. */
  readonly names: string | null;
};

export type Listed = ReturnType<Fs["readdir"]>[number];

const KINDS = ["file", "folder", "symlink", "special"] as const;
/** Numbers of an entry: the kind by its name, the kind of its stat (-1: none), and the stat. */
const NUMBERS = 10;
/** About how many numbers a message holds: some hundred kilobytes. */
const ENOUGH = 40_000;

/** Collects folders for a message. */
export class PortionWriter {
  readonly #enough: number;
  #folders: RecordedNames[] = [];
  #numbers = new Float64Array(ENOUGH);
  #length = 0;

  /** @param enough with how many numbers a message is full */
  constructor(enough = ENOUGH) {
    this.#enough = enough;
  }

  isFull(): boolean {
    return this.#length >= this.#enough;
  }

  /**
   * Begins a folder; its entries follow.
   * @param listed sorted by their names
   */
  addFolder(abs: string, { dev, ino, mtimeMs }: FsStat, listed: readonly Listed[]): void {
    const names = listed.length === 0 ? null : listed.map(({ name }) => name).join("/");
    this.#folders.push({ abs, dev, ino, mtimeMs, names });
    this.#makeRoom(listed.length * NUMBERS);
  }

  /** @param stat null: a walk is to look by itself */
  addEntry(kind: FsStat["kind"], stat: FsStat | null): void {
    const numbers = this.#numbers;
    const at = this.#length;
    this.#length += NUMBERS;
    numbers[at] = KINDS.indexOf(kind);
    numbers[at + 1] = stat === null ? -1 : KINDS.indexOf(stat.kind);
    if (stat === null) return;
    numbers[at + 2] = stat.dev;
    numbers[at + 3] = stat.ino;
    numbers[at + 4] = stat.size;
    numbers[at + 5] = stat.mtimeMs;
    numbers[at + 6] = stat.ctimeMs;
    numbers[at + 7] = stat.birthMs;
    numbers[at + 8] = stat.nlink;
    numbers[at + 9] = stat.mode;
  }

  #makeRoom(more: number): void {
    if (this.#length + more <= this.#numbers.length) return;
    const larger = new Float64Array(Math.max(2 * this.#numbers.length, this.#length + more));
    larger.set(this.#numbers);
    this.#numbers = larger;
  }

  /** What was collected since the last call. */
  take(): Portion {
    const taken = { folders: this.#folders, stats: this.#numbers.slice(0, this.#length) };
    [this.#folders, this.#length] = [[], 0];
    return taken;
  }
}

type Place = { readonly folder: RecordedNames; readonly stats: Float64Array; readonly at: number };

/** Folders that were read in advance, each for one reading of a walk. */
export class Recorded {
  /** The disk's own time before the first of them was read, in milliseconds; null: unknown. */
  readonly diskNow: number | null;
  readonly #places = new Map<string, Place>();
  /** Resolves with the next addition; null: nothing more is read. */
  #next: PromiseWithResolvers<void> | null = null;
  /** The folder for which a walk pauses. */
  #wanted: string | null = null;

  constructor(diskNow: number | null) {
    this.diskNow = diskNow;
  }

  /** Folders are read until `end`. */
  begin(): void {
    this.#next = Promise.withResolvers();
  }

  /** @param portion in the order of a walk, like those before it */
  add({ folders, stats }: Portion): void {
    let at = 0;
    for (const folder of folders) {
      this.#places.set(folder.abs, { folder, stats, at });
      at += folder.names === null ? 0 : NUMBERS * folder.names.split("/").length;
    }
    this.#next?.resolve();
    if (this.#next !== null) this.#next = Promise.withResolvers();
  }

  /** Nothing more is read: what is not there by now is for the walk itself. */
  end(): void {
    this.#next?.resolve();
    this.#next = null;
  }

  isWhole(): boolean {
    return this.#next === null;
  }

  /** Whether a folder is still to be read. A walk that asks pauses as long as it is. */
  isComing(abs: string): boolean {
    this.#wanted = abs;
    return this.#next !== null && !this.#places.has(abs);
  }

  /** Resolves when the folder for which the walk pauses is there, or is not coming. */
  async wanted(): Promise<void> {
    while (this.isWanting()) await this.#next?.promise;
  }

  protected isWanting(): boolean {
    return this.#next !== null && this.#wanted !== null && !this.#places.has(this.#wanted);
  }

  /**
   * Gives a folder away. Its names are those of now if its stamp is still what it was before they
   * were read; but for changes within one tick of the disk's clock, which a walk looks for anyway.
   * @param stat how whoever asks found the folder
   * @returns null where it was not recorded, or has changed since
   */
  take(abs: string, stat: FsStat): RecordedFolder | null {
    const place = this.#places.get(abs);
    if (place === undefined) return null;
    this.#places.delete(abs);
    this.#wanted = null;
    const { dev, ino, mtimeMs } = place.folder;
    if (ino !== stat.ino || dev !== stat.dev || mtimeMs !== stat.mtimeMs) return null;
    return new RecordedFolder(place);
  }
}

/** One folder that was read in advance. */
class RecordedFolder {
  /** Sorted by name. */
  readonly listed: readonly Listed[];
  readonly #stats: Float64Array;
  readonly #at: number;
  /** Of the file asked for last: 100,000 of them would be garbage. */
  readonly #file = { ...NO_STAT };

  constructor({ folder, stats, at }: Place) {
    this.#stats = stats;
    this.#at = at;
    const names = folder.names === null ? [] : folder.names.split("/");
    this.listed = names.map((name, n) => ({ name, kind: KINDS[stats[at + n * NUMBERS]!]! }));
  }

  /**
   * The entry with this number in `listed`. That of a file is another one's after the next call.
   * @returns null where the entry is to be looked at anew
   */
  stat(n: number): FsStat | null {
    const stats = this.#stats;
    const at = this.#at + n * NUMBERS;
    const kind = KINDS[stats[at + 1]!];
    if (kind === undefined) return null;
    const stat = kind === "file" ? this.#file : { ...NO_STAT };
    stat.kind = kind;
    stat.dev = stats[at + 2]!;
    stat.ino = stats[at + 3]!;
    stat.size = stats[at + 4]!;
    stat.mtimeMs = stats[at + 5]!;
    stat.ctimeMs = stats[at + 6]!;
    stat.birthMs = stats[at + 7]!;
    stat.nlink = stats[at + 8]!;
    stat.mode = stats[at + 9]!;
    return stat;
  }
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

const NO_STAT: Mutable<FsStat> = {
  dev: 0,
  ino: 0,
  size: 0,
  mtimeMs: 0.5,
  ctimeMs: 0.5,
  birthMs: 0.5,
  nlink: 0,
  kind: "file",
  mode: 0,
};
