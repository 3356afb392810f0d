import { realpathSync } from "node:fs";
import type { Command } from "../command.ts";
import { complain } from "../complain.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { findMirror } from "../find-mirror.ts";
import { shownWords } from "../../model/shown-name.ts";

export const command: Command = {
  usage: "watch [DIR…] [--json]",
  about: [
    "Stays in the foreground until SIGTERM, SIGHUP or Ctrl-C and keeps each DIR in sync: changes here go out when they have",
    "settled, changes on the service are polled for. Shows what it does. As a service of the system: mdmirror service.",
  ],
  options: {
    json: { help: "events as JSON, one object a line" },
    url: { value: "URL", help: "the service, instead of the linked one's address" },
    "key-file": { value: "FILE", help: "read the API key from FILE" },
  },
  operands: { least: 0, most: 64 },
  async run(io, args): Promise<ExitCode> {
    // ORDER: asked for first: a signal that comes while the folders are opened ends this cleanly
    // too.
    const { stop } = io;
    const roots = new Set<string>();
    for (const operand of args.operands.length === 0 ? [undefined] : args.operands) {
      const found = findMirror(io, operand);
      if (found.kind === "trouble") return complain(io, found.trouble);
      roots.add(realpathSync(found.value));
    }
    const { runDaemons } = await import("../../app/daemon/daemon.ts");
    const { showNews } = await import("../show-news.ts");
    const { env, cwd, clock, random } = io;
    const [url, keyFile] = [args.text("url"), args.text("key-file")];
    const onEvent = showNews(io, { json: args.flag("json"), several: roots.size > 1 });
    const onNote = (note: string) => io.err(`mdmirror: ${shownWords(note)}`);
    const ended = await runDaemons([...roots], { env, cwd, clock, random, url, keyFile, onEvent, onNote }, stop);
    return ended.kind === "trouble" ? complain(io, ended.trouble) : EXIT.inSync;
  },
};
