import { execFile } from "node:child_process";
import { withoutKey } from "../settings/key.ts";

type DesktopOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform?: NodeJS.Platform;
  /** Called once; a desktop that cannot be reached stops nothing. */
  readonly onFault: (error: Error) => void;
};

type CallOf = (title: string, body: string) => readonly [program: string, args: string[]];

const DEADLINE_MS = 5_000;
const MAX_BODY = 300;
/** The text is passed as arguments, not as script, so that a path cannot become code. */
const APPLE_SCRIPT = ["on run argv", "display notification (item 2 of argv) with title (item 1 of argv)", "end run"];

/** Returns null if there is no desktop, or alerts are disabled (`MDMIRROR_NOTIFY=off`). */
export function openDesktop(options: DesktopOptions): Desktop | null {
  const { env, platform = process.platform, onFault } = options;
  if (env["MDMIRROR_NOTIFY"] === "off") return null;
  const call = callOf(platform, env);
  return call === null ? null : new Desktop(call, env, onFault);
}

/** Shows alerts about conflicts and stops on the desktop. They have paths, never content. */
class Desktop {
  readonly #call: CallOf;
  readonly #env: DesktopOptions["env"];
  readonly #onFault: DesktopOptions["onFault"];
  #isFaulty = false;

  constructor(call: CallOf, env: DesktopOptions["env"], onFault: DesktopOptions["onFault"]) {
    this.#call = call;
    this.#env = env;
    this.#onFault = onFault;
  }

  show(title: string, body: string): void {
    if (this.#isFaulty) return;
    const [program, args] = this.#call(title, body.length > MAX_BODY ? `${body.slice(0, MAX_BODY)}…` : body);
    execFile(program, args, { env: withoutKey(this.#env), timeout: DEADLINE_MS }, (error) => {
      if (error === null || this.#isFaulty) return;
      this.#isFaulty = true;
      this.#onFault(error);
    });
  }
}

function callOf(platform: NodeJS.Platform, env: DesktopOptions["env"]): CallOf | null {
  if (platform === "darwin") return osascriptCall;
  const hasSession = ["DBUS_SESSION_BUS_ADDRESS", "WAYLAND_DISPLAY", "DISPLAY"].some(
    (name) => (env[name] ?? "") !== "",
  );
  return platform === "linux" && hasSession ? notifySendCall : null;
}

function osascriptCall(title: string, body: string): ReturnType<CallOf> {
  return ["osascript", [...APPLE_SCRIPT.flatMap((line) => ["-e", line]), "--", title, body]];
}

function notifySendCall(title: string, body: string): ReturnType<CallOf> {
  return ["notify-send", ["--app-name=mdmirror", "--", title, escapeMarkup(body)]];
}

/** Escapes markup, because desktops read the body as markup. */
function escapeMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
