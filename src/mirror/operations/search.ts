/** Searches the local files with the service's search code and the index `.mdmirror/search.db`. */
import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  countCharacters,
  SEARCH_QUERY_CHARACTERS,
  SEARCH_REGEX_LINES,
  SEARCH_REGEX_PATTERN_CHARACTERS,
} from "../../contract/limits.ts";
import { isWithin, type LocalPath, nameOf } from "../../contract/path.ts";
import type { Disk } from "../ports/disk.ts";
import type { Random } from "../../common/random.ts";
import type { CompiledRegex } from "../../markdown/search/engine.ts";
import { searchHybrid } from "../../markdown/search/hybrid.ts";
import { searchRegex } from "../../markdown/search/regex.ts";
import type { CharacterRange } from "../../markdown/search/snippets.ts";
import { SearchScheduler } from "../../markdown/search/scheduler.ts";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { isIndexFault, type MirrorSearch, openSearch, removeSearch, SEARCH_FILE } from "../state/search.ts";
import { openDisk } from "../folder/open-local.ts";
import { ok, refusal, type Result } from "../../common/trouble.ts";
import { STRUCTURE_FILE } from "../../contract/names.ts";
import type { LocalTree } from "../model/tree.ts";

type SearchRequest = { readonly query: string; readonly regex: boolean; readonly limit: number };

type FoundLine = {
  readonly line: number;
  /** Column of the line's first match, in characters from 1; null if the snippet has no match. */
  readonly column: number | null;
  readonly text: string;
  readonly ranges: readonly CharacterRange[];
};
export type FoundFile = {
  readonly path: LocalPath;
  readonly score: number | null;
  readonly lines: readonly FoundLine[];
};

type SearchReport = {
  readonly files: readonly FoundFile[];
  /** Number of files that this search had to read, because the index was out of date. */
  readonly indexed: number;
  readonly notes: readonly string[];
};

/**
 * Updates the index, then searches the index. Needs no lock, key or network, and writes only the
 * index. Pauses regularly, so that other work of the process can run.
 * @param dir absolute path of a folder that has `.mdmirror/`
 */
export async function searchMirror(dir: string, random: Random, request: SearchRequest): Promise<Result<SearchReport>> {
  const compiledRegex = request.regex ? await compilePattern(request.query) : ok(null);
  if (compiledRegex.kind === "trouble") return compiledRegex;
  const root = existsSync(dir) ? realpathSync(dir) : dir;
  const folder = join(root, MIRROR_FOLDER);
  const context: SearchContext = { disk: openDisk(root, { random }), request, regex: compiledRegex.value };
  try {
    return ok(await searchIndexed(folder, context));
  } catch (error) {
    if (!isIndexFault(error)) throw error;
    removeSearch(folder);
    const report = await searchIndexed(folder, context);
    return ok({ ...report, notes: [`${SEARCH_FILE} was damaged; mdmirror builds it again`, ...report.notes] });
  }
}

type SearchContext = {
  readonly disk: Disk;
  readonly request: SearchRequest;
  /** Compiled regular expression; null if the query consists of words. */
  readonly regex: CompiledRegex | null;
};

/** @param folder absolute path of `.mdmirror`, which contains the index */
async function searchIndexed(folder: string, context: SearchContext): Promise<SearchReport> {
  const { search, notes } = openIndex(folder);
  try {
    const indexUpdate = await updateIndex(search, context.disk);
    return {
      files: await findFiles(search, context),
      indexed: indexUpdate.indexed,
      notes: [...notes, ...indexUpdate.notes],
    };
  } finally {
    search.close();
  }
}

async function findFiles(search: MirrorSearch, { disk, request, regex }: SearchContext): Promise<FoundFile[]> {
  const { query, limit } = request;
  const searchSource = search.source({ read: (path: LocalPath) => readContent(disk, path) });
  const pace = new SearchScheduler((begin) => void setImmediate(begin)).permitFor(() => false);
  if (regex === null) {
    const hybridResult = await searchHybrid(searchSource, pace, query, limit);
    if (hybridResult.kind !== "found") throw new Error("nothing ends a local search");
    return hybridResult.hits.map(({ found, score, snippets }) => {
      return {
        path: found.path,
        score,
        lines: snippets.map((one) => ({ ...one, column: readFirstColumn(one.ranges) })),
      };
    });
  }
  const limits = { limit, steps: Number.POSITIVE_INFINITY, lines: SEARCH_REGEX_LINES };
  const regexResult = await searchRegex(searchSource, pace, regex, limits);
  if (regexResult.kind !== "found") throw new Error("nothing ends a local search");
  return regexResult.hits.map(({ found, matches }) => ({ path: found.path, score: null, lines: matches }));
}

