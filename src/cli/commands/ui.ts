import { unwrap } from "../../common/trouble.ts";
import { waitForAbort } from "../../common/clock.ts";
import { type Args, type Command, type Io, pickContext } from "../command.ts";
import { describeFault, EXIT } from "../exit.ts";
import { findMirrors } from "../find-mirror.ts";
import { formatJsonLine } from "../text.ts";
import { execFile } from "node:child_process";
import { omitKey } from "../../mirror/settings/key.ts";

export const command: Command = {
  about: [
    "Serves pages on 127.0.0.1, for you alone: the status of each linked folder, current transfers and problems to fix.",
    "Runs until Ctrl-C, SIGTERM or SIGHUP. The printed address lets one browser in, once, within 5 minutes.",
    "The pages watch no folder themselves. They ask running daemons; without a daemon they open the folder only for each request.",
  ],
  examples: ["mdmirror ui", "mdmirror ui notes --port 8080 --no-open"],
  options: {
    port: { value: "N", range: [0, 65_535], help: "port on 127.0.0.1 (default: any free one)" },
    "no-open": { help: "print the address and do not open a browser" },
    json: { help: "print the address as one JSON object" },
  },
  operands: { usage: "[DIR…]", least: 0, most: 64, offers: ["mirror"] },
  async run(io, args) {
    // ORDER: `stop` is read before the start, because reading `stop` installs the signal handlers.
    // A signal during the start then closes the server before the process ends.
    const { stop } = io;
    const roots = args.operands.length === 0 ? null : findMirrors(io, args.operands);
    const { startUi } = await import("../../ui/start-ui.ts");
    const onFault = (error: unknown) => io.err(`mdmirror ui: an error in mdmirror itself: ${describeFault(io, error)}`);
    const rootSet = roots === null ? null : new Set(roots);
    const ui = unwrap(await startUi({ ...pickContext(io), port: args.number("port") ?? 0, roots: rootSet, onFault }));
    try {
      await showAddress(io, args, ui.enterUrl());
      await waitForAbort(stop);
      return EXIT.inSync;
    } finally {
      await ui.close();
    }
  },
};

async function showAddress(io: Io, args: Args, url: string): Promise<void> {
  io.out(args.flag("json") ? formatJsonLine({ url }) : url);
  if (args.flag("no-open") || !io.terminal.output) return;
  const isOpened = openBrowser(io, url);
  io.err(
    isOpened ? "opening it in your browser; Ctrl-C ends it" : "open it in a browser on this machine; Ctrl-C ends it",
  );
}

const BROWSER_DEADLINE_MS = 10_000;

/**
 * Opens an address in the user's browser. Returns false if no program can open an address. Prints a
 * message if the program fails later.
 */
function openBrowser(io: Io, url: string): boolean {
  const program = findBrowserProgram(io);
  if (program === null) return false;
  const env = omitKey(io.env);
  const isScript = program === "osascript";
  const child = execFile(program, isScript ? ["-"] : [url], { env, timeout: BROWSER_DEADLINE_MS }, (error) => {
    if (error !== null) io.err(`mdmirror: ${program} did not open the browser; open the address yourself`);
  });
  if (isScript) {
    // The callback of `execFile` already reports a program that did not start.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(`open location ${JSON.stringify(url)}\n`);
  }
  return true;
}

/**
 * Returns the program that opens the browser; null if there is none. The address contains a ticket,
 * and other users can see the arguments of a process. On a Mac, mdmirror cannot find out which user
 * opened a connection, so the program gets the address through standard input.
 */
function findBrowserProgram({ env }: Io): string | null {
  if (process.platform === "darwin") return "osascript";
  const hasDisplay = ["WAYLAND_DISPLAY", "DISPLAY"].some((name) => (env[name] ?? "") !== "");
  return hasDisplay ? "xdg-open" : null;
}
