/** Opens the linked folder that a command works on, and closes it at the end. */

import { join } from "node:path";
import { readConfig } from "../mirror/settings/config.ts";
import { MIRROR_FOLDER } from "../mirror/model/mirror-folder.ts";
import type { LogFields, Progress } from "../mirror/ports/world.ts";
import { PHASE_WORDS } from "../mirror/operations/results/actions.ts";
import { count } from "../common/quantities.ts";
import { printNotes } from "./text.ts";
import { type MirrorOptions, type OpenedMirror, withMirror } from "../mirror/folder/open-mirror.ts";
import { type LocalMirror, withLocal } from "../mirror/folder/open-local.ts";
import { ok, unwrap } from "../common/trouble.ts";
import { type Args, type CommandEnd, type Io, type OptionSpec, pickContext } from "./command.ts";

export const KEY_OPTION: Readonly<Record<string, OptionSpec>> = {
  "key-file": { value: "FILE", help: "file with the API key (default: MDMIRROR_API_KEY, then the stored key)" },
};

export const ADDRESS_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  url: { value: "URL", help: "base URL of the service (default: the linked address)" },
  ...KEY_OPTION,
};

export const ALLOW_HTTP_OPTION: Readonly<Record<string, OptionSpec>> = {
  "allow-http": {
    value: "HOST",
    multiple: true,
    help: "allow plain http to HOST; others on the network can then read the key",
  },
};

export const NAME_OPTION: Readonly<Record<string, OptionSpec>> = {
  name: {
    value: "NAME",
    help: "name of the linked folder, for commands and for mdmirror list (default: the folder's name)",
  },
};

export const REACH_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  ...ADDRESS_OPTIONS,
  verbose: { short: "v", multiple: true, help: "print each request and its answer; -vv: with its request id" },
};

export type ReachOptions = Required<Pick<MirrorOptions, "url" | "keyFile">> & Pick<MirrorOptions, "onExchange">;

/** Reads from the options how to reach the service. With `-v`, each request is printed. */
export function readReachOptions(io: Io, args: Args): ReachOptions {
  const level = args.count("verbose");
  const onExchange = (exchange: LogFields) => io.err(formatExchange(exchange, level > 1));
  return { url: args.text("url"), keyFile: args.text("key-file"), ...(level === 0 ? {} : { onExchange }) };
}

/** Returns a line that describes one request, without content, key or query. */
function formatExchange({ method, route, status, outcome, code, ms, requestId }: LogFields, isLong: boolean): string {
  const shownFields = [method, route, status ?? outcome, code, `(${ms ?? 0} ms)`, isLong ? requestId : null];
  return shownFields.filter((part) => part !== null && part !== undefined).join(" ");
}

type OpenedMirrorOptions = Pick<MirrorOptions, "mode" | "what" | "url" | "keyFile" | "onExchange"> & {
  readonly quiet?: boolean;
};

export async function withOpenedMirror<End extends CommandEnd>(
  io: Io,
  root: string,
  { quiet = false, ...use }: OpenedMirrorOptions,
  work: (mirror: OpenedMirror) => Promise<End>,
): Promise<End> {
  const progress = showProgress(io, quiet || hidesProgress(root));
  const openOptions = { ...use, ...pickContext(io), progress };
  return unwrap(
    await withMirror(root, openOptions, async (mirror) => {
      printNotes(io, mirror.notes);
      return ok(await work(mirror).finally(progress.end));
    }),
  );
}

/** Opens a linked folder without a connection to the service, runs `work`, and closes it. */
export async function withLocalMirror(io: Io, root: string, work: (local: LocalMirror) => CommandEnd) {
  return unwrap(withLocal(root, io, (mirror) => ok(work(mirror))));
}

/** Returns true if `yes` is set, or if the user agrees on a terminal. */
export async function askForYes(io: Io, yes: boolean, question: string): Promise<boolean> {
  if (yes) return true;
  if (!io.terminal.input) return false;
  const answer = await io.ask(`${question} [y/N] `);
  return /^y(?:es)?$/i.test(answer?.trim() ?? "");
}

