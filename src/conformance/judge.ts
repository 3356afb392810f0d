import type { FileResource } from "../contract/resources.ts";
import { isBelow, limitChangesTo, NoAnswerError, NotOfferedError, rememberLastAnswer } from "./observe.ts";
import { Api, type CheckedReply, type ContractCase, type Exchange } from "./world.ts";
import { AssertionError } from "node:assert";
import { describeFailure } from "../common/wire.ts";
import { ok, refusal, type Result, trouble } from "../common/trouble.ts";
import { CASES_BY_SECTION, type Section } from "./sections.ts";

/**
 * LIMIT: number of pages that are read of one list. Without this limit, an error of the tested
 * service could make the list endless.
 */
const MAX_PAGES = 50;

/**
 * Suffixes in the names of folders that cases create. A case creates its own folder (no suffix),
 * and may create folders with other suffixes beside it.
 */
const NAME_SUFFIXES = ["", "-2", "-moved"] as const;

/**
 * Deletes the folder of a case with its documents, and the folders that the case created beside
 * this folder.
 * @returns true if the service lists none of these folders afterwards; false also if an answer is
 * not a list
 */
async function clearCase(exchange: Exchange, key: string, folder: string): Promise<boolean> {
  const api = new Api(exchange, key);
  const fileUrl = `files?path=${folder}.md`;
  const folderUrls = NAME_SUFFIXES.map((suffix) => `folders?path=${folder}${suffix}`);
  try {
    await deleteFiles(api, folder, fileUrl);
    for (const listUrl of folderUrls) await deleteFolders(api, folder, listUrl);
    for (const listUrl of [fileUrl, ...folderUrls]) if ((await listItems(api, listUrl)).length > 0) return false;
    return true;
  } catch (error) {
    if (error instanceof NoAnswerError) throw error;
    // If an answer is not a list, the items may still be on the service.
    return false;
  }
}

async function deleteFolders(api: Api, folder: string, listUrl: string): Promise<void> {
  for (const { id } of await listOwn(api, folder, listUrl)) {
    if ((await api.delete(`/v1/folders/${id}?recursive=true`)).status === 204) continue;
    await deleteFiles(api, folder, `files?path_prefix=${folder}`);
    await api.delete(`/v1/folders/${id}?recursive=true`);
  }
}

async function deleteFiles(api: Api, folder: string, listUrl: string): Promise<void> {
  for (const file of await listOwn(api, folder, listUrl)) {
    if (file.protected) await api.patch(`/v1/files/${file.id}`, { protected: false });
    await api.delete(`/v1/files/${file.id}`);
  }
}

/**
 * Returns only the items of the case. The list may contain other items, because a tested service
 * may ignore the filter.
 */
async function listOwn(api: Api, folder: string, listUrl: string): Promise<FileResource[]> {
  return (await listItems(api, listUrl)).filter(({ path }) => isBelow(String(path), folder.slice(1)));
}

/** @throws if an answer is not a list */
async function listItems(api: Api, listUrl: string): Promise<FileResource[]> {
  const items: FileResource[] = [];
  let cursor = "";
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const { json } = await api.get(`/v1/${listUrl}${cursor}`);
    items.push(...json.data);
    if (typeof json.nextCursor !== "string") break;
    cursor = `&cursor=${encodeURIComponent(json.nextCursor)}`;
  }
  return items;
}

type CaseDifference = {
  readonly title: string;
  readonly basis: ContractCase["basis"];
  /** Last answered request of the case, such as `GET /v1/files`; null if there is none. */
  readonly request: string | null;
  /** HTTP status of the last answer; null if no request was answered. */
  readonly status: number | null;
  readonly detail: string;
};

export type SectionReport = {
  readonly section: Section;
  passed: number;
  readonly differences: CaseDifference[];
  /** Cases that need an optional operation which the service does not have. */
  readonly notOffered: { readonly title: string; readonly operation: string }[];
  /** Titles of cases that did not run, because they leave a review or a folder on the service. */
  readonly skipped: string[];
};

export type ConformanceReport = {
  /** True if the run is complete, and no case of the published contract found a difference. */
  readonly conforms: boolean;
  /** False if the run was stopped before all cases had run. */
  readonly isComplete: boolean;
  readonly sections: readonly SectionReport[];
  /** Paths of folders of cases that could not be deleted from the service. */
  readonly leftBehind: readonly string[];
};

export type JudgeOptions = {
  readonly url: string;
  readonly exchange: Exchange;
  readonly key: string;
  /** Prefix of the names of all folders that the cases create in the root of the workspace. */
  readonly name: string;
  readonly sections: readonly Section[];
  /** True if the run includes cases that leave a change in review or a folder on the service. */
  readonly leaveBehind: boolean;
  readonly onCase: (done: number, total: number) => void;
  /** Signal that ends the run after the current case. */
  readonly stop: AbortSignal;
};

/**
 * Runs the cases against a service. Each case gets its own folder, which is deleted afterwards; the
 * report lists the folders that the service did not delete. The cases may list documents outside
 * these folders, but never change such documents.
 */
