import type { Result } from "../../common/trouble.ts";
import type { Args, Command, Io } from "../command.ts";
import { complain, EXIT, type ExitCode, misuse } from "../exit.ts";
import { findMirrors } from "../find-mirror.ts";
import { shownWords } from "../../common/shown-name.ts";
import { ADDRESS_OPTIONS } from "../use-mirror.ts";
import { type DaemonsOptions, runDaemons, syncAllMirrors } from "../../mirror/daemon/daemon.ts";
import { showEvents } from "../show-events.ts";
import { HookRunner } from "../../mirror/hooks/hook-runner.ts";

export const command: Command = {
  about: [
    "Uploads a file shortly after its last change, and asks the service for changes regularly. Prints what it does.",
    "Runs until SIGTERM, SIGHUP or Ctrl-C. To run it in the background: mdmirror service install.",
    "--all keeps every linked folder in sync (see mdmirror list), also those that are linked later. If one folder fails, the others continue.",
  ],
  examples: ["mdmirror watch notes", "mdmirror watch --all --json"],
  options: {
    all: { help: "every linked folder of this user, including those linked later" },
    json: { help: "print events as JSON, one object a line" },
    ...ADDRESS_OPTIONS,
  },
  operands: { usage: "[DIR…]", least: 0, most: 64, offers: ["mirror"] },
  async run(io, args): Promise<ExitCode> {
    // ORDER: the signal is taken first, so that a signal while the folders are opened also ends the
    // process cleanly.
    const { stop } = io;
    if (args.flag("all")) return watchAll(io, args);
    const found = findMirrors(io, args.operands);
    if (found.kind === "trouble") return complain(io, found.trouble);
    const roots = found.value;
    const [url, keyFile] = [args.text("url"), args.text("key-file")];
    return keepWith(io, args, roots.length > 1, (world) => runDaemons(roots, { ...world, url, keyFile }, stop));
  },
};

async function watchAll(io: Io, args: Args): Promise<ExitCode> {
  if (args.operands.length > 0) return misuse(io, "watch", "it takes folders or --all, not both");
  if (args.text("url") !== null || args.text("key-file") !== null)
    return misuse(io, "watch", "--url and --key-file are for one linked folder; with --all, each folder uses its own");
  return keepWith(io, args, true, (world) => syncAllMirrors(world, io.stop));
}

/**
 * Keeps the folders in sync and prints events.
 * @param several true if each line names its folder
 */
async function keepWith(
  io: Io,
  args: Args,
  several: boolean,
  keep: (world: DaemonsOptions) => Promise<Result<null>>,
): Promise<ExitCode> {
  const { env, cwd, clock, random } = io;
  const show = showEvents(io, { json: args.flag("json"), several });
  const onNote = (note: string) => io.err(`mdmirror: ${shownWords(note)}`);
  const hooks = new HookRunner({ env, clock, random, onNote });
  const onEvent: DaemonsOptions["onEvent"] = (root, event, log) => {
    hooks.take(root, event, log);
    show(root, event);
  };
  const ended = await keep({ env, cwd, clock, random, onEvent, onNote }).finally(() => hooks.end());
  return ended.kind === "trouble" ? complain(io, ended.trouble) : EXIT.inSync;
}
