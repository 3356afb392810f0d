import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Alerts } from "../../../src/mirror/daemon/alerts.ts";
import type { FolderEvent } from "../../../src/mirror/daemon/folder-events.ts";
import { openDesktop } from "../../../src/mirror/daemon/desktop.ts";
import { keepWatchdog, openSdNotify } from "../../../src/mirror/daemon/autostart/sd-notify.ts";

/**
 * A program on PATH that writes down how it was called: its arguments and whether it saw the key.
 */
let dir: string;
let out: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "mdm-notice-"));
  out = join(dir, "calls");
  for (const name of ["systemd-notify", "notify-send"]) {
    const file = join(dir, name);
    const script = `#!/bin/sh\n{ printf '${name}'; for a in "$@"; do printf '|%s' "$a"; done; printf '|key=%s\\n' "$MDMIRROR_API_KEY"; } >> '${out}.part'\nmv '${out}.part' '${out}'\n`;
    writeFileSync(file, script);
    chmodSync(file, 0o755);
  }
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** The next call, when it has been written down. */
async function called(): Promise<string> {
  await new Promise<void>((resolve) => {
    const watcher = watch(dir, () => existsSync(out) && resolve());
    if (existsSync(out)) resolve();
    process.once("exit", () => watcher.close());
    void Promise.resolve().then(() => existsSync(out) && resolve());
  });
  const text = readFileSync(out, "utf8");
  rmSync(out);
  return text.trimEnd();
}

const env = () => ({
  PATH: `${dir}:/usr/bin:/bin`,
  MDMIRROR_API_KEY: "mdm_secret",
  NOTIFY_SOCKET: "/run/x",
  DISPLAY: ":0",
});
const fail = (error: Error) => {
  throw error;
};

describe("word to systemd", () => {
  test("goes through systemd-notify, which never sees the key", async () => {
    openSdNotify({ env: env(), pid: 1, onFault: fail })!.say("READY=1", "STATUS=keeps 2 folders in sync");
    expect(await called()).toBe("systemd-notify|READY=1|STATUS=keeps 2 folders in sync|key=");
  });

  test("is not given where nobody asked", () => {
    expect(openSdNotify({ env: {}, pid: 1, onFault: fail })).toBeNull();
  });

  test.each([
    [{ WATCHDOG_USEC: "300000000" }, 300_000],
    [{ WATCHDOG_USEC: "300000000", WATCHDOG_PID: "7" }, 300_000],
    [{ WATCHDOG_USEC: "300000000", WATCHDOG_PID: "8" }, null],
    [{ WATCHDOG_USEC: "soon" }, null],
    [{}, null],
  ])("a watchdog of %j waits %s ms", (more, ms) => {
    expect(openSdNotify({ env: { NOTIFY_SOCKET: "/run/x", ...more }, pid: 7, onFault: fail })!.watchdogMs).toBe(ms);
  });

  test("a missing systemd-notify is reported once", async () => {
    const told = await new Promise<Error>((resolve) => {
      openSdNotify({ env: { NOTIFY_SOCKET: "/run/x", PATH: "/nowhere" }, pid: 1, onFault: resolve })!.say("READY=1");
    });
    expect(told.message).toContain("ENOENT");
  });

  test("signs of life stop when the loop does not continue", async () => {
    const said: string[] = [];
    let turns = 0;
    await new Promise<void>((resolve) => {
      const stop = keepWatchdog({ watchdogMs: 8, say: (...words) => void said.push(...words) }, () => {
        turns++;
        if (turns === 5) {
          stop();
          resolve();
        }
        return turns < 3;
      });
      // The timer does not keep a process; the test has to.
      const keep = setInterval(() => turns >= 5 && clearInterval(keep), 5);
    });
    expect(said).toEqual(["WATCHDOG=1", "WATCHDOG=1"]);
  });
});

const change = (what: string, path: string, detail = ""): FolderEvent => ({
  kind: "change",
  at: 0,
  what,
  path,
  detail,
  side: "both",
  id: null,
  outcome: "done",
  code: null,
  requestId: null,
  changeId: null,
  lines: null,
  run: 1,
});
const run = { kind: "run", at: 0, report: {} } as unknown as FolderEvent;

describe("a note on the desktop", () => {
  test("names the conflicts of a run in one note", async () => {
    const alerts = new Alerts({ env: env(), onNote: fail as unknown as (note: string) => void });
    alerts.take("/home/ann/notes", change("conflict", "a.md"));
    alerts.take("/home/ann/notes", change("conflict", "b <b>.md"));
    alerts.take("/home/ann/notes", run);
    expect(await called()).toBe(
      "notify-send|--app-name=mdmirror|--|mdmirror: 2 conflicts in notes|a.md, b &lt;b&gt;.md|key=",
    );
  });

  test("reports a stop, and nothing that requires no action", async () => {
    const alerts = new Alerts({ env: env(), onNote: fail as unknown as (note: string) => void });
    alerts.take("/home/ann/notes", change("put", "a.md"));
    alerts.take("/home/ann/notes", run);
    alerts.take("/home/ann/notes", change("safety-stop", "", "delete-budget-remote: 12 deletions"));
    expect(await called()).toMatch(
      /^notify-send\|--app-name=mdmirror\|--\|mdmirror stopped syncing notes\|delete-budget-remote: 12 deletions/,
    );
  });

  test.each([
    ["no desktop", { PATH: "/usr/bin" }, "linux"],
    ["it is not wanted", { DISPLAY: ":0", MDMIRROR_NOTIFY: "off" }, "linux"],
    ["another system", { DISPLAY: ":0" }, "freebsd"],
  ] as const)("is not tried: %s", (_name, given, platform) => {
    expect(openDesktop({ env: given, platform, onFault: fail })).toBeNull();
  });
});
