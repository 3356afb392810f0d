import { type Digest, digestOf } from "../model/digest.ts";
import { unpackedBytes } from "../model/packed-text.ts";
import type { ChangeId, DocId } from "../contract/ids.ts";
import type { DiskFolding, LocalPath, RemotePath } from "../model/path.ts";
import type { DiskOutcome, Made, MadeEntry, MadeFile, MadeOf, NewFile, Written } from "../ports/disk.ts";
import type { Fs } from "../ports/fs.ts";
import type { Random } from "../ports/world.ts";
import { stale } from "./errno.ts";
import { createNodeFs } from "./node-fs.ts";
import { type NotDone, type Root, RootGuard } from "./root-guard.ts";
import { createFile, createOf } from "./write.ts";

/** New files that another thread makes, by the same functions as this one. */

export type MakesAside = {
  /** Makes ready for many files. */
  begin(): void;
  /**
   * @param root the mirrored folder as it is now; null: it is not there
   * @returns null where they are to be made here
   */
  create(root: Root | null, folding: DiskFolding, files: readonly NewFile[]): Promise<Made> | null;
  /** Whether it makes the next files, as far as is known. */
  isReady(): boolean;
};

/**
 * New files, and the folder that they are for: another one at its path by now gets none. Their
 * texts lie beside it, as UTF-8, one after the other: `ends` says where each ends.
 */
export type Burst = {
  readonly dev: number;
  readonly ino: number;
  readonly folding: DiskFolding;
  readonly paths: readonly LocalPath[];
  /**
   * What each is made of, three strings for each because they are handed over in half the time: id,
   * change id, path on the service (nothing: the same). No id: of bytes that are no version's text.
   */
  readonly of: readonly string[];
  readonly ends: readonly number[];
};

/** Says what is to be made. null: a text has no UTF-8 form. */
export function burstOf({ stat }: Root, folding: DiskFolding, files: readonly NewFile[]): Burst | null {
  if (!files.every(({ text }) => typeof text !== "string" || text.isWellFormed())) return null;
  let size = 0;
  const ends = files.map(({ text }) => (size += typeof text === "string" ? Buffer.byteLength(text) : text.size));
  const of = files.flatMap(flatOf);
  return { dev: stat.dev, ino: stat.ino, folding, paths: files.map(({ path }) => path), of, ends };
}

/** The part of each text in the bytes of a burst. */
export function textsIn({ ends }: Pick<Burst, "ends">, bytes: Buffer): Buffer[] {
  return ends.map((end, n) => bytes.subarray(ends[n - 1] ?? 0, end));
}

/**
 * How a burst ended, as a message that costs little: the numbers of a stamp for each file, and
 * those that were not made by their places in the burst.
 */
export type Landed = { readonly stamps: Float64Array; readonly notDone: ReadonlyMap<number, NotDone> };

type Ends = readonly DiskOutcome<Written>[];

const STAMP = ["dev", "ino", "size", "mtimeMs", "ctimeMs", "birthMs", "nlink"] as const;

function landedOf(made: Ends): Landed {
  const stamps = new Float64Array(made.length * STAMP.length);
  const notDone = new Map<number, NotDone>();
  for (const [n, end] of made.entries()) {
    if (end.kind !== "done") notDone.set(n, end);
    else for (const [at, name] of STAMP.entries()) stamps[n * STAMP.length + at] = end.value.stamp[name];
  }
  return { stamps, notDone };
}

/** What `landedOf` was made of. */
export function endsOf({ stamps, notDone }: Landed): Ends {
  return Array.from({ length: stamps.length / STAMP.length }, (_, n) => notDone.get(n) ?? writtenAt(stamps, n));
}

