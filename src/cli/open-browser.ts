import { execFile } from "node:child_process";
import { withoutKey } from "../mirror/settings/key.ts";
import type { Io } from "./command.ts";

const DEADLINE_MS = 10_000;

/**
 * Opens an address in the user's browser. Returns true if a program was started; a failure of the
 * program is reported later.
 */
export function openBrowser(io: Io, url: string, platform: NodeJS.Platform = process.platform): boolean {
  const program = programFor(io, platform);
  if (program === null) return false;
  const env = withoutKey(io.env);
  const isScript = program === "osascript";
  const child = execFile(program, isScript ? ["-"] : [url], { env, timeout: DEADLINE_MS }, (error) => {
    if (error !== null) io.err(`mdmirror: ${program} did not open the browser; open the address yourself`);
  });
  if (isScript) {
    // If the program did not start, the callback reports that.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(`open location ${JSON.stringify(url)}\n`);
  }
  return true;
}

/**
 * Returns the program that opens the browser. All users can see the arguments of a process. On a
 * Mac, mdmirror cannot know who opened a connection, so the address with its ticket is not passed
 * as an argument.
 */
function programFor({ env }: Io, platform: NodeJS.Platform): string | null {
  if (platform === "darwin") return "osascript";
  const hasDisplay = ["WAYLAND_DISPLAY", "DISPLAY"].some((name) => (env[name] ?? "") !== "");
  return hasDisplay ? "xdg-open" : null;
}
