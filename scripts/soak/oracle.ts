import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import type { Digest } from "../../src/contract/digest.ts";
import { toDatabaseFault } from "../../src/mirror/state/database.ts";
import { decodeProvenText, type StoredText } from "../../src/mirror/state/texts.ts";
import {
  digest,
  type Ended,
  readRemote,
  type RemoteDocument,
  type Rig,
  runUndisturbed,
  type Service,
  type StartOptions,
} from "./fixture.ts";
import { isConflictCopyName, nameOf } from "../../src/contract/path.ts";

/** Collects all contents that still exist anywhere. What is missing among them is lost. */

/** Mark of one edit: `<m17>`. */
const MARK = /<m\d+>/g;

type Kept = { readonly digests: ReadonlySet<string>; readonly marks: ReadonlySet<string> };

/**
 * Returns all contents: local files (conflict copies too), documents on the service, the content
 * store, the trash, and files set aside with a damaged state.
 */
export async function keptTexts(fixture: Pick<Service, "call">, notes: string): Promise<Kept> {
  const digests = new Set<string>();
  const marks = new Set<string>();
  const keep = (text: string) => {
    digests.add(digest(text));
    for (const mark of text.match(MARK) ?? []) marks.add(mark);
  };
  for (const path of filesBelow(notes, (name) => name !== ".mdmirror")) keep(readFileSync(path, "utf8"));
  const mirror = join(notes, ".mdmirror");
  for (const folder of ["trash", "damaged"])
    for (const path of filesBelow(join(mirror, folder), () => true))
      if (!/\.db(-wal|-shm)?$/.test(path)) keep(readFileSync(path, "utf8"));
  for (const text of storedTexts(join(mirror, "texts.db"))) keep(text);
  for (const { text } of (await readRemote(fixture)).values()) keep(text);
  return { digests, marks };
}

function filesBelow(folder: string, wanted: (name: string) => boolean): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (!wanted(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path, wanted) : entry.isFile() ? [path] : [];
  });
}

/**
 * Returns the contents of a store that have the right digest. Reads row by row, because a page of
 * the file may be damaged.
 */
function storedTexts(file: string): string[] {
  if (!existsSync(file)) return [];
  const db = new Sqlite(file, { readonly: true });
  const readable = <T>(read: () => T): T | null => {
    try {
      return read();
    } catch (error) {
      if (toDatabaseFault(error) === null) throw error;
      return null;
    }
  };
  try {
    const last = readable(() => db.prepare("SELECT max(seq) FROM texts").pluck().get() as number | null) ?? 0;
    const one = readable(() =>
      db.prepare("SELECT lower(hex(digest)) AS name, codec, size, text AS bytes FROM texts WHERE seq = ?"),
    );
    const texts: string[] = [];
    for (let seq = 1; one !== null && seq <= last; seq++) {
      const row = readable(() => one.get(seq) as (StoredText & { readonly name: Digest }) | undefined) ?? null;
      const text = row === null ? null : decodeProvenText(row.name, row);
      if (text !== null) texts.push(text);
    }
    return texts;
  } finally {
    db.close();
  }
}

/**
 * Returns the contents of all Markdown files in a folder by path, without folders whose name begins
 * with a dot.
 */
export function localTexts(notes: string): Map<string, string> {
  const here = filesBelow(notes, (name) => !name.startsWith("."));
  return new Map(
    here.flatMap((path) => (path.endsWith(".md") ? [[path.slice(notes.length + 1), readFileSync(path, "utf8")]] : [])),
  );
}

/** Counts of what a fault left, once syncs change nothing more. */
type Figures = {
  /** Contents (by digest) and edits (by mark) that cannot be found any more. */
  lost: number;
  /** Documents that a side has more than once. */
  doubled: number;
  /**
   * Paths with different contents on the two sides, or on one side only; without open conflicts.
   */
  differing: number;
  /** Files left in `.mdmirror/tmp`, and incomplete files beside the state. */
  temps: number;
  /** Documents whose id has changed. */
  ids: number;
  /** Writes on either side by a sync with nothing to do. */
  idle: number;
};

const zeroFigures = (): Figures => ({ lost: 0, doubled: 0, differing: 0, temps: 0, ids: 0, idle: 0 });

/** What must still exist at the end. */
type Before = {
  /** Digest of a content → where it was. */
  readonly digests: ReadonlyMap<string, string>;
  readonly ids: ReadonlyMap<string, string>;
};

export async function recordState(rig: Rig): Promise<Before> {
  const there = await readRemote(rig);
  const digests = new Map([...there].map(([path, { text }]) => [digest(text), `${path} there`]));
  for (const [path, text] of localTexts(rig.notes)) digests.set(digest(text), `${path} here`);
  return { digests, ids: idsByTitle(there) };
}

const titleOf = (text: string) => text.slice(0, text.indexOf("\n"));

/**
 * Returns true for files that mdmirror creates beside a document: conflict copies and late saves
 * that did not merge.
 */
const isBeside = (path: string) => isConflictCopyName(nameOf(path)) || /-late(-\d+)?\.md$/.test(path);

function idsByTitle(there: ReadonlyMap<string, RemoteDocument>): Map<string, string> {
  return new Map([...there].flatMap(([path, { id, text }]) => (isBeside(path) ? [] : [[titleOf(text), id]])));
}

