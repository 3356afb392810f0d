import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { noteTransient } from "../../src/mirror/folder/transient-trouble.ts";
import { acquireLock } from "../../src/mirror/state/lock.ts";
import { startHttp } from "../../src/service/http/server.ts";
import { useRig } from "./rig.ts";

/** `sync --quiet`, as a timer starts it every few minutes: each line is a mail. */

const MINUTE = 60_000;

const rig = useRig();
beforeEach(async () => {
  rig.createRemotely("a.md", "a\n");
  expect((await rig.init()).code).toBe(0);
});

const own = (name: string) => join(rig.root, ".mdmirror", name);
const quietly = () => rig.run(["sync", "w", "--quiet"]);

/**
 * Runs so many times.
 * @returns the minutes since the first at which something was said, and all exit codes
 */
async function runEach(minutes: number, times: number) {
  const reported: number[] = [];
  const codes = new Set<number>();
  for (let run = 0; run < times; run++) {
    const { code, out, err } = await quietly();
    codes.add(code);
    if (out.length + err.length > 0) reported.push(run * minutes);
    rig.pass(minutes * MINUTE);
  }
  return { told: reported, codes: [...codes] };
}

function lockIt() {
  const lock = acquireLock(join(rig.root, ".mdmirror"), { since: 1, what: "sync" });
  if (lock.kind !== "locked") throw new Error("the folder is locked already");
  return lock;
}

describe("sync --quiet", () => {
  test("says after an hour, and then once a day, that another run uses the folder; the exit code says it each time", async () => {
    const lock = lockIt();
    const { told: reported, codes } = await runEach(30, 52);
    expect([reported, codes]).toEqual([[60, 25 * 60], [6]]);
    lock.release();
    expect(await quietly()).toMatchObject({ code: 0, out: [], err: [] });
    expect(existsSync(own("quiet.json"))).toBe(false);
  });

  test("says after an hour that the service is not reached, and counts from zero once it was", async () => {
    await rig.stopService();
    const first = await runEach(10, 8);
    expect([first.told, first.codes]).toEqual([[60], [5]]);
    const port = Number(new URL(rig.url).port);
    const server = await startHttp(rig.service, { port });
    expect(await quietly()).toMatchObject({ code: 0, err: [] });
    await server.close();
    const second = await runEach(10, 4);
    expect([second.told, second.codes]).toEqual([[], [5]]);
  });

  test("says without delay that the key is refused, as waiting does not help", async () => {
    writeFileSync(own("key"), "mdm_not_a_key_of_this_service\n");
    const { code, err } = await quietly();
    expect([code, err[0]]).toEqual([5, expect.stringContaining("refuses the key")]);
  });

  test.each([
    ["sync", ["sync", "w"]],
    ["a command that opens the mirror", ["plan", "w"]],
    ["wait", ["wait", "w"]],
  ])("%s shows progress unless the configuration turns it off", async (_, command) => {
    const isShown: boolean[] = [];
    for (const progress of [true, false]) {
      const config = JSON.parse(readFileSync(own("config.json"), "utf8")) as object;
      writeFileSync(own("config.json"), JSON.stringify({ ...config, interface: { progress } }));
      const onStatus = vi.fn();
      await rig.run(command, { terminal: true, onStatus });
      isShown.push(onStatus.mock.calls.length > 0);
    }
    expect(isShown).toEqual([true, false]);
  });

  test("says it without delay if the configuration wants that, and if it cannot be noted", async () => {
    const config = JSON.parse(readFileSync(own("config.json"), "utf8")) as object;
    writeFileSync(own("config.json"), JSON.stringify({ ...config, interface: { quietFor: "0s" } }));
    const lock = lockIt();
    expect((await quietly()).err[0]).toContain("is in use by");
    lock.release();
    expect(noteTransient(join(rig.dir, "none"), "locked", 1, 1_000)).toBe(0);
  });
});
