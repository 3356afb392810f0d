import { join } from "node:path";
import { readConfig } from "../mirror/settings/config.ts";
import { MIRROR_FOLDER } from "../mirror/model/mirror-folder.ts";
import type { Progress } from "../mirror/ports/world.ts";
import { PHASE_WORDS } from "../mirror/operations/results/phases.ts";
import { count } from "../common/count.ts";
import type { Io } from "./command.ts";

/**
 * Shows the progress of long work on standard error: on a terminal a bar with rate and time left,
 * in a pipe a line at intervals.
 */

const REDRAW_MS = 100;
/** Milliseconds between two lines in a pipe. Shorter work prints nothing. */
const LINE_MS = 10_000;
const BAR_CELLS = 24;
/** LIMIT: cells of the shortest bar that is shown. */
const LEAST_CELLS = 6;
/** Width in cells of `  12,345/s  1.5 h left`. */
const PACE_CELLS = 22;

type ShownProgress = Progress & { readonly end: () => void };

export type ProgressIo = Pick<Io, "err" | "status" | "terminal" | "clock">;

/** Returns true if the configuration of a linked folder turns the progress off. */
export function hidesProgress(root: string): boolean {
  const config = readConfig(join(root, MIRROR_FOLDER));
  return config.kind === "ok" && !config.value.interface.progress;
}

/**
 * Returns the progress for long work.
 * @param silent true with `--quiet`, `--json`, or by the configuration
 */
export function showProgress(io: ProgressIo, silent: boolean): ShownProgress {
  if (silent) return { report: () => undefined, end: () => undefined };
  const { clock, terminal } = io;
  const began = clock.monotonic();
  let phase = "";
  let phaseBegan = began;
  let shownAt = terminal.error ? Number.NEGATIVE_INFINITY : began;

  return {
    report(name, done, total) {
      const now = clock.monotonic();
      const label = PHASE_WORDS[name];
      if (label !== phase) {
        phase = label;
        phaseBegan = now;
      }
      const elapsed = now - phaseBegan;
      if (terminal.error) {
        if (now - shownAt < REDRAW_MS && done !== total) return;
        shownAt = now;
        io.status(barLine(label, done, total, elapsed, terminal.columns - 1));
      } else if (now - shownAt >= LINE_MS) {
        shownAt = now;
        io.err(`mdmirror: ${plainLine(label, done, total, elapsed)}`);
      }
    },
    end() {
      if (terminal.error) io.status("");
    },
  };
}

/**
 * Returns `syncing ████████░░░░ 1,200/2,400 400/s 3 s left`. If that is too long, first shortens
 * the bar, then leaves out the rate, then the bar.
 * @param cells available width
 */
export function barLine(
  label: string,
  done: number,
  total: number | null,
  elapsedMs: number,
  cells = Number.POSITIVE_INFINITY,
): string {
  if (total === null || total === 0) return `${label}${done > 0 ? ` ${count(done)}` : ""} …`;
  const counts = `${count(done)}/${count(total)}`;
  // Computed with the longest possible numbers, so that the bar keeps its length.
  const left = cells - label.length - 2 * count(total).length - 3;
  const isPaced = left - PACE_CELLS >= LEAST_CELLS;
  const room = Math.min(BAR_CELLS, left - (isPaced ? PACE_CELLS : 0));
  if (room < LEAST_CELLS) return `${label} ${counts}`;
  const full = Math.round((Math.min(done, total) / total) * room);
  return `${label} ${"█".repeat(full)}${"░".repeat(room - full)} ${counts}${isPaced ? pace(done, total, elapsedMs) : ""}`;
}

function plainLine(label: string, done: number, total: number | null, elapsedMs: number): string {
  if (total === null) return `${label}, ${count(done)} so far`;
  return `${label}, ${count(done)} of ${count(total)}${pace(done, total, elapsedMs)}`;
}

/** Returns rate and time left; "" while too little work is done to compute them. */
function pace(done: number, total: number, elapsedMs: number): string {
  if (done === 0 || elapsedMs < 500) return "";
  const rate = done / (elapsedMs / 1_000);
  const left = (total - done) / rate;
  const shown = rate >= 10 ? count(Math.round(rate)) : rate.toFixed(1);
  return done >= total ? `  ${shown}/s` : `  ${shown}/s  ${duration(left)} left`;
}

function duration(seconds: number): string {
  if (seconds < 90.5) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 5_400) return `${Math.ceil(seconds / 60)} min`;
  return `${(seconds / 3_600).toFixed(1)} h`;
}
