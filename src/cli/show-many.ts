import type { ManyEnd, ManyEnds } from "../mirror/operations/manual/many.ts";
import { count } from "../common/count.ts";
import { shownName, shownWords } from "../common/shown-name.ts";
import type { Io } from "./command.ts";
import { EXIT, type ExitCode } from "./exit.ts";

/** Shows the results of a command on several documents: a line for each, and a sum. */

type Done = Pick<ManyEnds, "run" | "ends"> & {
  /** Participle for the sum, as in `3 resolved`. */
  readonly word: string;
};

type ManyCounts = Readonly<Record<"done" | "left" | "failed", number>>;

export function countsOf(ends: readonly Pick<ManyEnd, "end">[]): ManyCounts {
  const of = (wanted: ManyEnd["end"]) => ends.filter(({ end }) => end === wanted).length;
  return { done: of("done"), left: of("left"), failed: of("failed") };
}

export function showMany(io: Io, { run, ends, word }: Done): void {
  const groups = Map.groupBy(ends, ({ end, why }) => `${end} ${why}`);
  for (const group of groups.values()) showGroup(io, group, word);
  io.out(countsLine(countsOf(ends), word));
  if (run !== null) io.out(undoLine(run));
}

/**
 * Reports that a person stopped the command. Does not claim that nothing was sent, because some
 * choices are sent as they are made.
 * @param again command that continues with the other documents
 */
export function showStopped(io: Io, run: number | null, again = "the same command again"): ExitCode {
  io.err("mdmirror: stopped; no sync followed");
  const back = run === null ? "" : `; undo it: mdmirror undo ${run}`;
  io.err(`  next: upload the changes: mdmirror sync; continue: ${again}${back}`);
  return EXIT.attention;
}

export function undoLine(run: number): string {
  return `  run ${run}; undo it: mdmirror undo ${run}`;
}

/** Returns lines for the documents that a plan leaves alone, by reason. */
export function leftAloneLines(left: readonly { readonly path: string; readonly why: string }[]): string[] {
  return [...Map.groupBy(left, ({ why }) => why)].flatMap(([why, alike]) => {
    const more = alike.length - SHOWN;
    const lines = alike.slice(0, SHOWN).map(({ path }) => `  ${shownName(path)}  left alone: ${shownWords(why)}`);
    return more > 0 ? [...lines, `  … and ${count(more)} more  left alone: ${shownWords(why)}`] : lines;
  });
}

/** LIMIT: documents with the same result that are shown; `--json` has all of them. */
const SHOWN = 10;

function showGroup(io: Io, alike: readonly ManyEnd[], word: string): void {
  const [{ end, why }] = alike as readonly [ManyEnd];
  const put = end === "done" ? io.out : io.err;
  const what = end === "done" ? word : `${end === "left" ? "left alone" : "not done"}: ${shownWords(why)}`;
  for (const { path, notes } of alike.slice(0, SHOWN)) {
    put(`${shownName(path)}: ${what}`);
    for (const note of notes) put(`  ${shownWords(note)}`);
  }
  if (alike.length > SHOWN) put(`  … and ${count(alike.length - SHOWN)} more: ${what}`);
}

/** Returns `196 resolved, 3 left alone, 1 not done`. */
export function countsLine({ done, left, failed }: ManyCounts, word: string): string {
  const more = [left > 0 ? `${count(left)} left alone` : "", failed > 0 ? `${count(failed)} not done` : ""];
  return [`${count(done)} ${word}`, ...more.filter((part) => part !== "")].join(", ");
}
