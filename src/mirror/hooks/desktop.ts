import type { Environment, Hook } from "./hook.ts";

/** The text of an event is passed as an argument, so that a path in the text cannot run as code. */
const LINUX_COMMAND = `exec notify-send --app-name=mdmirror -- "$MDMIRROR_HOOK_TEXT"`;
const MAC_COMMAND = `exec osascript -e 'on run argv' -e 'display notification (item 1 of argv) with title "mdmirror"' -e 'end run' -- "$MDMIRROR_HOOK_TEXT"`;

/**
 * Returns the hook that shows a desktop notification after a conflict or a stop. Null if there is
 * no desktop, or if the user has set `MDMIRROR_NOTIFY=off`.
 */
export function makeDesktopHook(env: Environment, platform: NodeJS.Platform = process.platform): Hook | null {
  const command = env["MDMIRROR_NOTIFY"] === "off" ? null : chooseCommand(env, platform);
  if (command === null) return null;
  const debounceByEvent = new Map([["stopped", 5_000] as const, ["conflict", 5_000] as const]);
  return {
    name: "desktop notification",
    on: debounceByEvent,
    mirrors: null,
    timeoutMs: 5_000,
    argv: ["/bin/sh", "-c", command],
  };
}

function chooseCommand(env: Environment, platform: NodeJS.Platform): string | null {
  if (platform === "darwin") return MAC_COMMAND;
  const hasSession = ["DBUS_SESSION_BUS_ADDRESS", "WAYLAND_DISPLAY", "DISPLAY"].some(
    (name) => (env[name] ?? "") !== "",
  );
  return platform === "linux" && hasSession ? LINUX_COMMAND : null;
}
