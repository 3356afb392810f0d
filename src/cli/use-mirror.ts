import { type OpenedMirror, openMirror } from "../app/mirror/open-mirror.ts";
import { type LocalMirror, openLocal } from "../app/mirror/open-local.ts";
import { runSync, USUAL_RUN } from "../app/mirror/run.ts";
import type { Args, Io, OptionSpec } from "./command.ts";
import { complain } from "./complain.ts";
import type { ExitCode } from "./exit.ts";
import { showProgress } from "./progress.ts";
import { reportJson } from "../app/told/report.ts";
import { exitOf, showReport } from "./show-report.ts";
import { shownWords } from "../model/shown-name.ts";

/** Opens and closes what a command works on. */

export const REACH_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  url: { value: "URL", help: "the service, instead of the linked one's address" },
  "key-file": { value: "FILE", help: "read the API key from FILE" },
};

type Use = { readonly mode: "read" | "write"; readonly what: string; readonly quiet?: boolean };

/**
 * Opens a mirror with its service.
 * @param args of a command with `REACH_OPTIONS`
 */
export async function useMirror(
  io: Io,
  args: Args,
  root: string,
  use: Use,
  work: (mirror: OpenedMirror) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { env, cwd, clock, random } = io;
  const progress = showProgress(io, use.quiet === true);
  const { mode, what } = use;
  const reach = { url: args.text("url"), keyFile: args.text("key-file") };
  const mirror = await openMirror(root, { mode, what, env, cwd, clock, random, progress, ...reach });
  if (mirror.kind === "trouble") return complain(io, mirror.trouble);
  try {
    for (const note of mirror.value.notes) io.err(`mdmirror: ${shownWords(note)}`);
    return await work(mirror.value);
  } finally {
    progress.end();
    await mirror.value.close();
  }
}

/** Opens a mirror as far as this machine alone allows. */
export function useLocal(io: Io, root: string, work: (mirror: LocalMirror) => ExitCode): ExitCode {
  const mirror = openLocal(root, { clock: io.clock, random: io.random });
  if (mirror.kind === "trouble") return complain(io, mirror.trouble);
  try {
    return work(mirror.value);
  } finally {
    mirror.value.close();
  }
}

/**
 * Runs a sync for what an effect by hand left to send.
 * @returns the object of `sync --json`, and how the run ended
 */
export async function syncAfter(
  io: Io,
  mirror: OpenedMirror,
  json: boolean,
): Promise<{ readonly report: object; readonly exit: ExitCode }> {
  const began = io.clock.monotonic();
  const report = await runSync(mirror, USUAL_RUN, "sync");
  if (!json) {
    showReport(io, report, io.clock.monotonic() - began, mirror.url);
  }
  return { report: reportJson(report), exit: exitOf(report) };
}

/** Asks before something that is hard to take back. Without a terminal, only `--yes` answers. */
export async function agrees(io: Io, yes: boolean, question: string): Promise<boolean> {
  if (yes) return true;
  if (!io.terminal.input) return false;
  const answer = await io.ask(`${question} [y/N] `);
  return /^y(?:es)?$/i.test(answer?.trim() ?? "");
}
