import type { Stats } from "node:fs";
import type { Script } from "node:vm";

/**
 * Runs the parts of `dist/` (scripts/build/parts.ts) as scripts, with the code that V8 made of them
 * in earlier runs. Node's own cache holds what is compiled as a module is loaded; the functions,
 * which are compiled as they are first called, take a fifth of a sync with nothing to do.
 */

type Exports = Readonly<Record<string, unknown>>;
type LoadPart = (name: string) => Exports;
type Bring = (module: string) => Promise<unknown>;
/** What the script of a part is: it returns what the part exports. */
type Body = (loadPart: LoadPart, partUrl: string, bring: Bring) => Exports;

/** Tells a script from one that was changed since: V8 compares the lengths of texts alone. */
type Version = { readonly size: number; readonly mtimeMs: number };

type Loaded = {
  readonly exports: Exports;
  readonly script: Script;
  /** Of its file. */
  readonly version: Version;
  /** Where its code is kept, or would be; null: nowhere. */
  readonly file: string | null;
  /** In how many runs the code was made that it began with. */
  readonly runs: number;
};

const fs = process.getBuiltinModule("node:fs");

/** A first run that makes a mirror calls other functions than the next one, with nothing to do. */
const MOST_RUNS = 3;
/** Bytes before the code, three numbers: in how many runs it was made, and of which version. */
const HEAD = 24;
/** In bytes, of what is read at a time. */
const PIECE = 65_536;
/** LIMIT: bytes of a file of kept code; the largest has a tenth of it. */
const MOST_BYTES = 16 * 1024 * 1024;
/** After which what another version kept goes, in ms; it may be in use beside this one. */
const OLD_MS = 30 * 86_400_000;

/**
 * Of which command the code is: code of functions that others call would slow down those that are
 * to start quickly, and those that stay run under options of their own (`entry.mjs`).
 */
const KEPT_BY: ReadonlyMap<string | undefined, string> = new Map([
  ["sync", "sync"],
  ["status", "status"],
  ...["serve", "watch", "ui", "mcp"].map((command) => [command, "staying"] as const),
]);

const parts = new Map<string, Loaded>();

/** @param name of a file of `dist/parts/`, which holds the digest of what is in it */
export function loadPart(name: string): Exports {
  const known = parts.get(name);
  if (known !== undefined) return known.exports;
  const loaded = run(name);
  parts.set(name, loaded);
  return loaded.exports;
}

/** Exit codes of commands that did all they do: `./exit.ts` has them, which is in a part itself. */
const WHOLE: ReadonlySet<number> = new Set([0, 3]);

/**
 * When the process ends, the code of the parts that it ran is kept for the next one; not after a
 * run that was cut short, which called few functions.
 */
export function keepCode(): void {
  process.once("exit", (code) => {
    if (WHOLE.has(code)) for (const one of parts.values()) keep(one);
  });
}

function run(name: string): Loaded {
  const { Script } = process.getBuiltinModule("node:vm");
  const url = new URL(`../parts/${name}.cjs`, import.meta.url);
  const { size, mtimeMs } = fs.statSync(url);
  const version = { size, mtimeMs };
  const file = fileFor(name);
  const kept = file === null ? null : readKept(file, version);
  const options = { filename: url.href, ...(kept === null ? {} : { cachedData: kept.code }) };
  const script = new Script(fs.readFileSync(url, "utf8"), options);
  const body = script.runInThisContext() as Body;
  const runs = kept === null || script.cachedDataRejected === true ? 0 : kept.runs;
  return { exports: body(loadPart, url.href, (module) => import(module)), script, version, file, runs };
}

/** Beside what Node keeps: in a folder for this Node, this processor and these options. */
function fileFor(name: string): string | null {
  const folder = process.getBuiltinModule("node:module").getCompileCacheDir();
  return folder === undefined ? null : `${folder}/${name}-${KEPT_BY.get(process.argv[2]) ?? "others"}`;
}

