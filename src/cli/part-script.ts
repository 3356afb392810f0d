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

type Loaded = {
  readonly exports: Exports;
  readonly script: Script;
  /** Where its code is kept, or would be; null: nowhere. */
  readonly file: string | null;
  /** In how many runs the code was made that it began with. */
  readonly runs: number;
};

const {
  closeSync,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} = process.getBuiltinModule("node:fs");

/** A first run that makes a mirror calls other functions than the next one, with nothing to do. */
const MOST_RUNS = 3;
/** Bytes before the code: in how many runs it was made. V8 copies code that is not aligned to 8. */
const HEAD = 8;
/** In bytes. */
const PIECE = 65_536;
/** Commands that are to start quickly: code of functions that others call would slow them down. */
const WITH_CODE_OF_ITS_OWN: ReadonlySet<string | undefined> = new Set(["sync", "status"]);

/** After which what another version kept goes, in ms; it may be in use beside this one. */
const OLD_MS = 30 * 86_400_000;

const parts = new Map<string, Loaded>();

/** @param name of a file of `dist/parts/`, which holds the digest of what is in it */
export function loadPart(name: string): Exports {
  const known = parts.get(name);
  if (known !== undefined) return known.exports;
  const loaded = run(name);
  parts.set(name, loaded);
  return loaded.exports;
}

/** When the process ends well, the code of the parts that it ran is kept for the next one. */
export function keepCode(): void {
  process.once("exit", (code) => {
    if (code === 0) for (const one of parts.values()) keep(one);
  });
}

function run(name: string): Loaded {
  const { Script } = process.getBuiltinModule("node:vm");
  const url = new URL(`../parts/${name}.cjs`, import.meta.url);
  const file = fileFor(name);
  const kept = file === null ? null : readKept(file);
  const options = { filename: url.href, ...(kept === null ? {} : { cachedData: kept.code }) };
  const script = new Script(readFileSync(url, "utf8"), options);
  const body = script.runInThisContext() as Body;
  const runs = kept === null || script.cachedDataRejected === true ? 0 : kept.runs;
  return { exports: body(loadPart, url.href, (module) => import(module)), script, file, runs };
}

/** Beside what Node keeps: in a folder for this Node, this processor and these options. */
function fileFor(name: string): string | null {
  const folder = process.getBuiltinModule("node:module").getCompileCacheDir();
  if (folder === undefined) return null;
  const command = process.argv[2];
  return `${folder}/${name}-${WITH_CODE_OF_ITS_OWN.has(command) ? command : "others"}`;
}

type Kept = { readonly runs: number; readonly code: Buffer };

/**
 * V8 runs damaged code, to whatever end. So it is kept twice, and compared: a checksum would take
 * longer, since Node's come with modules that a status does without.
 */
function readKept(file: string): Kept | null {
  try {
    const from = openSync(file, "r");
    try {
      return readTwice(from, (fstatSync(from).size - HEAD) / 2);
    } finally {
      closeSync(from);
    }
  } catch {
    // None is kept yet, or it cannot be read: only speed.
    return null;
  }
}

/** The second copy in pieces, and not in memory beside the first. @param size of one, in bytes */
function readTwice(from: number, size: number): Kept | null {
  const bytes = Buffer.allocUnsafeSlow(HEAD + size);
  if (readSync(from, bytes, 0, bytes.length, 0) !== bytes.length) return null;
  const piece = Buffer.allocUnsafeSlow(PIECE);
  for (let at = HEAD; at < bytes.length; ) {
    const read = readSync(from, piece, 0, PIECE, size + at);
    if (read === 0 || !bytes.subarray(at, at + read).equals(piece.subarray(0, read))) return null;
    at += read;
  }
  return { runs: bytes.readUInt32LE(0), code: bytes.subarray(HEAD) };
}

/** ORDER: on the disk before it has its name, so that a power loss leaves none or all of it. */
function keep({ script, file, runs }: Loaded): void {
  if (file === null || runs >= MOST_RUNS) return;
  const head = Buffer.alloc(HEAD);
  head.writeUInt32LE(runs + 1);
  const fresh = `${file}.${process.pid}`;
  try {
    const code = script.createCachedData();
    const to = openSync(fresh, "wx", 0o600);
    try {
      for (const bytes of [head, code, code]) for (let at = 0; at < bytes.length; ) at += writeSync(to, bytes, at);
      fsyncSync(to);
    } finally {
      closeSync(to);
    }
    renameSync(fresh, file);
    if (runs === 0) removeOld(file);
  } catch {
    // A full or a read-only disk: only speed.
    rmSync(fresh, { force: true });
  }
}

/** What other versions kept of the same part. */
function removeOld(file: string): void {
  const { basename, dirname, join } = process.getBuiltinModule("node:path");
  const likeIt = withoutDigest(basename(file));
  for (const name of readdirSync(dirname(file))) {
    const other = join(dirname(file), name);
    if (withoutDigest(name) === likeIt && Date.now() - statSync(other).mtimeMs > OLD_MS) rmSync(other);
  }
}

const withoutDigest = (name: string): string => name.replace(/-[0-9a-f]{16}-/, "-");