/**
 * Asks like `askForYes`. If the user does not agree, prints that nothing was done.
 * @param yesCommand command line with `--yes`, which the output then suggests
 */
export async function askAgreement(io: Io, args: Args, question: string, yesCommand: string): Promise<boolean> {
  if (await askForYes(io, args.flag("yes"), question)) return true;
  const reason = io.terminal.input ? "" : ": this command needs a confirmation, but no terminal is attached";
  io.err(`mdmirror: nothing was done${reason}`);
  io.err(`  next: to continue: ${yesCommand}`);
  return false;
}

/** Shortest time between two updates of the progress bar on a terminal, in milliseconds. */
const MIN_REDRAW_MS = 100;
/** Milliseconds between two lines of progress in a pipe. Shorter work prints no progress. */
const PROGRESS_LINE_MS = 10_000;
const BAR_CELLS = 24;

export type ProgressIo = Pick<Io, "err" | "status" | "terminal" | "clock">;

export function hidesProgress(root: string): boolean {
  const config = readConfig(join(root, MIRROR_FOLDER));
  return config.kind === "ok" && !config.value.interface.progress;
}

/**
 * Shows the progress of long work on standard error. A terminal shows a bar with the rate and the
 * remaining time; a pipe gets a line at intervals.
 * @param isSilent true to show nothing, because of `--quiet`, `--json` or the configuration
 */
export function showProgress(io: ProgressIo, isSilent: boolean): Progress & { readonly end: () => void } {
  if (isSilent) return { report: () => undefined, end: () => undefined };
  const { clock, terminal } = io;
  const startedAt = clock.monotonic();
  let phase = "";
  let phaseStartedAt = startedAt;
  let shownAt = terminal.error ? Number.NEGATIVE_INFINITY : startedAt;

  return {
    report(name, done, total) {
      const now = clock.monotonic();
      const label = PHASE_WORDS[name];
      if (label !== phase) {
        phase = label;
        phaseStartedAt = now;
      }
      const elapsedMs = now - phaseStartedAt;
      if (terminal.error) {
        if (now - shownAt < MIN_REDRAW_MS && done !== total) return;
        shownAt = now;
        io.status(formatBar(label, done, total, elapsedMs));
      } else if (now - shownAt >= PROGRESS_LINE_MS) {
        shownAt = now;
        io.err(`mdmirror: ${formatProgressLine(label, done, total, elapsedMs)}`);
      }
    },
    end() {
      if (terminal.error) io.status("");
    },
  };
}

/** Returns a progress bar such as `syncing ████████░░░░ 1,200/2,400 400/s 3 s left`. */
export function formatBar(label: string, done: number, total: number | null, elapsedMs: number): string {
  if (total === null || total === 0) return `${label}${done > 0 ? ` ${count(done)}` : ""} …`;
  const fullCells = Math.round((Math.min(done, total) / total) * BAR_CELLS);
  const bar = "█".repeat(fullCells) + "░".repeat(BAR_CELLS - fullCells);
  return `${label} ${bar} ${count(done)}/${count(total)}${formatPace(done, total, elapsedMs)}`;
}

function formatProgressLine(label: string, done: number, total: number | null, elapsedMs: number): string {
  if (total === null) return `${label}, ${count(done)} so far`;
  return `${label}, ${count(done)} of ${count(total)}${formatPace(done, total, elapsedMs)}`;
}

/** Returns the rate and the remaining time in words; "" if there is too little data. */
function formatPace(done: number, total: number, elapsedMs: number): string {
  if (done === 0 || elapsedMs < 500) return "";
  const itemsPerSecond = done / (elapsedMs / 1_000);
  const secondsLeft = (total - done) / itemsPerSecond;
  const shownRate = itemsPerSecond >= 10 ? count(Math.round(itemsPerSecond)) : itemsPerSecond.toFixed(1);
  return done >= total ? `  ${shownRate}/s` : `  ${shownRate}/s  ${formatDuration(secondsLeft)} left`;
}

function formatDuration(seconds: number): string {
  if (seconds < 90.5) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 5_400) return `${Math.ceil(seconds / 60)} min`;
  return `${(seconds / 3_600).toFixed(1)} h`;
}
