import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { useHooked, writeHooks } from "./hooks-fixture.ts";

/** Hooks that fail, and hooks of another user. */
const hooked = useHooked();

describe("a hook that fails", () => {
  test("leaves the exit code, and is reported by sync and by its test", async () => {
    writeHooks(hooked.rig, { bad: { on: ["in-sync"], run: ["sh", "-c", "echo oops; exit 1"] } });
    hooked.rig.write("b.md", "# b\n");
    const { code, out, err } = await hooked.run("sync", "w");
    expect([code, out.length, err]).toEqual([
      0,
      1,
      ['mdmirror: the hook "bad" failed on in-sync: it ended with 1: oops'],
    ]);
    const failed = await hooked.run("hooks", "test", "bad");
    expect([failed.code, failed.err[0]]).toEqual([3, 'mdmirror: the hook "bad" failed on in-sync: it ended with 1']);
  });
});

describe("hooks of others", () => {
  test("in a folder's configuration are refused, and nothing is run", async () => {
    const hooks = { evil: hooked.writesDown("in-sync") };
    hooked.rig.write(".mdmirror/hooks.json", JSON.stringify({ hooks }));
    hooked.rig.write("b.md", "# b\n");
    await hooked.run("sync", "w");
    const config = JSON.parse(hooked.rig.read(".mdmirror/config.json")) as object;
    hooked.rig.write(".mdmirror/config.json", JSON.stringify({ ...config, hooks }));
    const { code, err } = await hooked.run("sync", "w");
    expect([code, err[0]]).toEqual([
      2,
      expect.stringContaining(
        '"hooks" is not allowed in a folder: hooks are read only from ~/.config/mdmirror/hooks.json',
      ),
    ]);
    expect(hooked.events()).toEqual([]);
  });

  test("in a file that others can write are not run, and the sync continues", async () => {
    writeHooks(hooked.rig, { evil: hooked.writesDown("in-sync") });
    chmodSync(join(hooked.rig.configHome, "mdmirror/hooks.json"), 0o666);
    hooked.rig.write("b.md", "# b\n");
    const { code, err } = await hooked.run("sync", "w");
    expect([code, err[0]]).toEqual([
      0,
      expect.stringContaining("can be written by other users, so mdmirror runs no hook"),
    ]);
    expect((await hooked.run("sync", "w", "--quiet")).err).toEqual([]);
    expect(hooked.events()).toEqual([]);
  });
});