type DamageCounts = {
  readonly figures: Figures;
  readonly codes: readonly (number | null)[];
  readonly last: Ended;
  /** Former locations of the lost contents, and the lost marks. */
  readonly lost: readonly string[];
};

/**
 * Syncs until nothing changes, and counts.
 * @param options `syncs`: number of syncs before the last one
 */
export async function countDamage(
  rig: Rig,
  before: Before,
  options: StartOptions & { readonly syncs?: number } = {},
): Promise<DamageCounts> {
  const codes: (number | null)[] = [];
  for (let n = 0; n < (options.syncs ?? 3); n++)
    codes.push((await runUndisturbed(rig, ["sync", rig.notes], options)).code);
  rig.writes.length = 0;
  const stamps = stampsOf(rig.notes);
  const last = await runUndisturbed(rig, ["sync", rig.notes], options);
  codes.push(last.code);
  const idle = rig.writes.length + changedStamps(stamps, stampsOf(rig.notes));
  const [here, there] = [localTexts(rig.notes), await readRemote(rig)];
  const kept = await keptTexts(rig, rig.notes);
  const lostTexts = [...before.digests].filter(([text]) => !kept.digests.has(text));
  const lostMarks = [...rig.marks].filter((mark) => !kept.marks.has(mark));
  const ids = idsByTitle(there);
  const figures: Figures = {
    lost: lostTexts.length + lostMarks.length,
    doubled: doubles([...here]) + doubles([...there].map(([path, { text }]) => [path, text])),
    differing: differing(rig, here, there),
    temps: tempFiles(rig.notes).length,
    ids: [...before.ids].filter(([title, id]) => ids.get(title) !== id).length,
    idle,
  };
  return { figures, codes, last, lost: [...lostTexts.map(([, where]) => where), ...lostMarks] };
}

function doubles(texts: readonly (readonly [string, string])[]): number {
  const titles = texts.filter(([path]) => !isBeside(path)).map(([, text]) => titleOf(text));
  return titles.length - new Set(titles).size;
}

function differing(rig: Rig, here: ReadonlyMap<string, string>, there: ReadonlyMap<string, RemoteDocument>): number {
  const conflicts = openConflicts(rig.notes);
  const wrong = (path: string) => {
    const conflictCopy = conflicts.get(path);
    return (conflictCopy === undefined ? here.get(path) : here.get(conflictCopy)) !== there.get(path)?.text;
  };
  const paths = new Set([...here.keys()].filter((path) => !isConflictCopyName(nameOf(path))));
  for (const path of there.keys()) paths.add(path);
  return [...paths].filter(wrong).length;
}

/** Returns the path of each conflict copy by its document's local path. */
function openConflicts(notes: string): Map<string, string> {
  const db = new Sqlite(join(notes, ".mdmirror/state.db"), { readonly: true });
  try {
    const rows = db.prepare(
      "SELECT l.local_path AS a, c.conflict_copy_path AS b FROM conflicts c JOIN records l USING (id)",
    );
    return new Map((rows.all() as { a: string; b: string }[]).map(({ a, b }) => [a, b]));
  } finally {
    db.close();
  }
}

function tempFiles(notes: string): string[] {
  const mirror = join(notes, ".mdmirror");
  const inTmp = existsSync(join(mirror, "tmp")) ? readdirSync(join(mirror, "tmp")) : [];
  return [...inTmp, ...readdirSync(mirror).filter((name) => name.endsWith(".new"))];
}

function stampsOf(notes: string): Map<string, string> {
  return new Map(
    [...localTexts(notes).keys()].map((path) => {
      const { ino, mtimeMs } = statSync(join(notes, path));
      return [path, `${ino} ${mtimeMs}`];
    }),
  );
}

function changedStamps(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): number {
  const gone = [...before.keys()].filter((path) => !after.has(path)).length;
  return gone + [...after].filter(([path, stamp]) => before.get(path) !== stamp).length;
}

/** Sums the counts, and records each that should be 0 and is not. */
export type Ledger = {
  readonly figures: Figures;
  readonly broken: string[];
  /** @param wanted exit codes that the last sync may have: 3 if there are open conflicts */
  add(round: string, judged: DamageCounts, wanted?: readonly (number | null)[]): void;
  /** Records the exit code of a process. */
  ended(code: number | null): void;
  exits(): string;
};

export function openLedger(): Ledger {
  const figures = zeroFigures();
  const codes = new Map<string, number>();
  const broken: string[] = [];
  return {
    figures,
    broken,
    add(round, judged, wanted = [0]) {
      for (const name of Object.keys(figures) as (keyof Figures)[]) {
        figures[name] += judged.figures[name];
        if (judged.figures[name] > 0) broken.push(`${round}: ${judged.figures[name]} ${name}`);
      }
      if (judged.lost.length > 0) broken.push(`${round}: lost: ${judged.lost.join(", ")}`);
      const { code, out } = judged.last;
      if (!wanted.includes(code)) broken.push(`${round}: at rest with exit ${code}: ${out.trim()}`);
    },
    ended(code) {
      const name = code === null ? "killed" : String(code);
      codes.set(name, (codes.get(name) ?? 0) + 1);
    },
    exits() {
      const sorted = [...codes].toSorted(([a], [b]) => (a < b ? -1 : 1));
      return sorted.map(([code, n]) => `${code}×${n}`).join(" ") || "none";
    },
  };
}
