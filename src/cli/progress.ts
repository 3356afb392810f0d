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
        io.status(barLine(label, done, total, elapsed));
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

/** Returns a line such as `syncing ████████░░░░ 1,200/2,400 400/s 3 s left`. */
export function barLine(label: string, done: number, total: number | null, elapsedMs: number): string {
  if (total === null || total === 0) return `${label}${done > 0 ? ` ${count(done)}` : ""} …`;
  const full = Math.round((Math.min(done, total) / total) * BAR_CELLS);
  const bar = "█".repeat(full) + "░".repeat(BAR_CELLS - full);
  return `${label} ${bar} ${count(done)}/${count(total)}${pace(done, total, elapsedMs)}`;
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
