/**
 * Formats open problems as lines. A cause that several documents share is printed first and only
 * once.
 */

import type { RunReport } from "../mirror/folder/run.ts";
import { originClause } from "../mirror/operations/results/origin.ts";
import { nextFor, nextForEach } from "../mirror/operations/results/next-step.ts";
import { countWords, firstLines, type Paint, PLAIN } from "./text.ts";
import { count, plural } from "../common/count.ts";
import { shownName, shownWords } from "../common/shown-name.ts";
import { byPath } from "../mirror/model/by-path.ts";

type Attention = RunReport["attention"][number];

/** LIMIT: number of documents with the same cause from which they are shown as one entry. */
const LEAST_SHARED = 4;
/** LIMIT: names shown for one cause. */
const MAX_NAMES = 5;

/**
 * Returns lines that show open problems.
 * @param most number of entries to show; the entries after these are only counted
 */
export function attentionLines(all: readonly Attention[], most: number, paint: Paint = PLAIN): string[] {
  const causes = [...Map.groupBy(all, ({ kind, code, detail }) => JSON.stringify([kind, code, detail])).values()];
  const shared = causes.filter((group) => group.length >= LEAST_SHARED).toSorted((a, b) => b.length - a.length);
  const single = causes.filter((group) => group.length < LEAST_SHARED).flat();
  // Problems without a path come first, because they concern the whole folder.
  const alone = [
    ...single.filter(({ path }) => path === ""),
    ...single.filter(({ path }) => path !== "").toSorted(byPath),
  ];
  const blocks = [...shared.map((group) => sharedLines(group, paint)), ...alone.map((row) => aloneLines(row, paint))];
  const more = blocks.length > most ? [`… and ${count(blocks.length - most)} more: mdmirror status`] : [];
  return [...blocks.slice(0, most).flat(), ...more];
}

/**
 * Returns a clause with the error code and the request id of a problem. Leaves the code out if the
 * description of the problem ends with it.
 */
function originOf({ code, detail, requestId }: Attention): string {
  return originClause(code !== null && detail.endsWith(`(${code})`) ? null : code, requestId);
}

function aloneLines(problem: Attention, paint: Paint): string[] {
  const { path, kind, detail } = problem;
  return [
    `${path === "" ? "" : `${paint.strong(shownName(path))}: `}${paint.asks(kind)}: ${shownWords(detail)}${originOf(problem)}`,
    paint.dim(`  next: ${shownWords(nextFor(problem))}`),
  ];
}

function sharedLines(group: readonly Attention[], paint: Paint): string[] {
  const [first] = group;
  const { kind, detail } = first!;
  const names = group
    .toSorted(byPath)
    .slice(0, MAX_NAMES)
    .map((problem) => shownName(problem.path))
    .join(", ");
  const more = group.length > MAX_NAMES ? ` and ${count(group.length - MAX_NAMES)} more` : "";
  return [
    `${paint.strong(`${count(group.length)} documents`)}: ${paint.asks(kind)}: ${shownWords(detail)}${originOf(first!)}`,
    `  ${names}${more}`,
    paint.dim(`  next: ${nextForEach(first!)}`),
  ];
}

/** LIMIT: problems of each kind that are listed after a run. */
const MAX_PROBLEMS = 20;

/**
 * Returns a function for `watch` that makes the lines after each run: new problems, ended problems,
 * and how many problems are left. The function remembers the problems of each folder.
 */
export function trackProblems(): (
  root: string,
  report: Pick<RunReport, "attention" | "state" | "expectedStopReasons">,
) => string[] {
  const known = new Map<string, ReadonlyMap<string, Attention>>();
  return (root, { attention, state, expectedStopReasons }) => {
    // While the service is unreachable, nothing is scanned, so no problem can begin or end.
    if (state === "offline") return [];
    const needing = attention.filter(({ waits }) => !waits);
    const current = new Map(needing.map((problem) => [keyOf(problem), problem]));
    const before = known.get(root) ?? new Map<string, Attention>();
    known.set(root, current);
    const fresh = needing.filter((problem) => !before.has(keyOf(problem)));
    // A problem with a new description is still the same problem.
    const ended = [...before.values()].filter(
      (problem) => !needing.some(({ path, kind }) => path === problem.path && kind === problem.kind),
    );
    if (fresh.length === 0 && ended.length === 0) return [];
    // The number of open problems is not shown after a stop or before an expected stop, because
    // another message already asks the user to act.
    const isStopAnswerNeeded = current.size === 0 && (state === "stopped" || expectedStopReasons !== undefined);
    const left =
      !isStopAnswerNeeded && (current.size > fresh.length || ended.length > 0) ? [leftLine(current.size)] : [];
    return [...attentionLines(fresh, MAX_PROBLEMS), ...endedLines(ended), ...left];
  };
}

function keyOf({ path, kind, code, detail }: Attention): string {
  return JSON.stringify([path, kind, code, detail]);
}

function endedLines(ended: readonly Attention[]): readonly string[] {
  const lines = ended
    .toSorted(byPath)
    .map(({ path, kind }) => `ended: ${path === "" ? "" : `${shownName(path)}: `}${kind}`);
  return firstLines(lines, MAX_PROBLEMS, "", " are fixed");
}

function leftLine(left: number): string {
  return left === 0 ? "no problem is left" : `${plural(left, "problem")} left to fix: mdmirror status`;
}

const STAY_WORDS: Readonly<Record<keyof NonNullable<RunReport["staysLocal"]>, string>> = {
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

/**
 * Returns a line that counts files that are not synced, such as `stays local: 3 not Markdown, 1 dot
 * folders`. Returns null if every file is synced.
 */
export function stayLine(stays: RunReport["staysLocal"]): string | null {
  const kinds = Object.keys(STAY_WORDS) as (keyof typeof STAY_WORDS)[];
  const words = countWords(kinds.map((kind) => [stays?.[kind] ?? 0, STAY_WORDS[kind]]));
  return words === "" ? null : `stays local: ${words}`;
}