export async function judgeService(callerOptions: JudgeOptions): Promise<Result<ConformanceReport>> {
  const options = { ...callerOptions, exchange: limitChangesTo(callerOptions.exchange, callerOptions.name) };
  try {
    return (await probeService(options)) ?? ok(await runSections(options));
  } catch (error) {
    if (!(error instanceof NoAnswerError)) throw error;
    const failure = `the service cannot be reached (${callerOptions.url}): ${describeFailure(error.message)}`;
    return trouble("offline", failure, "check the URL, then run it again");
  }
}

/**
 * Checks whether the cases can run: lists files, creates a folder, and deletes this folder. Returns
 * the reason why the cases cannot run; null if they can.
 */
async function probeService({ exchange, key, url, name, leaveBehind }: JudgeOptions): Promise<Result<never> | null> {
  const api = new Api(exchange, key);
  const listReply = await api.get("/v1/files?limit=1");
  if (listReply.status !== 200) return explainRefusal("GET /v1/files", listReply);
  // If the answer is not a list, the URL is that of another program or of a login page.
  if (!Array.isArray(listReply.json?.data))
    return trouble("offline", `the answer of ${url} to GET /v1/files is no list`, "check the URL");
  const folder = `/${name}`;
  const creationReply = await api.post("/v1/folders", { path: folder });
  if (creationReply.status === 401 || creationReply.status === 403)
    return explainRefusal("POST /v1/folders", creationReply);
  if ((await clearCase(exchange, key, folder)) || leaveBehind) return null;
  const failure = `the service did not delete the folder ${folder}, so that each case would leave one`;
  return refusal(failure, "to run the cases and leave their folders: add --leave-behind");
}

function explainRefusal(request: string, { status }: CheckedReply): Result<never> {
  const nextStep = "check the URL and the key; the key needs full access to the workspace";
  return trouble("offline", `the service answered ${request} with status ${status}`, nextStep);
}

async function runSections(options: JudgeOptions): Promise<ConformanceReport> {
  const sections = options.sections.map(
    (section): SectionReport => ({ section, passed: 0, differences: [], notOffered: [], skipped: [] }),
  );
  const pendingCases = sections.flatMap((report) => CASES_BY_SECTION[report.section].map((test) => ({ report, test })));
  const remainingFolders: string[] = [];
  let resultCount = 0;
  for (const [number, { report, test }] of pendingCases.entries()) {
    if (options.stop.aborted) break;
    options.onCase(number, pendingCases.length);
    const folder = `/${options.name}-${number}`;
    if (test.leavesReview && !options.leaveBehind) {
      report.skipped.push(test.title);
      resultCount++;
      continue;
    }
    if (await runCase(test, options, folder, report)) resultCount++;
    if (!(await clearCase(options.exchange, options.key, folder))) remainingFolders.push(folder);
  }
  const isComplete = resultCount === pendingCases.length;
  return { conforms: isComplete && !differsFromContract(sections), isComplete, sections, leftBehind: remainingFolders };
}

/** Returns true if a case of the published contract found a difference. */
export function differsFromContract(sections: readonly SectionReport[]): boolean {
  return sections.some(({ differences }) => differences.some(({ basis }) => basis === "published"));
}

/**
 * Runs a case and adds its result to the report.
 * @returns false if the run was stopped during the case, so that the case has no result
 * @throws NoAnswerError if the service can no longer be reached
 */
async function runCase(
  { title, basis, run }: ContractCase,
  { exchange, key, stop }: JudgeOptions,
  path: string,
  report: SectionReport,
): Promise<boolean> {
  const { observe, last } = rememberLastAnswer(exchange);
  const api = new Api(observe, key);
  try {
    const folder = await api.folder(path);
    await run({ api, folder, indexesLate: true, as: (otherKey) => new Api(observe, otherKey) });
    report.passed++;
  } catch (error) {
    // After a stop, a request that the service refused with `Retry-After` is not repeated. So the
    // case may have failed because of the stop.
    if (stop.aborted) return false;
    if (error instanceof NotOfferedError) {
      report.notOffered.push({ title, operation: error.operation });
      return true;
    }
    // One lost answer counts as a difference. The request for a list throws too if the service can
    // no longer be reached; the run then ends.
    if (error instanceof NoAnswerError) await api.get("/v1/files?limit=1");
    report.differences.push({ title, basis, ...last(), detail: describeError(error as Error) });
  }
  return true;
}

const MAX_VALUE_CHARACTERS = 200;

function describeError(error: Error): string {
  if (!(error instanceof AssertionError) || error.expected === undefined) return error.message.split("\n", 1)[0]!;
  return `expected ${formatValue(error.expected)}, got ${formatValue(error.actual)}`;
}

function formatValue(value: unknown): string {
  const text = value instanceof RegExp ? String(value) : (JSON.stringify(value) ?? "nothing");
  return text.length > MAX_VALUE_CHARACTERS ? `${text.slice(0, MAX_VALUE_CHARACTERS)}…` : text;
}
