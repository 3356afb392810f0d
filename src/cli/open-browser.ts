import { execFile } from "node:child_process";
import { withoutKey } from "../mirror/settings/key.ts";
import type { Io } from "./command.ts";

const DEADLINE_MS = 10_000;

/**
 * Opens an address in the user's browser. Returns true if it was tried; a failure is reported
 * later.
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
    // The callback reports a program that did not start.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(`open location ${JSON.stringify(url)}\n`);
  }
  return true;
}

/**
 * All users can see the arguments of a process. A Mac cannot tell who opened a connection, so the
 * address with its ticket is not passed as an argument there.
 */
function programFor({ env }: Io, platform: NodeJS.Platform): string | null {
  if (platform === "darwin") return "osascript";
  const hasDisplay = ["WAYLAND_DISPLAY", "DISPLAY"].some((name) => (env[name] ?? "") !== "");
  return hasDisplay ? "xdg-open" : null;
}
