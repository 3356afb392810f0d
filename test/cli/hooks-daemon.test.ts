import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { groupEnds } from "../mirror/hooks/group.ts";
import { Receiver, writeHooks } from "./hooks-fixture.ts";
import { isRun, useWatchedFolder } from "./watched-folder.ts";

/** Hooks of a daemon. */
const folder = useWatchedFolder();
const ALL = ["in-sync", "attention", "conflict", "stopped", "offline"];

describe("a daemon", () => {
  test("calls a hook with its changes after a pause, and once for a burst", async () => {
    const receiver = new Receiver(folder.rig);
    const hook = { ...receiver.hook([]), on: { "in-sync": { debounce: "1h" } } };
    writeHooks(folder.rig, { all: hook });
    const watch = await folder.watchingHere();
    for (const name of ["b.md", "c.md", "d.md"]) {
      const before = watch.events.length;
      folder.rig.write(name, `# ${name}\n`);
      await watch.until(isRun, before);
    }
    expect(receiver.got).toEqual([]);
    watch.clock.hurry(20_000);
    expect(await receiver.next()).toMatchObject({
      type: "in-sync",
      data: { mirror: { name: "w" }, counts: { changes: { createdRemote: 3 } } },
    });
    watch.stop();
    expect(await watch.ended).toBe(0);
    expect(receiver.got).toHaveLength(1);
  });

  test("calls a hook for a conflict, and for in-sync when somebody has resolved it", async () => {
    const receiver = new Receiver(folder.rig);
    writeHooks(folder.rig, { all: receiver.hook(ALL) });
    folder.rig.editRemotely("a.md", "# theirs\n");
    folder.rig.write("a.md", "# mine\n");
    const watch = await folder.watchingHere();
    expect(await receiver.next()).toMatchObject({ type: "conflict", data: { items: [{ path: "a.md" }] } });
    expect(await receiver.next()).toMatchObject({ type: "attention" });
    expect(
      (await folder.rig.run(["resolve", "w/a.md", "--mine"], { env: { XDG_RUNTIME_DIR: folder.rig.dir } })).code,
    ).toBe(0);
    expect(await receiver.next()).toMatchObject({ type: "in-sync" });
    expect(watch.err()).not.toContain("hook");
  });

  test("calls a hook when the service has not been reached for its time", async () => {
    const receiver = new Receiver(folder.rig);
    writeHooks(folder.rig, { all: { ...receiver.hook([]), on: { offline: { debounce: "1h" } } } });
    const watch = await folder.watchingHere();
    await folder.rig.stopService();
    folder.rig.write("b.md", "# b\n");
    await watch.until(({ kind, phase }) => kind === "phase" && phase === "waiting");
    expect(receiver.got).toEqual([]);
    watch.clock.hurry(20_000);
    expect(await receiver.next()).toMatchObject({
      type: "offline",
      data: { state: "offline", items: [{ code: "offline" }] },
    });
  });

  test("syncs while a hook hangs, and ends the hook with itself", async () => {
    const { rig } = folder;
    const pid = join(rig.dir, "pid");
    const receiver = new Receiver(folder.rig);
    const hang = {
      on: { "in-sync": { debounce: "0s" } },
      run: ["sh", "-c", `echo $$ > '${pid}'; sleep 600`],
      timeout: "10m",
    };
    writeHooks(rig, { hang, other: receiver.hook(["in-sync"]) });
    const watch = await folder.watchingHere(["w"], { PATH: process.env["PATH"]! });
    rig.write("b.md", "# b\n");
    expect(await receiver.next()).toMatchObject({ type: "in-sync" });
    rig.write("c.md", "# c\n");
    expect(await receiver.next()).toMatchObject({ type: "in-sync" });
    watch.clock.hurry(20);
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
    watch.clock.hurry(20);
    await vi.waitFor(() => expect(readFileSync(shown, "utf8")).toBe("mdmirror: 1 new conflict in w: a.md\n"), 30_000);
  });

  test("writes how hooks end into the folder's log, without what they print", async () => {
    const { rig } = folder;
    const receiver = new Receiver(folder.rig);
    const bad = { on: { "in-sync": { debounce: "0s" } }, run: ["sh", "-c", "echo '# one'; exit 3"] };
    writeHooks(rig, { bad, other: receiver.hook(["in-sync"]) });
    const watch = await folder.watchingHere(["w"], { PATH: process.env["PATH"]! });
    rig.write("b.md", "# b\n");
    await watch.told('the hook "bad" failed on in-sync');
    await receiver.next();
    watch.stop();
    await watch.ended;
    const lines = rig
      .read(".mdmirror/log/mdmirror.log")
      .split("\n")
      .filter((line) => line.includes('"hook"'));
    const told = lines.map((line) => JSON.parse(line) as { what: string });
    expect(told.toSorted((a, b) => (a.what < b.what ? -1 : 1))).toMatchObject([
      { level: "warn", what: "bad", action: "in-sync", outcome: "failed", reason: "exit", status: 3 },
      { level: "info", what: "other", action: "in-sync", outcome: "done" },
    ]);
    expect(lines.join()).not.toContain("# one");
  });
});
