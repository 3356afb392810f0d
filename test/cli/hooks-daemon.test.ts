import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { groupEnds } from "../mirror/hooks/group.ts";
import { HooksFixture, writeHooks } from "./hooks-fixture.ts";
import { isRun, useWatchedFolder } from "./watch-rig.ts";

const folder = useWatchedFolder();

describe("a daemon", () => {
  test("calls a hook with its changes after a pause, and once for a burst", async () => {
    const hooked = new HooksFixture(folder.rig);
    const hook = { ...hooked.recordingHook(), on: { "in-sync": { debounce: "1h" } } };
    writeHooks(folder.rig, { all: hook });
    const watch = await folder.watchingHere();
    for (const name of ["b.md", "c.md", "d.md"]) {
      const before = watch.events.length;
      folder.rig.write(name, `# ${name}\n`);
      await watch.until(isRun, before);
    }
    expect(hooked.all()).toEqual([]);
    watch.clock.speedUp(20_000);
    expect(await hooked.next()).toMatchObject({
      type: "in-sync",
      data: { mirror: { name: "w" }, counts: { changes: { createdRemote: 3 } } },
    });
    watch.stop();
    expect(await watch.ended).toBe(0);
    expect(hooked.all()).toHaveLength(1);
  });

  test("syncs while a hook hangs, and ends the hook with itself", async () => {
    const { rig } = folder;
    const pid = join(rig.dir, "pid");
    const hooked = new HooksFixture(folder.rig);
    const hang = {
      on: { "in-sync": { debounce: "0s" } },
      run: ["sh", "-c", `echo $$ > '${pid}'; sleep 600`],
      timeout: "10m",
    };
    writeHooks(rig, { hang, other: { ...hooked.recordingHook(), on: { "in-sync": { debounce: "0s" } } } });
    const watch = await folder.watchingHere(["w"], { PATH: process.env["PATH"]! });
    rig.write("b.md", "# b\n");
    expect(await hooked.next()).toMatchObject({ type: "in-sync" });
    rig.write("c.md", "# c\n");
    expect(await hooked.next()).toMatchObject({ type: "in-sync" });
    watch.clock.speedUp(20);
    watch.stop();
    expect(await watch.ended).toBe(0);
    await groupEnds(Number(readFileSync(pid, "utf8")));
    expect(watch.err()).toContain('the hook "hang" failed on in-sync');
  });

  test("shows a desktop notification for a conflict", async () => {
    const { rig } = folder;
    const shown = join(rig.dir, "shown");
    writeFileSync(join(rig.dir, "notify-send"), `#!/bin/sh\nprintf '%s\\n' "$3" > '${shown}'\n`, { mode: 0o755 });
    rig.editRemotely("a.md", "# theirs\n");
    rig.write("a.md", "# mine\n");
    const env = { PATH: `${rig.dir}:${process.env["PATH"]}`, DISPLAY: ":0", MDMIRROR_NOTIFY: "" };
    const watch = await folder.watchingHere(["w"], env);
    watch.clock.speedUp(20);
    await vi.waitFor(() => expect(readFileSync(shown, "utf8")).toBe("mdmirror: 1 new conflict in w: a.md\n"), 30_000);
  });
});