function writtenAt(stamps: Float64Array, n: number): DiskOutcome<Written> {
  const at = n * STAMP.length;
  const stamp = {
    dev: stamps[at]!,
    ino: stamps[at + 1]!,
    size: stamps[at + 2]!,
    mtimeMs: stamps[at + 3]!,
    ctimeMs: stamps[at + 4]!,
    birthMs: stamps[at + 5]!,
    nlink: stamps[at + 6]!,
  };
  return { kind: "done", value: { stamp } };
}

function flatOf({ path, of }: NewFile): readonly string[] {
  if (of === undefined) return ["", "", ""];
  return [of.id, of.changeId, (of.remotePath as string) === path ? "" : of.remotePath];
}

/** What `flatOf` was made of. */
function ofAt({ paths, of }: Burst, n: number): MadeOf | null {
  const [id, changeId, remotePath] = of.slice(3 * n, 3 * n + 3) as [string, string, string];
  if (id === "") return null;
  return { id: id as DocId, changeId: changeId as ChangeId, remotePath: (remotePath || paths[n]!) as RemotePath };
}

/** @param landed left out: nothing is made yet */
function entriesOf(burst: Burst, digests: readonly (Digest | null)[], landed?: Landed): readonly MadeEntry[] {
  return burst.paths.flatMap((path, n) => {
    const [digest, version] = [digests[n] ?? null, ofAt(burst, n)];
    if (version === null || digest === null || landed?.notDone.has(n) === true) return [];
    return [{ ...version, path, digest, inode: landed === undefined ? null : inodeAt(landed.stamps, n) }];
  });
}

function inodeAt(stamps: Float64Array, n: number): MadeEntry["inode"] {
  return { dev: stamps[n * STAMP.length]!, ino: stamps[n * STAMP.length + 1]! };
}

/** What became of a file whose thread has ended: it is not known, and the next look tells. */
export function unknownEnd(): DiskOutcome<Written> {
  return stale("the thread that made it has ended");
}

/** Makes the bursts of one mirrored folder, within the thread. */
export class Lander {
  readonly #guard: RootGuard;
  readonly #note: (entries: readonly MadeEntry[]) => void;

  /**
   * @param root absolute path of the mirrored folder
   * @param note writes down what is about to be made
   */
  constructor(
    root: string,
    random: Pick<Random, "hex">,
    note: (entries: readonly MadeEntry[]) => void = () => undefined,
    fs: Fs = createNodeFs(),
  ) {
    this.#guard = new RootGuard(fs, root, random);
    this.#note = note;
  }

  /**
   * @param texts a text that is null is none, and gets no file
   * @param digests of the texts
   */
  land(burst: Burst, texts: readonly (Buffer | null)[], digests: readonly (Digest | null)[]): Landed {
    this.#note(entriesOf(burst, digests));
    const landed = this.#land(burst, texts);
    this.#note(entriesOf(burst, digests, landed));
    return landed;
  }

  #land(burst: Burst, texts: readonly (Buffer | null)[]): Landed {
    const stat = this.#guard.identify()?.stat;
    if (stat?.dev !== burst.dev || stat.ino !== burst.ino)
      return landedOf(burst.paths.map(() => stale("the mirrored folder is not there, or is another one")));
    this.#guard.learnFolding(burst.folding);
    return landedOf(this.#guard.during(() => burst.paths.map((path, n) => this.#create(path, texts[n]!))));
  }

  #create(path: LocalPath, text: Buffer | null): DiskOutcome<Written> {
    return text === null ? damaged() : createOf(this.#guard, path, text);
  }
}

/** A file of a burst, made by this thread. */
export function makeHere(guard: RootGuard, { path, text }: NewFile): MadeFile {
  if (typeof text === "string") return { end: createFile(guard, path, text), text, digest: null };
  const bytes = unpackedBytes(text);
  if (bytes === null) return { end: damaged(), text, digest: null };
  return { end: createOf(guard, path, bytes), text, digest: digestOf(bytes) };
}

/** What becomes of a file whose text cannot be unpacked: it is read again, unpacked. */
function damaged(): DiskOutcome<Written> {
  return stale("its text came damaged");
}
