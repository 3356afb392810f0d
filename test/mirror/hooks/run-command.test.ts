import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { HookEnd } from "../../../src/mirror/hooks/hook.ts";
import { type HookMessage, runCommand } from "../../../src/mirror/hooks/run-hook.ts";
import { groupEnds } from "./group.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

let home: string;
beforeEach(() => {
  home = temporaryFolder();
});

const MESSAGE: HookMessage = {
  id: "msg_1",
  type: "conflict",
  timestamp: "2026-11-23T12:00:00.000Z",
  text: 'mdmirror: 1 new conflict in w: $(touch ran) "a".md',
  data: {
    mirror: { name: "w", folder: "/w" },
    state: "attention",
    test: false,
    counts: { attention: 1, conflicts: 1, inReview: 0, changes: {} },
    items: [],
    more: 0,
    next: "mdmirror conflicts",
  },
};

type More = { readonly stop?: AbortSignal; readonly timeoutMs?: number; readonly env?: Record<string, string> };

function run(
  argv: readonly string[],
  { stop = new AbortController().signal, timeoutMs = 60_000, env = {} }: More = {},
) {
  const given = { PATH: process.env["PATH"], HOME: home, MDMIRROR_API_KEY: "mdm_secret", ...env };
  return runCommand({ argv, timeoutMs }, MESSAGE, given, stop);
}

const sh = (line: string, more?: More): Promise<HookEnd> => run(["sh", "-c", line], more);
const kept = (name: string) => readFileSync(join(home, name), "utf8");

describe("a hook's command", () => {
  test("gets the message as JSON, in the user's home, in an environment without keys", async () => {
    const env = { LC_TIME: "C", EVIL: "1", MDMIRROR_HOOK_TEXT: "old" };
    expect(await sh("cat > in; env > env; pwd > pwd", { env })).toMatchObject({ kind: "done" });
    expect(JSON.parse(kept("in"))).toEqual(MESSAGE);
    expect(kept("pwd").trim()).toBe(home);
    const names = kept("env").split("\n");
    expect(names).toEqual(expect.arrayContaining(["MDMIRROR_HOOK=conflict", "MDMIRROR_HOOK_FOLDER=/w", "LC_TIME=C"]));
    expect(names).toContain(`MDMIRROR_HOOK_TEXT=${MESSAGE.text}`);
    expect(kept("env")).not.toMatch(/mdm_secret|EVIL/);
  });

  test("is no shell line: what folders are called is never run", async () => {
    await run(["sh", "-c", 'printf %s "$MDMIRROR_HOOK_TEXT" > out; printf %s "$1" > arg', "sh", "$(touch ran)"]);
    expect([kept("out"), kept("arg"), existsSync(join(home, "ran"))]).toEqual([MESSAGE.text, "$(touch ran)", false]);
  });

  test("need not read its input", async () => {
    expect(await run(["true"])).toMatchObject({ kind: "done" });
  });

  test("that fails says how, with the last that it printed", async () => {
    const end = await sh("echo one; echo oops >&2; exit 3");
    expect(end).toMatchObject({ kind: "failed", why: "it ended with 3", reason: "exit", code: 3 });
    expect(end).toMatchObject({ output: expect.stringContaining("oops") });
  });

  test("that cannot be started says why", async () => {
    expect(await run(["no-such-program"])).toMatchObject({ kind: "failed", reason: "start", code: "ENOENT" });
    expect(await run([home])).toMatchObject({ kind: "failed", reason: "start", code: "EACCES" });
  });

  test("that does not end is ended with all that it started, though it does not want to", async () => {
    const line = "trap '' TERM; echo $$ > group; sleep 600 & sleep 600 & wait; sleep 600";
    const end = await sh(line, { timeoutMs: 1_000 });
    expect(end).toMatchObject({ kind: "failed", why: "it did not end within 1 s", reason: "timeout" });
    await groupEnds(Number(kept("group")));
  });

  test("that prints without end is ended, and little of it is kept", async () => {
    const end = await sh("echo $$ > group; yes flood");
    expect(end).toMatchObject({ kind: "failed", reason: "output" });
    expect(end.kind === "failed" && Buffer.byteLength(end.output)).toBeLessThanOrEqual(1_024);
    await groupEnds(Number(kept("group")));
  });

  test("that leaves something behind is over when it has ended itself", async () => {
    expect(await sh("echo $$ > group; sleep 600 &")).toMatchObject({ kind: "done" });
    process.kill(-Number(kept("group")), "SIGKILL");
  });

  test("is ended when mdmirror ends, and counts as not called", async () => {
    const stop = new AbortController();
    const running = sh("sleep 600", { stop: stop.signal });
    stop.abort();
    expect(await running).toMatchObject({ kind: "failed", reason: "stopped" });
    expect(await sh("sleep 600", { stop: stop.signal })).toMatchObject({ reason: "stopped" });
  });
});
