import { printNotes } from "./text.ts";
import type { LogFields } from "../mirror/ports/log.ts";
import { type MirrorOptions, type OpenedMirror, withMirror } from "../mirror/folder/open-mirror.ts";
import { type LocalMirror, withLocal } from "../mirror/folder/open-local.ts";
import { ok, unwrap } from "../common/trouble.ts";
import { type Args, type Io, type OptionSpec, worldOf } from "./command.ts";
import type { ExitCode } from "./exit.ts";
import { hidesProgress, showProgress } from "./progress.ts";

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

export type ReachOptions = Required<Pick<MirrorOptions, "url" | "keyFile">> & Pick<MirrorOptions, "onExchange">;

/**
 * Returns the address and the key file from the options; for `-v`, also a function that prints
 * requests.
 * @param args of a command with `REACH_OPTIONS`
 */
export function reachOptionsOf(io: Io, args: Args): ReachOptions {
  const level = args.count("verbose");
  const onExchange = (exchange: LogFields) => io.err(exchangeLine(exchange, level > 1));
  return { url: args.text("url"), keyFile: args.text("key-file"), ...(level === 0 ? {} : { onExchange }) };
}

/** Returns a line about a request. It has only fields of the log, so no content, key or query. */
function exchangeLine({ method, route, status, outcome, code, ms, requestId }: LogFields, isLong: boolean): string {
  const parts = [method, route, status ?? outcome, code, `(${ms ?? 0} ms)`, isLong ? requestId : null];
  return parts.filter((part) => part !== null && part !== undefined).join(" ");
}

type UseOptions = Pick<MirrorOptions, "mode" | "what" | "url" | "keyFile" | "onExchange"> & {
  readonly quiet?: boolean;
};

/** Opens a linked folder with its service. */
export async function useMirror(
  io: Io,
  root: string,
  { quiet = false, ...use }: UseOptions,
  work: (mirror: OpenedMirror) => Promise<ExitCode>,
): Promise<ExitCode> {
  const progress = showProgress(io, quiet || hidesProgress(root));
  const opening = { ...use, ...worldOf(io), progress };
  return unwrap(
    await withMirror(root, opening, async (mirror) => {
      printNotes(io, mirror.notes);
      return ok(await work(mirror).finally(progress.end));
    }),
  );
}

/** Opens a linked folder without the service. */
export async function useLocal(io: Io, root: string, work: (mirror: LocalMirror) => ExitCode): Promise<ExitCode> {
  return unwrap(withLocal(root, io, (mirror) => ok(work(mirror))));
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

/**
 * Asks as `askForYes`. If nobody agrees, reports that nothing was done.
 * @param again command that continues without a question
 */
export async function agrees(io: Io, args: Args, question: string, again: string): Promise<boolean> {
  if (await askForYes(io, args.flag("yes"), question)) return true;
  const why = io.terminal.input ? "" : ": this command needs a confirmation, but no terminal is attached";
  io.err(`mdmirror: nothing was done${why}`);
  io.err(`  next: to continue: ${again}`);
  return false;
}
