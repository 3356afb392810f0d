import { askDaemon, NO_DAEMON } from "../app/control/ask.ts";
import type { Io } from "./command.ts";
import { complain } from "./complain.ts";
import type { ExitCode } from "./exit.ts";
import { tellRun, tellTrouble } from "./tell-run.ts";

/**
 * `sync` where a daemon keeps the folder: asks it for a run and waits.
 * @returns null where there is none: then the command runs it itself
 */
export async function syncByDaemon(
  io: Io,
  root: string,
  { quiet, json }: { readonly quiet: boolean; readonly json: boolean },
): Promise<ExitCode | null> {
  const shown = io.terminal.error && !quiet && !json;
  const began = io.clock.monotonic();
  // Shown once somebody listens: a file that names a daemon may be left by one that crashed.
  const onConnected = () => (shown ? io.status("the daemon is at it …") : undefined);
  const asked = await askDaemon(root, { do: "sync" }, undefined, onConnected);
  if (shown) io.status("");
  if (asked === NO_DAEMON) return null;
  if (asked.kind === "trouble") return tellTrouble(io, root, asked.trouble, { quiet, json });
  const { report } = asked.value;
  const { readConfig } = await import("../app/mirror/config.ts");
  const config = readConfig(`${root}/.mdmirror`);
  if (config.kind === "trouble") return complain(io, config.trouble);
  const { url } = config.value;
  return tellRun(io, root, report, { quiet, json, url, took: io.clock.monotonic() - began });
}
