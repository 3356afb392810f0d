import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { chooseSocketPath, writeSocketPath } from "../../src/mirror/daemon/control/choose-socket.ts";
import { useRig } from "./rig.ts";

const rig = useRig();
beforeEach(async () => {
  rig.write("a.md", "a\n");
});

const short = async (...more: string[]) => {
  const { code, out, err } = await rig.run(["status", "--short", ...more], { cwd: rig.root });
  return { code, out, err };
};
const sync = () => rig.run(["sync", "w"]);

describe("status --short", () => {
  test("prints nothing outside of linked folders, with exit 2; a folder that is named must be one", async () => {
    mkdirSync(rig.root, { recursive: true });
    expect(await short()).toEqual({ code: 2, out: [], err: [] });
    expect(await short("--json")).toEqual({ code: 2, out: [], err: [] });
    expect((await short(rig.root)).err[0]).toContain("is not a linked folder");
  });

  test("is one word where all is well, anywhere in the linked folder, and by its name", async () => {
    await rig.init();
    rig.write("deep/er/b.md", "b\n");
    await sync();
    for (const [argv, cwd] of [
      [[], rig.root],
      [[], join(rig.root, "deep/er")],
      [["w"], rig.dir],
    ] as const) {
      const { code, out, err } = await rig.run(["status", "--short", ...argv], { cwd });
      expect([code, out, err]).toEqual([0, ["in-sync"], []]);
    }
  });

  test("counts what is open, without a name of it", async () => {
    await rig.init();
    for (const name of ["held", "both"]) rig.write(`${name}.md`, "one\n");
    await sync();
    rig.editRemotely("both.md", "theirs\n");
    rig.write("both.md", "mine\n");
    rig.write("held.md", "\0");
    expect((await sync()).code).toBe(3);
    expect(await short()).toEqual({ code: 3, out: ["attention conflicts:1 blocked:1"], err: [] });
    const { code, out } = await short("--json");
    expect([code, JSON.parse(out[0]!)]).toEqual([
      3,
      {
        state: "attention",
        conflicts: 1,
        blocked: 1,
        waiting: 0,
        reviews: 0,
        daemon: "none",
        inSyncAsOf: expect.any(Number),
      },
    ]);
  });

  test("names what waits in review, which is no attention", async () => {
    await rig.init();
    expect((await rig.run(["protect", "w/a.md"])).code).toBe(0);
    rig.write("a.md", "for review\n");
    // Without a terminal it is handed over once two syncs saw the same text.
    await sync();
    expect(await short()).toEqual({ code: 3, out: ["attention waiting:1"], err: [] });
    await sync();
    expect(await short()).toEqual({ code: 0, out: ["in-sync reviews:1"], err: [] });
  });

  test("shows a service that is not reached, and excludes all options but --json", async () => {
    await rig.init();
    await rig.stopService();
    expect((await sync()).code).toBe(5);
    expect(await short()).toEqual({ code: 5, out: ["offline"], err: [] });
    const other = await rig.run(["status", "--short", "--max-age", "1m"], { cwd: rig.root });
    expect([other.code, other.err[0]]).toEqual([2, "mdmirror status: --short can be combined with --json only"]);
  });

  test("does not wait for a daemon that does not answer, and still shows the state", async () => {
    await rig.init();
    const socket = chooseSocketPath(rig.root, { env: {} });
    if (socket.kind === "trouble") throw new Error(socket.trouble.what);
    const callers: Socket[] = [];
    const server = createServer((caller) => void callers.push(caller));
    await new Promise<void>((resolve) => void server.listen(socket.value, resolve));
    onTestFinished(() => {
      for (const caller of callers) caller.destroy();
      server.close();
    });
    writeSocketPath(join(rig.root, ".mdmirror"), { socket: socket.value, pid: 4242, since: 0 });
    expect(await short()).toEqual({ code: 0, out: ["in-sync silent"], err: [] });
    expect(callers.length).toBeGreaterThan(0);
  });

  test("believes and asks nothing in a folder that is not known as the user's, or cannot be admitted", async () => {
    await rig.init();
    const env = { XDG_STATE_HOME: join(rig.dir, "another") };
    const { code, out, err } = await rig.run(["status", "--short"], { cwd: rig.root, env });
    expect([code, out, err]).toEqual([2, ["untrusted"], []]);
    writeFileSync(join(rig.root, ".mdmirror/config.json"), JSON.stringify({ url: "nonsense" }));
    expect(await short()).toEqual({ code: 2, out: ["unreadable"], err: [] });
  });
});
