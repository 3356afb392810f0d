/**
 * Searches the linked folder offline, with the service's code and an index in
 * `.mdmirror/search.db`.
 */

import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { SEARCH_REGEX_LINES } from "../../contract/limits.ts";
import { type LocalPath, isWithin, nameOf } from "../../contract/path.ts";
import type { Disk } from "../ports/disk.ts";
import type { Random } from "../../common/random.ts";
import type { CompiledRegex } from "../../markdown/search/engine.ts";
import { searchHybrid } from "../../markdown/search/hybrid.ts";
import { searchRegex } from "../../markdown/search/regex.ts";
import type { Range } from "../../markdown/search/snippets.ts";
import { SearchScheduler } from "../../markdown/search/scheduler.ts";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { isFileFault, type MirrorSearch, openSearch, removeSearch } from "../state/search.ts";
import { SEARCH_FILE } from "../state/search-file.ts";
import { openDisk } from "../folder/open-local.ts";
import { ok, type Result, trouble } from "../../common/trouble.ts";
import { STRUCTURE_FILE } from "../../contract/names.ts";
import type { LocalTree } from "../model/tree.ts";

type SearchRequest = { readonly query: string; readonly regex: boolean; readonly limit: number };

type FoundLine = {
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
 * Updates the index from the disk, then searches the index. Needs no lock, key or network; writes
 * only the index. Pauses between parts, so that other work can run.
 * @param dir absolute path of a folder that has `.mdmirror/`
 */
export async function searchMirror(dir: string, random: Random, request: SearchRequest): Promise<Result<SearchReport>> {
  const regex = request.regex ? await compile(request.query) : ok(null);
  if (regex.kind === "trouble") return regex;
  const root = existsSync(dir) ? realpathSync(dir) : dir;
  const folder = join(root, MIRROR_FOLDER);
  const context: SearchContext = { disk: openDisk(root, { random }), request, regex: regex.value };
  try {
    return ok(await searchIn(folder, context));
  } catch (error) {
    if (!isFileFault(error)) throw error;
    removeSearch(folder);
    const report = await searchIn(folder, context);
    return ok({ ...report, notes: [`${SEARCH_FILE} was damaged; mdmirror builds it again`, ...report.notes] });
  }
}

type SearchContext = {
  readonly disk: Disk;
  readonly request: SearchRequest;
  /** Compiled pattern of the query; null if the query is words. */
  readonly regex: CompiledRegex | null;
};

/** @param folder path of `.mdmirror`, which contains the index */
async function searchIn(folder: string, context: SearchContext): Promise<SearchReport> {
  const { search, notes } = openIndex(folder);
  try {
    const update = await updateIndex(search, context.disk);
    return { files: await filesFound(search, context), indexed: update.indexed, notes: [...notes, ...update.notes] };
  } finally {
    search.close();
  }
}

async function filesFound(search: MirrorSearch, { disk, request, regex }: SearchContext): Promise<FoundFile[]> {
  const { query, limit } = request;
  const source = search.source({ read: (path: LocalPath) => readText(disk, path) });
  const pace = new SearchScheduler((begin) => void setImmediate(begin)).permitFor(() => false);
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

/**
 * Opens the index of the folder. If its file cannot be written, opens an index for this search
 * alone.
 */
function openIndex(folder: string): { readonly search: MirrorSearch; readonly notes: readonly string[] } {
  const opened = openSearch(folder);
  if (opened.kind === "opened") return { search: opened.search, notes: [] };
  const memory = openSearch(":memory:");
  if (memory.kind !== "opened") throw new Error(`an index in memory cannot be made: ${memory.code}`);
  const note = `${SEARCH_FILE} cannot be written (${opened.code}): the index is made for this search alone`;
  return { search: memory.search, notes: [note] };
}

async function updateIndex(search: MirrorSearch, disk: Disk): Promise<Update> {
  const walk = disk.walkInParts(
    (path) => search.known(path),
    () => undefined,
  );
  const tree = await runInTurns(walk);
  try {
    const indexed = await runInTurns(indexChangedFiles(search, tree, (path) => readText(disk, path)));
    return { indexed, notes: [] };
  } catch (error) {
    // Another search is writing the index, or the disk is full. The outdated index is still useful.
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (!/^SQLITE_(BUSY|FULL|READONLY|IOERR)/.test(code)) throw error;
    return { indexed: 0, notes: [`${SEARCH_FILE} could not be brought up to date (${code})`] };
  }
}

/** Runs work in parts. Other work of the event loop runs between two parts. */
async function runInTurns<T>(work: Generator<void, T>): Promise<T> {
  for (;;) {
    const part = work.next();
    if (part.done === true) return part.value;
    await nextTurn();
  }
}

function columnOf(ranges: readonly Range[]): number | null {
  return ranges[0] === undefined ? null : ranges[0][0] + 1;
}

/** LIMIT: documents that are indexed before other work can run. */
const DOCUMENTS_AT_ONCE = 200;

/**
 * Indexes the files of a walk that changed, and removes missing files. Pauses between parts, so
 * that other work can run. Returns how many files it read.
 */
function* indexChangedFiles(
  search: MirrorSearch,
  tree: LocalTree,
  read: (path: LocalPath) => string | null,
): Generator<void, number> {
  const unseen = [...tree.unseen.keys()];
  // The file with the rules of a folder is not a document, so a search does not find it, as on the
  // service.
  const files = [...tree.files.values()].filter(({ path }) => nameOf(path) !== STRUCTURE_FILE);
  const changed = files.filter(({ path, digest }) => search.known(path)?.digest !== digest);
  let updates = 0;
  for (let start = 0; changed.length - start > DOCUMENTS_AT_ONCE; start += DOCUMENTS_AT_ONCE) {
    updates += search.update(changed.slice(start, start + DOCUMENTS_AT_ONCE), () => true, read);
    yield;
  }
  return updates + search.update(files, (path) => unseen.some((above) => isWithin(path, above) || above === ""), read);
}

function readText(disk: Pick<Disk, "read">, path: LocalPath): string | null {
  const read = disk.read(path);
  return read.kind === "done" ? read.value.text : null;
}
