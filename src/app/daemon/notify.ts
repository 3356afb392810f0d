import { execFile } from "node:child_process";
import { withoutKey } from "../mirror/key.ts";

/**
 * A note on the desktop, where there is one: for what needs a person, conflicts and halts. It names
 * paths, never a text.
 */

export type Desktop = { show(title: string, body: string): void };

export type DesktopOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform?: NodeJS.Platform;
  /** Told once; a desktop that cannot be reached stops nothing. */
  readonly onFault: (error: Error) => void;
};

const DEADLINE_MS = 5_000;
const MAX_BODY = 300;

/** @returns null where there is no desktop, or it is not wanted (`MDMIRROR_NOTIFY=off`) */
export function openDesktop(options: DesktopOptions): Desktop | null {
  const { env, platform = process.platform, onFault } = options;
  if (env["MDMIRROR_NOTIFY"] === "off") return null;
  const call = callOf(platform, env);
  if (call === null) return null;
  let faulty = false;
  return {
    show(title, body) {
      if (faulty) return;
      const [program, args] = call(title, body.length > MAX_BODY ? `${body.slice(0, MAX_BODY)}…` : body);
      execFile(program, args, { env: withoutKey(env), timeout: DEADLINE_MS }, (error) => {
        if (error === null || faulty) return;
        faulty = true;
        onFault(error);
      });
    },
  };
}

type CallOf = (title: string, body: string) => readonly [program: string, args: string[]];

function callOf(platform: NodeJS.Platform, env: DesktopOptions["env"]): CallOf | null {
  if (platform === "darwin") {
    // The words are arguments, not script: a path cannot become code.
    const script = ["on run argv", "display notification (item 2 of argv) with title (item 1 of argv)", "end run"];
    return (title, body) => ["osascript", [...script.flatMap((line) => ["-e", line]), "--", title, body]];
  }
  const session = ["DBUS_SESSION_BUS_ADDRESS", "WAYLAND_DISPLAY", "DISPLAY"].some((name) => (env[name] ?? "") !== "");
  if (platform !== "linux" || !session) return null;
  return (title, body) => ["notify-send", ["--app-name=mdmirror", "--", title, escapeMarkup(body)]];
}

/** Desktops read the body as markup. */
function escapeMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
