import { unlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { acquireLock } from "../../src/mirror/state/lock.ts";
import { useRig } from "./rig.ts";

const rig = useRig();

describe("how a sync that cannot go on ends", () => {
  test("5 when the service does not answer, with what to do", async () => {
    await rig.init();
    await rig.stopService();
    expect(await rig.json(["sync", "w"])).toMatchObject({
      exit: 5,
      state: "offline",
      attention: [{ path: "", kind: "offline", code: "unreachable", next: "mdmirror doctor" }],
    });
  });

  test("5 when the key is refused, and no local file is touched (I19)", async () => {
    rig.createRemotely("a.md", "a\n");
    await rig.init();
    const [key] = rig.service.admin.keys();
    rig.service.admin.removeKey(key!.id);
    const { code, err } = await rig.run(["sync", "w"]);
    expect(code).toBe(5);
    expect(err[0]).toMatch(/\(unauthenticated, request req_/);
    expect(err[1]).toContain("mdmirror init DIR --key-file FILE");
    expect(rig.read("a.md")).toBe("a\n");
    expect(await rig.json(["status", "w"])).toMatchObject({ exit: 5, attention: [{ code: "unauthenticated" }] });
  });

  test("6 when another process uses the folder, with its name", async () => {
    await rig.init();
    const lock = acquireLock(join(rig.root, ".mdmirror"), { since: Date.now() - 90_000, what: "watch" });
    expect(lock.kind).toBe("locked");
    const { code, err } = await rig.run(["sync", "w"]);
    if (lock.kind === "locked") lock.release();
    expect(code).toBe(6);
    expect(err[0]).toContain(`mdmirror watch (process ${process.pid}, for 1 min)`);
  });

  test("2 when the config has a member that is none, naming file and member", async () => {
    await rig.init();
    rig.write(".mdmirror/config.json", JSON.stringify({ url: rig.url, colour: "red", names: "maybe" }));
    const { code, err } = await rig.run(["sync", "w"]);
    expect(code).toBe(2);
    for (const member of ["colour", "names"]) expect(err[0]).toContain(`.mdmirror/config.json: "${member}" `);
  });

  test("4 when a safety check stops it: nothing is deleted until approve, and then exactly that (I21)", async () => {
    const names = Array.from({ length: 12 }, (_, n) => `n${n}.md`);
    for (const name of names) rig.createRemotely(name, `${name}\n`);
    rig.createRemotely("stays.md", "stays\n");
    await rig.init();
    for (const name of names) unlinkSync(join(rig.root, name));
    const halted = await rig.run(["sync", "w"]);
    expect(halted.code).toBe(4);
    expect(halted.err[0]).toContain("(delete-budget-remote)");
    expect(halted.err.filter((line) => line.startsWith("    → delete on the service: n"))).toHaveLength(12);
    expect(halted.err.slice(-2)).toEqual([
      expect.stringContaining("mdmirror approve"),
      expect.stringContaining("mdmirror reject"),
    ]);
    expect((await rig.run(["status", "w"])).code).toBe(4);
    expect((await rig.run(["approve", "w"])).code).toBe(2);
    const declined = await rig.run(["approve", "w"], { terminal: true, answers: ["n"] });
    expect([declined.code, declined.asked.length]).toEqual([4, 1]);
    expect((await rig.run(["sync", "w"])).code).toBe(4);
    expect(rig.remote("n0.md")).not.toBe(null);

    expect((await rig.run(["approve", "w"], { terminal: true, answers: ["y"] })).code).toBe(0);
    expect((await rig.run(["sync", "w"])).code).toBe(0);
    expect(names.map((name) => rig.remote(name))).toEqual(names.map(() => null));
    expect((await rig.run(["status", "w"])).code).toBe(0);
  });
});