async function compilePattern(pattern: string) {
  const { compileRegex } = await import("../../markdown/search/engine.ts");
  const compileResult = compileRegex(pattern);
  if (compileResult.kind === "compiled") return ok(compileResult.regex);
  return refusal(
    `the pattern cannot be used: ${compileResult.why}`,
    "see RE2's syntax; without --regex, QUERY is searched for literally",
  );
}

/** Opens the index of a folder. If the file cannot be written, creates the index in memory. */
function openIndex(folder: string): { readonly search: MirrorSearch; readonly notes: readonly string[] } {
  const indexResult = openSearch(folder);
  if (indexResult.kind === "opened") return { search: indexResult.search, notes: [] };
  const memoryIndex = openSearch(":memory:");
  if (memoryIndex.kind !== "opened") throw new Error(`an index in memory cannot be made: ${memoryIndex.code}`);
  const note = `${SEARCH_FILE} cannot be written (${indexResult.code}): the index is made for this search alone`;
  return { search: memoryIndex.search, notes: [note] };
}

async function updateIndex(search: MirrorSearch, disk: Disk): Promise<Omit<SearchReport, "files">> {
  const tree = await runInTurns(disk.walkInParts((path) => search.known(path)));
  try {
    const indexedCount = await runInTurns(indexChangedFiles(search, tree, (path) => readContent(disk, path)));
    return { indexed: indexedCount, notes: [] };
  } catch (error) {
    // Another search is writing the index, or the disk is full. The old index is good enough for
    // this search.
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (!/^SQLITE_(BUSY|FULL|READONLY|IOERR)/.test(code)) throw error;
    return { indexed: 0, notes: [`${SEARCH_FILE} could not be brought up to date (${code})`] };
  }
}

/** Runs a generator step by step. Between two steps, the event loop can do other work. */
async function runInTurns<T>(work: Generator<void, T>): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    await nextTurn();
  }
}

function readFirstColumn(ranges: readonly CharacterRange[]): number | null {
  return ranges[0] === undefined ? null : ranges[0][0] + 1;
}

/** LIMIT: number of documents indexed in one turn of the event loop, so that other work can run. */
const DOCUMENTS_AT_ONCE = 200;

/** Updates the index from changed and missing files. Returns the number of files read. */
function* indexChangedFiles(
  search: MirrorSearch,
  tree: LocalTree,
  read: (path: LocalPath) => string | null,
): Generator<void, number> {
  const unseenPaths = [...tree.unseen.keys()];
  // The service's search ignores files that have the rules of a folder, so local search also
  // ignores such files.
  const files = [...tree.files.values()].filter(({ path }) => nameOf(path) !== STRUCTURE_FILE);
  const changedFiles = files.filter(({ path, digest }) => search.known(path)?.digest !== digest);
  let updateCount = 0;
  for (let start = 0; changedFiles.length - start > DOCUMENTS_AT_ONCE; start += DOCUMENTS_AT_ONCE) {
    updateCount += search.update(changedFiles.slice(start, start + DOCUMENTS_AT_ONCE), () => true, read);
    yield;
  }
  return (
    updateCount +
    search.update(files, (path) => unseenPaths.some((above) => isWithin(path, above) || above === ""), read)
  );
}

function readContent(disk: Pick<Disk, "read">, path: LocalPath): string | null {
  const readResult = disk.read(path);
  return readResult.kind === "done" ? readResult.value.text : null;
}

export function findQueryFault(query: string, regex: boolean): string | null {
  if (query.trim() === "" && !regex) return "QUERY is blank";
  if (query === "") return "QUERY is empty";
  if (regex && /[\n\r]/.test(query)) return "a pattern is one line";
  const maxCharacters = regex ? SEARCH_REGEX_PATTERN_CHARACTERS : SEARCH_QUERY_CHARACTERS;
  return countCharacters(query) > maxCharacters ? `QUERY has more than ${maxCharacters} characters` : null;
}