type Kept = { readonly runs: number; readonly code: Buffer };

/**
 * V8 runs damaged code, to whatever end. So it is kept twice, and compared: a checksum would take
 * longer, since Node's come with modules that a status does without.
 */
function readKept(file: string, version: Version): Kept | null {
  const { O_RDONLY, O_NONBLOCK } = fs.constants;
  try {
    const from = fs.openSync(file, O_RDONLY | O_NONBLOCK);
    try {
      const stat = fs.fstatSync(from);
      return mayBeRun(stat) ? readTwice(from, (stat.size - HEAD) / 2, version) : null;
    } finally {
      fs.closeSync(from);
    }
  } catch {
    // None is kept yet, or it cannot be read: only speed.
    return null;
  }
}

/** Whether only this user can have written it. */
function mayBeRun(stat: Stats): boolean {
  return stat.isFile() && stat.size < MOST_BYTES && stat.uid === process.geteuid?.() && (stat.mode & 0o022) === 0;
}

/**
 * The second copy is read in pieces, so that it is never in memory beside the first.
 * @param size of one copy, in bytes
 */
function readTwice(from: number, size: number, version: Version): Kept | null {
  const bytes = Buffer.allocUnsafeSlow(HEAD + size);
  if (fs.readSync(from, bytes, 0, bytes.length, 0) !== bytes.length) return null;
  if (bytes.readDoubleLE(8) !== version.size || bytes.readDoubleLE(16) !== version.mtimeMs) return null;
  const piece = Buffer.allocUnsafeSlow(PIECE);
  for (let at = HEAD; at < bytes.length; ) {
    const read = fs.readSync(from, piece, 0, PIECE, size + at);
    if (read === 0 || !bytes.subarray(at, at + read).equals(piece.subarray(0, read))) return null;
    at += read;
  }
  return { runs: bytes.readDoubleLE(0), code: bytes.subarray(HEAD) };
}

function keep(loaded: Loaded): void {
  const { file, runs } = loaded;
  if (file === null || runs >= MOST_RUNS) return;
  const fresh = `${file}.${process.pid}`;
  try {
    write(fresh, loaded);
    fs.renameSync(fresh, file);
    if (runs === 0) removeOld(file);
  } catch {
    // A full or a read-only disk, a folder that is gone: only speed.
    removeIfThere(fresh);
  }
}

/** ORDER: on the disk before it has its name, so that a power loss leaves none or all of it. */
function write(fresh: string, { script, version, runs }: Loaded): void {
  const head = Buffer.alloc(HEAD);
  for (const [n, number] of [runs + 1, version.size, version.mtimeMs].entries()) head.writeDoubleLE(number, 8 * n);
  const code = script.createCachedData();
  const to = fs.openSync(fresh, "wx", 0o600);
  try {
    for (const bytes of [head, code, code]) for (let at = 0; at < bytes.length; ) at += fs.writeSync(to, bytes, at);
    fs.fsyncSync(to);
  } finally {
    fs.closeSync(to);
  }
}

function removeIfThere(file: string): void {
  try {
    fs.rmSync(file, { force: true });
  } catch {
    // It is in a folder that this user may not change: nothing of it is there.
  }
}

/** What other versions kept of the same part, and what a kill left half written. */
function removeOld(file: string): void {
  const { basename, dirname, join } = process.getBuiltinModule("node:path");
  const likeIt = withoutDigest(basename(file));
  for (const name of fs.readdirSync(dirname(file))) {
    const other = join(dirname(file), name);
    const isLikeIt = withoutDigest(name).replace(/\.\d+$/, "") === likeIt;
    if (isLikeIt && Date.now() - fs.statSync(other).mtimeMs > OLD_MS) fs.rmSync(other);
  }
}

const withoutDigest = (name: string): string => name.replace(/-[0-9a-f]{16}-/, "-");
