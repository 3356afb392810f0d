import type { ResultEnds } from "../mirror/operations/define.ts";
import { NOT_BEGUN } from "../mirror/model/not-begun.ts";
import { count } from "../common/count.ts";
import { shownName, shownWords } from "../common/shown-name.ts";
import type { Io } from "./command.ts";
import { countWords, firstLines } from "./text.ts";
import { EXIT, type ExitCode } from "./exit.ts";

/** Shows the items of an operation: what a plan would do with them, and what was done. */

type OperationItem = ResultEnds["items"][number];

/**
 * Words of a command. `word`: participle, as in `3 resolved`; `detail`: clause about one item that
 * is planned or done; "" if there is none.
 */
export type ItemWords<One> = { readonly word: string; readonly detail?: (item: One) => string };

/** LIMIT: items with the same end that are shown; `--json` has all of them. */
const SHOWN = 10;

/** Returns a line for each item of a plan, and in a dry run their number. */
export function plannedLines<One extends OperationItem>(
  items: readonly One[],
  { word, detail }: ItemWords<One>,
  isDryRun: boolean,
): string[] {
  if (items.length === 0) return ["nothing to do"];
  const able = items.filter(({ end }) => end !== "left");
  return [
    ...able.map((item) => {
      const clause = item.end === "done" ? `is already ${word}` : detail?.(item) || `will be ${word}`;
      return `  ${shownName(item.path)}  ${clause}`;
    }),
    ...leftAloneLines(items.filter(({ end }) => end === "left")),
    ...(isDryRun ? [`${countsLine(items, "planned", `would be ${word}`)}; nothing was done`] : []),
  ];
}

/**
 * Shows the ends of the items, and their number.
 * @param wasPlanned true if the user has seen the plan, so that only notes and failures are new
 */
export function showEnds<One extends OperationItem>(
  io: Io,
  { run, items }: { readonly run: number | null; readonly items: readonly One[] },
  { word, detail }: ItemWords<One>,
  wasPlanned: boolean,
): void {
  const [only, second] = items;
  if (only?.end === "done" && second === undefined && !wasPlanned) {
    const clause = detail?.(only) ?? "";
    io.out(`${shownName(only.path)}: ${word}${clause === "" ? "" : `: ${clause}`}`);
    for (const note of only.notes) io.out(`  ${shownWords(note)}`);
    return;
  }
  const isNew = ({ end, why, notes }: One) =>
    !wasPlanned || (end === "done" ? notes.length > 0 : end === "failed" && why !== NOT_BEGUN);
  const groups = Map.groupBy(items.filter(isNew), ({ end, why }) => `${end} ${why}`);
  for (const group of groups.values()) showGroup(io, group, word);
  io.out(countsLine(items, "done", word));
  if (run !== null) io.out(`  run ${run}; undo it: mdmirror undo ${run}`);
}

/**
 * Reports that the user stopped the command. The message does not claim that nothing was sent,
 * because some choices are sent immediately.
 * @param again command that continues with the other documents
 */
export function showStopped(io: Io, run: number | null, again = "the same command again"): ExitCode {
  io.err("mdmirror: stopped; no sync followed");
  const back = run === null ? "" : `; undo it: mdmirror undo ${run}`;
  io.err(`  next: upload the changes: mdmirror sync; continue: ${again}${back}`);
  return EXIT.attention;
}

/** Returns lines for the documents that a plan leaves alone, by reason. */
export function leftAloneLines(left: readonly { readonly path: string; readonly why: string }[]): string[] {
  return [...Map.groupBy(left, ({ why }) => why)].flatMap(([why, alike]) => {
    const clause = `  left alone: ${shownWords(why)}`;
    return firstLines(
      alike.map(({ path }) => `  ${shownName(path)}${clause}`),
      SHOWN,
      "  ",
      clause,
    );
  });
}

function showGroup(io: Io, alike: readonly OperationItem[], word: string): void {
  const [{ end, why }] = alike as readonly [OperationItem];
  const put = end === "done" ? io.out : io.err;
  const what = end === "done" ? word : `${end === "left" ? "left alone" : "not done"}: ${shownWords(why)}`;
  for (const { path, notes } of alike.slice(0, SHOWN)) {
    put(`${shownName(path)}: ${what}`);
    for (const note of notes) put(`  ${shownWords(note)}`);
  }
  if (alike.length > SHOWN) put(`  … and ${count(alike.length - SHOWN)} more: ${what}`);
}

/** Returns counts such as `196 resolved, 3 left alone, 1 not done`. */
function countsLine(items: readonly OperationItem[], end: "planned" | "done", word: string): string {
  const of = (wanted: OperationItem["end"]) => items.filter((item) => item.end === wanted).length;
  const others = countWords([
    [end === "planned" ? of("done") : 0, "already are"],
    [of("left"), "left alone"],
    [of("failed"), "not done"],
  ]);
  return `${count(of(end))} ${word}${others === "" ? "" : `, ${others}`}`;
}
