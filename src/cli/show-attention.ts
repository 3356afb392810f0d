/** Formats open problems as lines. A cause that several documents share is printed once. */

import type { RunReport } from "../mirror/folder/run.ts";
import { formatOrigin } from "../mirror/operations/results/actions.ts";
import { findNextStep, findNextStepOfKind } from "../mirror/operations/results/attention.ts";
import { cutLines, formatCounts, joinNames, type Paint, PLAIN_PAINT } from "./text.ts";
import { count, plural } from "../common/quantities.ts";
import { shownName, shownWords } from "../common/shown-words.ts";
import { compareByPath } from "../mirror/model/by-path.ts";

type AttentionItem = RunReport["attention"][number];

/** Smallest number of documents with the same cause that are printed together. */
const MIN_SHARED = 4;
/** LIMIT: number of documents that are named for one cause, so that the output stays short. */
const MAX_NAMES = 5;

/**
 * Returns lines that show open problems. Lists at most `most` problems or groups of problems with
 * the same cause, then the number of problems that are not listed.
 */
export function formatAttention(all: readonly AttentionItem[], most: number, paint: Paint = PLAIN_PAINT): string[] {
  const causes = [...Map.groupBy(all, ({ kind, code, detail }) => JSON.stringify([kind, code, detail])).values()];
  const sharedCauses = causes.filter((group) => group.length >= MIN_SHARED).toSorted((a, b) => b.length - a.length);
  const singleProblems = causes.filter((group) => group.length < MIN_SHARED).flat();
  // Problems without a path come first, because they concern the whole folder.
  const sortedSingles = [
    ...singleProblems.filter(({ path }) => path === ""),
    ...singleProblems.filter(({ path }) => path !== "").toSorted(compareByPath),
  ];
  const blocks = [
    ...sharedCauses.map((group) => formatSharedProblem(group, paint)),
    ...sortedSingles.map((row) => formatProblem(row, paint)),
  ];
  return cutLines(blocks, most, "", ": mdmirror status");
}

/**
 * Returns a clause with the error code and request id of a problem. Omits the code if the problem's
 * description ends with the code.
 */
function formatItemOrigin({ code, detail, requestId }: AttentionItem): string {
  return formatOrigin(code !== null && detail.endsWith(`(${code})`) ? null : code, requestId);
}

function formatProblem(problem: AttentionItem, paint: Paint): string[] {
  const { path, kind, detail } = problem;
  return [
    `${path === "" ? "" : `${paint.strong(shownName(path))}: `}${paint.asks(kind)}: ${shownWords(detail)}${formatItemOrigin(problem)}`,
    paint.dim(`  next: ${shownWords(findNextStep(problem))}`),
  ];
}

function formatSharedProblem(group: readonly AttentionItem[], paint: Paint): string[] {
  const [first] = group;
  const { kind, detail } = first!;
  const names = group.toSorted(compareByPath).map(({ path }) => shownName(path));
  return [
    `${paint.strong(`${count(group.length)} documents`)}: ${paint.asks(kind)}: ${shownWords(detail)}${formatItemOrigin(first!)}`,
    `  ${joinNames(names, MAX_NAMES)}`,
    paint.dim(`  next: ${findNextStepOfKind(first!)}`),
  ];
}

/**
 * LIMIT: number of new problems, and of ended problems, that are listed after a run, so that the
 * output stays short.
 */
const MAX_PROBLEMS = 20;

/**
 * Returns a function that `watch` calls after each run. The function remembers the problems of each
 * folder, and returns lines about new problems, ended problems, and the number of open problems.
 */
export function trackProblems(): (
  root: string,
  report: Pick<RunReport, "attention" | "state" | "expectedStopReasons">,
) => string[] {
  const knownProblems = new Map<string, ReadonlyMap<string, AttentionItem>>();
  return (root, { attention, state, expectedStopReasons }) => {
    // While the service is unreachable, nothing is scanned, so no problem can begin or end.
    if (state === "offline") return [];
    const problemsToFix = attention.filter(({ waits }) => !waits);
    const currentProblems = new Map(problemsToFix.map((problem) => [toProblemKey(problem), problem]));
    const previousProblems = knownProblems.get(root) ?? new Map<string, AttentionItem>();
    knownProblems.set(root, currentProblems);
    const newProblems = problemsToFix.filter((problem) => !previousProblems.has(toProblemKey(problem)));
    // A problem counts as ended only if its folder or document has no other problem of the same
    // kind. A new description alone does not end a problem.
    const endedProblems = [...previousProblems.values()].filter(
      (problem) => !problemsToFix.some(({ path, kind }) => path === problem.path && kind === problem.kind),
    );
    if (newProblems.length === 0 && endedProblems.length === 0) return [];
    // If a safety check stops the sync, another message already asks the user to act. "No problem
    // is left" would then be misleading.
    const needsAnswer = currentProblems.size === 0 && (state === "stopped" || expectedStopReasons !== undefined);
    const leftLines =
      !needsAnswer && (currentProblems.size > newProblems.length || endedProblems.length > 0)
        ? [formatProblemsLeft(currentProblems.size)]
        : [];
    return [...formatAttention(newProblems, MAX_PROBLEMS), ...formatEndedProblems(endedProblems), ...leftLines];
  };
}

function toProblemKey({ path, kind, code, detail }: AttentionItem): string {
  return JSON.stringify([path, kind, code, detail]);
}

function formatEndedProblems(ended: readonly AttentionItem[]): readonly string[] {
  const lines = ended
    .toSorted(compareByPath)
    .map(({ path, kind }) => `ended: ${path === "" ? "" : `${shownName(path)}: `}${kind}`);
  return cutLines(lines, MAX_PROBLEMS, "", " are fixed");
}

function formatProblemsLeft(left: number): string {
  return left === 0 ? "no problem is left" : `${plural(left, "problem")} left to fix: mdmirror status`;
}

const STAYS_LOCAL_WORDS: Readonly<Record<keyof NonNullable<RunReport["staysLocal"]>, string>> = {
  "other-file": "not Markdown",
  ignored: "ignored by .mdmirrorignore",
  "ignored-folder": "folders ignored by .mdmirrorignore",
  "git-ignored": "left out by .gitignore",
  "git-ignored-folder": "folders left out by .gitignore",
  "dot-folder": "dot folders",
  litter: "temporary files of editors",
  "conflict-copy": "conflict copies: (theirs) and (mine) files",
  symlink: "symbolic links",
  special: "devices, sockets and pipes",
};

/** Returns a line such as `stays local: 3 not Markdown`; null if every file is synced. */
export function formatStaysLocal(stays: RunReport["staysLocal"]): string | null {
  const kinds = Object.keys(STAYS_LOCAL_WORDS) as (keyof typeof STAYS_LOCAL_WORDS)[];
  const stayWords = formatCounts(kinds.map((kind) => [stays?.[kind] ?? 0, STAYS_LOCAL_WORDS[kind]]));
  return stayWords === "" ? null : `stays local: ${stayWords}`;
}
