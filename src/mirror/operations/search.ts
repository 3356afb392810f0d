import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { SEARCH_REGEX_LINES } from "../../contract/limits.ts";
import { STRUCTURE_FILE } from "../../contract/names.ts";
import type { Digest } from "../../contract/digest.ts";
import { type LocalPath, nameOf } from "../../contract/path.ts";
import type { Disk } from "../ports/disk.ts";
import type { Random } from "../../common/random.ts";
import type { CompiledRegex } from "../../markdown/search/engine.ts";
import { searchHybrid } from "../../markdown/search/hybrid.ts";
import { searchRegex } from "../../markdown/search/regex.ts";
import type { Range } from "../../markdown/search/snippets.ts";
import { SearchScheduler } from "../../markdown/search/scheduler.ts";
import type { LocalTree } from "../model/tree.ts";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { isFileFault, type MirrorSearch, openSearch, removeSearch } from "../state/search.ts";
import { SEARCH_FILE } from "../state/search-file.ts";
import { openDisk } from "../folder/open-disk.ts";
import { readText, indexChangedFiles } from "../folder/search-index.ts";
import { ok, type Result, trouble } from "../../common/trouble.ts";

/**
 * Searches the linked folder offline, with the service's code and an index in
 * `.mdmirror/search.db`.
 */

type SearchRequest = { readonly query: string; readonly regex: boolean; readonly limit: number };

export type FoundLine = {
  readonly line: number;
  /** Column of the first match, from 1, in characters; null for a snippet without a match. */
  readonly column: number | null;
  readonly text: string;
  readonly ranges: readonly Range[];
};
export type FoundFile = {
  readonly path: LocalPath;
  readonly score: number | null;
  readonly lines: readonly FoundLine[];
};

type SearchReport = {
  readonly files: readonly FoundFile[];
  /** Number of files that were read to update the index. */
  readonly indexed: number;
  readonly notes: readonly string[];
};

type Update = { readonly indexed: number; readonly notes: readonly string[] };

/**
 * Decides whether an index is updated now.
 * @param root real path of its folder
 */
export type Updating = (root: string, update: () => Promise<Update>) => Promise<Update>;

/**
 * Updates the index from the disk, then searches the index. Needs no lock, key or network; writes
 * only the index. Other work continues meanwhile.
 * @param dir absolute path of a folder that has `.mdmirror/`
 */
export async function searchMirror(
  dir: string,
  random: Random,
  request: SearchRequest,
  updating: Updating = (_root, update) => update(),
): Promise<Result<SearchReport>> {
  const regex = request.regex ? await compile(request.query) : null;
  if (regex?.kind === "trouble") return regex;
  const root = existsSync(dir) ? realpathSync(dir) : dir;
  const folder = join(root, MIRROR_FOLDER);
  const disk = openDisk(root, { random });
  const searching: Searching = { root, disk, request, regex: regex === null ? null : regex.value };
  try {
    return ok(await searchIn(folder, searching, updating));
  } catch (error) {
    if (!isFileFault(error)) throw error;
    removeSearch(folder);
    const report = await searchIn(folder, searching, (_root, update) => update());
    return ok({ ...report, notes: [`${SEARCH_FILE} was damaged; mdmirror builds it again`, ...report.notes] });
  }
}

type Searching = {
  readonly root: string;
  readonly disk: Disk;
  readonly request: SearchRequest;
  /** Compiled pattern of the query; null if the query is words. */
  readonly regex: CompiledRegex | null;
};

/** @param folder location of the index: `.mdmirror` */
async function searchIn(folder: string, searching: Searching, updating: Updating): Promise<SearchReport> {
  const { search, isKept, notes } = openHere(folder);
  try {
    const bring = () => bringUpToDate(search, searching.disk);
    // An index that is used for one search only begins empty.
    const update = await (isKept ? updating(searching.root, bring) : bring());
    return { files: await filesFound(search, searching), indexed: update.indexed, notes: [...notes, ...update.notes] };
  } finally {
    search.close();
  }
}

