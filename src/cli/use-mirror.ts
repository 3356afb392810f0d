import type { LogFields } from "../mirror/ports/log.ts";
import type { MirrorOptions, OpenedMirror } from "../mirror/folder/open-mirror.ts";
import { type LocalMirror, withLocal } from "../mirror/folder/open-local.ts";
import { ok } from "../common/trouble.ts";
import type { Args, Io, OptionSpec } from "./command.ts";
import { complain, EXIT, type ExitCode } from "./exit.ts";
import { hidesProgress, showProgress } from "./progress.ts";
import { shownWords } from "../common/shown-name.ts";
import { withMirror } from "../mirror/folder/with-mirror.ts";
import type { RunReport } from "../mirror/folder/run.ts";
import { exitCodeOf, showReportOn, splitAttention } from "./show-report.ts";

/** Opens and closes the linked folder of a command. */

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

export type Reach = Required<Pick<MirrorOptions, "url" | "keyFile">> & Pick<MirrorOptions, "onExchange">;

/**
 * Returns the address and the key file that the options give; for `-v`, also a function that prints
 * requests.
 * @param args of a command with `REACH_OPTIONS`
 */
export function reachOptionsOf(io: Io, args: Args): Reach {
  const level = args.count("verbose");
  const onExchange = (exchange: LogFields) => io.err(exchangeLine(exchange, level > 1));
  return { url: args.text("url"), keyFile: args.text("key-file"), ...(level === 0 ? {} : { onExchange }) };
}

/** Returns a line about a request. It has only members of the log, so no content, key or query. */
function exchangeLine({ method, route, status, outcome, code, ms, requestId }: LogFields, isLong: boolean): string {
  const parts = [method, route, status ?? outcome, code, `(${ms ?? 0} ms)`, isLong ? requestId : null];
  return parts.filter((part) => part !== null && part !== undefined).join(" ");
}

type Use = Pick<MirrorOptions, "mode" | "what" | "url" | "keyFile" | "onExchange"> & { readonly quiet?: boolean };

/** Opens a linked folder with its service. */
export async function useMirror(
  io: Io,
  root: string,
  { quiet = false, ...use }: Use,
  work: (mirror: OpenedMirror) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { env, cwd, clock, random } = io;
  const progress = showProgress(io, quiet || hidesProgress(root));
  const opening = { ...use, env, cwd, clock, random, progress };
  const ended = await withMirror(root, opening, async (mirror) => {
    for (const note of mirror.notes) io.err(`mdmirror: ${shownWords(note)}`);
    return ok(await work(mirror).finally(progress.end));
  });
  return ended.kind === "trouble" ? complain(io, ended.trouble) : ended.value;
}

/** Opens a linked folder without the service. */
export async function useLocal(io: Io, root: string, work: (mirror: LocalMirror) => ExitCode): Promise<ExitCode> {
  const ended = withLocal(root, io, (mirror) => ok(work(mirror)));
  return ended.kind === "trouble" ? complain(io, ended.trouble) : ended.value;
}

type Synced = {
  readonly json: boolean;
  /** Local paths of the documents that the command was about. */
  readonly paths: readonly string[];
  /** Monotonic time of the start, in milliseconds. */
  readonly began: number;
  readonly url: string;
};

/**
 * Prints the sync after a command, and returns the exit code. Problems of other documents do not
 * change the exit code and are not listed: one line says how many there are.
 */
export function showSync(io: Io, report: RunReport, { json, paths, began, url }: Synced): ExitCode {
  const { own, others } = splitAttention(report, new Set(paths));
  if (!json) showReportOn(io, { ...report, attention: own }, others, io.clock.monotonic() - began, url);
  const isDone = report.state === "attention" && own.length === 0 && report.isStopped !== true;
  return isDone ? EXIT.inSync : exitCodeOf(report);
}

/**
 * Asks before an action that is hard to undo. Without a terminal, only `--yes` counts as agreement.
 */
export async function askForYes(io: Io, yes: boolean, question: string): Promise<boolean> {
  if (yes) return true;
  if (!io.terminal.input) return false;
  const answer = await io.ask(`${question} [y/N] `);
  return /^y(?:es)?$/i.test(answer?.trim() ?? "");
}
