import { unwrap } from "../../common/trouble.ts";
import { waitForAbort } from "../../common/clock.ts";
import { type Command, pickContext } from "../command.ts";
import { describeFault, EXIT } from "../exit.ts";
import { findMirrors } from "../find-mirror.ts";
import { version } from "../../common/package-files.ts";

export const command: Command = {
  about: [
    "Serves the linked folders by the Model Context Protocol over standard input and output. Its tools list, read, search and edit documents, wait, and show conflicts and the history.",
    "A client starts and ends it. It does not watch the folders. To sync, it borrows the folder from the daemon if one runs.",
  ],
  examples: ["mdmirror mcp notes --read-only"],
  options: { "read-only": { help: "offer no tool that changes anything" } },
  operands: { usage: "[DIR…]", least: 0, most: 64, offers: ["mirror"] },
  async run(io, args) {
    // ORDER: `stop` is read before the start, because reading `stop` installs the signal handlers.
    // A signal during the start then closes the server before the process ends.
    const { stop } = io;
    const roots = findMirrors(io, args.operands);
    const context = pickContext(io);
    const { admitMirror } = await import("../../mcp/mirrors.ts");
    for (const root of roots) unwrap(admitMirror(root, context));
    if (stop.aborted) return EXIT.inSync;
    const { startMcp } = await import("../../mcp/start-mcp.ts");
    const onFault = (error: unknown) => io.err(`mdmirror mcp: ${describeFault(io, error)}`);
    const mcp = startMcp({ ...context, version: version(), onFault, roots, isReadOnly: args.flag("read-only") });
    try {
      await Promise.race([mcp.disconnected, waitForAbort(stop)]);
    } finally {
      await mcp.close();
    }
    return EXIT.inSync;
  },
};