async function filesFound(search: MirrorSearch, { disk, request, regex }: Searching): Promise<FoundFile[]> {
  const { query, limit } = request;
  const source = search.source({ read: (path: LocalPath) => readText(disk, path) });
  const pace = new SearchScheduler((begin) => void setImmediate(begin)).paceOf(() => false);
  if (regex === null) {
    const result = await searchHybrid(source, pace, query, limit);
    if (result.kind !== "found") throw new Error("nothing ends a local search");
    return result.hits.map(({ found, score, snippets }) => {
      return { path: found.path, score, lines: snippets.map((one) => ({ ...one, column: columnOf(one.ranges) })) };
    });
  }
  const limits = { limit, steps: Number.POSITIVE_INFINITY, lines: SEARCH_REGEX_LINES };
  const result = await searchRegex(source, pace, regex, limits);
  if (result.kind !== "found") throw new Error("nothing ends a local search");
  return result.hits.map(({ found, matches }) => ({ path: found.path, score: null, lines: matches }));
}

async function compile(pattern: string) {
  const { compileRegex } = await import("../../markdown/search/engine.ts");
  const compiled = compileRegex(pattern);
  if (compiled.kind === "compiled") return ok(compiled.regex);
  return trouble(
    "usage",
    `the pattern cannot be used: ${compiled.why}`,
    "see RE2's syntax; without --regex, QUERY is searched for literally",
  );
}

/** `isKept`: true if the next search uses the index too. */
type Opened = { readonly search: MirrorSearch; readonly isKept: boolean; readonly notes: readonly string[] };

function openHere(where: string): Opened {
  const opened = openSearch(where);
  if (opened.kind === "opened") return { search: opened.search, isKept: true, notes: [] };
  const memory = openSearch(":memory:");
  if (memory.kind !== "opened") throw new Error(`an index in memory cannot be made: ${memory.code}`);
  return {
    search: memory.search,
    isKept: false,
    notes: [`${SEARCH_FILE} cannot be written (${opened.code}): the index is made for this search alone`],
  };
}

/**
 * LIMIT: characters of content that are kept in memory between the walk and indexing; other content
 * is read again.
 */
const HELD_CHARACTERS = 32 * 1024 * 1024;

async function bringUpToDate(search: MirrorSearch, disk: Disk): Promise<Update> {
  const texts = new Map<Digest, string>();
  let held = 0;
  const keep = (digest: Digest, text: string): void => {
    if (held + text.length > HELD_CHARACTERS) return;
    held += text.length;
    texts.set(digest, text);
  };
  const tree = await inParts(disk.walkInParts((path) => search.known(path), keep));
  const read = (path: LocalPath): string | null => {
    const { digest, textFault } = tree.files.get(path)!;
    return textFault === "not-utf-8" ? null : (texts.get(digest) ?? readText(disk, path));
  };
  try {
    const indexed = await takeInParts(search, tree, read);
    return { indexed: indexed + indexChangedFiles(search, tree, read), notes: [] };
  } catch (error) {
    // Another search is writing the index, or the disk is full: the present index is still useful.
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (!/^SQLITE_(BUSY|FULL|READONLY|IOERR)/.test(code)) throw error;
    return { indexed: 0, notes: [`${SEARCH_FILE} could not be brought up to date (${code})`] };
  }
}

/** LIMIT: milliseconds that other work waits for a walk. */
const TURN_MS = 20;

async function inParts<T>(work: Generator<void, T>): Promise<T> {
  for (let since = performance.now(); ; ) {
    const part = work.next();
    if (part.done === true) return part.value;
    if (performance.now() - since < TURN_MS) continue;
    await nextTurn();
    since = performance.now();
  }
}

/** LIMIT: documents indexed before other work has its turn. */
const PART = 400;

/**
 * Indexes most of the new documents in parts. `indexChangedFiles` indexes the others, and deletes
 * removed documents.
 */
async function takeInParts(
  search: MirrorSearch,
  tree: LocalTree,
  read: (path: LocalPath) => string | null,
): Promise<number> {
  const fresh = tree.files
    .values()
    .filter(({ path, digest }) => nameOf(path) !== STRUCTURE_FILE && search.known(path)?.digest !== digest)
    .toArray();
  let indexed = 0;
  for (let at = 0; fresh.length - at > PART; at += PART) {
    indexed += search.update(fresh.slice(at, at + PART), () => true, read);
    await nextTurn();
  }
  return indexed;
}

function columnOf(ranges: readonly Range[]): number | null {
  return ranges[0] === undefined ? null : ranges[0][0] + 1;
}
