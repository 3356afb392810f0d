import { chmodSync, existsSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { makeDesktopHook } from "../../../src/mirror/hooks/hook-runner.ts";
import { type HookMessage, runCommand } from "../../../src/mirror/hooks/run-hook.ts";
import { startWatchdog, openSdNotify } from "../../../src/mirror/daemon/daemon.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

/**
 * A program on the PATH that records its arguments, and whether its environment contains the key.
 */
let dir: string;
let out: string;
beforeEach(() => {
  dir = temporaryFolder();
  out = join(dir, "calls");
  for (const name of ["systemd-notify", "notify-send"]) {
    const file = join(dir, name);
    const script = `#!/bin/sh\n{ printf '${name}'; for a in "$@"; do printf '|%s' "$a"; done; printf '|key=%s\\n' "$MDMIRROR_API_KEY"; } >> '${out}.part'\nmv '${out}.part' '${out}'\n`;
    writeFileSync(file, script);
    chmodSync(file, 0o755);
  }
});

/** Resolves with the next recorded call. */
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
    openSdNotify({ env: env(), pid: 1, onFault: fail })!.send("READY=1", "STATUS=keeps 2 folders in sync");
    expect(await called()).toBe("systemd-notify|READY=1|STATUS=keeps 2 folders in sync|key=");
  });

  test("is not shown unless the user configured it", () => {
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
    const answer = await new Promise<Error>((resolve) => {
      openSdNotify({ env: { NOTIFY_SOCKET: "/run/x", PATH: "/nowhere" }, pid: 1, onFault: resolve })!.send("READY=1");
    });
    expect(answer.message).toContain("ENOENT");
  });

  test("signs of life stop when the loop does not continue", async () => {
    const said: string[] = [];
    let turns = 0;
    await new Promise<void>((resolve) => {
      const stop = startWatchdog({ watchdogMs: 8, send: (...words) => void said.push(...words) }, () => {
        turns++;
        if (turns === 5) {
          stop();
          resolve();
        }
        return turns < 3;
      });
      // The tested timer does not keep the process alive, so the test does.
      const keep = setInterval(() => turns >= 5 && clearInterval(keep), 5);
    });
    expect(said).toEqual(["WATCHDOG=1", "WATCHDOG=1"]);
  });
});

describe("a desktop notification", () => {
  test("has the text of the event, which is no script", async () => {
    const hook = makeDesktopHook(env(), "linux")!;
    const message = { type: "conflict", text: "$(id) <b>.md", data: { mirror: { folder: "/w" } } } as HookMessage;
    const stop = new AbortController().signal;
    expect(await runCommand({ ...hook, timeoutMs: 30_000 }, message, env(), stop)).toMatchObject({ kind: "done" });
    expect(await called()).toBe("notify-send|--app-name=mdmirror|--|$(id) <b>.md|key=");
  });

  test.each([
    ["no desktop", { PATH: "/usr/bin" }, "linux"],
    ["it is not wanted", { DISPLAY: ":0", MDMIRROR_NOTIFY: "off" }, "linux"],
    ["another system", { DISPLAY: ":0" }, "freebsd"],
  ] as const)("is not tried: %s", (_name, given, platform) => {
    expect(makeDesktopHook(given, platform)).toBeNull();
  });
});
