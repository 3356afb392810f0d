import { execFile } from "node:child_process";
import { withoutKey } from "../mirror/settings/key.ts";
import type { Io } from "./command.ts";

const DEADLINE_MS = 10_000;

/**
 * Opens an address in the user's browser, on a desktop.
 * @returns whether it was tried; that it failed is said later
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
    // That it did not start is told by the callback.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(`open location ${JSON.stringify(url)}\n`);
  }
  return true;
}

/**
 * Arguments are seen by all users. On a Mac nothing tells whose a connection is, so there the
 * address, which holds a ticket, is no argument.
 */
function programFor({ env }: Io, platform: NodeJS.Platform): string | null {
  if (platform === "darwin") return "osascript";
  const hasDisplay = ["WAYLAND_DISPLAY", "DISPLAY"].some((name) => (env[name] ?? "") !== "");
  return hasDisplay ? "xdg-open" : null;
}
