import { chmodSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { snapshot, useSyncedRig } from "./rig.ts";

/** `diff`, `verify`, `log`, and `why` after a refusal. */

const { rig, run } = useSyncedRig({ "a.md": "one\ntwo\nthree\n", "d/b.md": "b\n" });

test("why shows the last error with its requestId", async () => {
  const { id } = rig.remote("a.md")!;
  rig.api("PATCH", `/v1/files/${id}`, { protected: true });
  await run("sync");
  rig.remove("a.md");
  await run("sync");
  const { out } = await run("why", "a.md");
  expect(out.join("\n")).toMatch(/file_protected|delete-refused/);
});

describe("log", () => {
  test("newest last, in local time, by run, path and number; --json is one object a line", async () => {
    rig.write("a.md", "SECRET TEXT\n");
    await run("sync");
    const { out } = await run("log");
    expect(out.at(-1)).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}run 2 {2}put {2}a\.md {2}edited locally$/);
    expect((await run("log", "--limit", "1")).out).toEqual([out.at(-1)]);
    expect((await run("log", "--run", "2")).out).toEqual([out.at(-1)]);
    expect((await run("log", "--path", "a.md")).out).toHaveLength(2);
    const events = (await run("log", "--json")).out.map((line) => JSON.parse(line) as object);
    expect(events.at(-1)).toMatchObject({ kind: "put", path: "a.md", run: 2 });
    expect(JSON.stringify(events)).not.toContain("SECRET TEXT");
    expect((await run("log", "--limit", "x")).code).toBe(2);
  });
});

describe("diff", () => {
  test("nothing differs: 0", async () => {
    expect(await run("diff")).toMatchObject({ code: 0, out: ["both sides are equal"] });
    const same = "mdmirror: service/a.md and local/a.md are equal";
    expect(await run("diff", "a.md")).toMatchObject({ code: 0, out: [], err: [same] });
    expect(await run("diff", "a.md", "--json")).toMatchObject({ code: 0, err: [] });
  });

  test("lists what differs, with counts of lines, and ends with 3", async () => {
    rig.write("a.md", "one\n2\nthree\nfour\n");
    rig.write("new.md", "n\n");
    rig.createRemotely("there.md", "t\n");
    const before = snapshot(rig.root);
    const { code, out } = await run("diff");
    expect([code, out]).toEqual([3, ["a.md      +2 -1", "new.md    only local", "there.md  only on the service"]]);
    expect(snapshot(rig.root)).toEqual(before);
  });

  test("a unified diff of one, as any patch tool reads it", async () => {
    rig.write("a.md", "one\n2\nthree");
    const { code, out } = await run("diff", "a.md");
    expect(code).toBe(3);
    expect(out).toEqual([
      "--- service/a.md",
      "+++ local/a.md",
      "@@ -1,3 +1,3 @@",
      " one",
      "-two",
      "-three",
      "+2",
      "+three",
      "\\ No newline at end of file",
    ]);
    const terminal = await rig.run(["diff", "a.md"], { cwd: rig.root, terminal: true });
    expect(terminal.out.join("\n")).toContain("\u001b[31m-two");
    expect(await run("diff", "nobody.md")).toMatchObject({ code: 2 });
  });

  test("the service gone: 5", async () => {
    await rig.stopService();
    expect((await run("diff")).code).toBe(5);
    rig.write("new.md", "n\n");
    for (const path of ["a.md", "new.md", "nobody.md"])
      expect([path, (await run("diff", path)).code]).toEqual([path, 5]);
  });
});

describe("verify", () => {
  test("a manifest of what agrees, and 0; nothing is written (I23)", async () => {
    const before = snapshot(rig.root);
    const report = await rig.json(["verify", "w"]);
    expect(report).toMatchObject({ exit: 0, agree: true, differing: [], onlyLocal: [], onlyService: [], blocked: [] });
    expect(report["documents"]).toEqual([
      { path: "a.md", id: rig.remote("a.md")!.id, sha256: expect.stringMatching(/^[0-9a-f]{64}$/), size: 14 },
      { path: "d/b.md", id: rig.remote("d/b.md")!.id, sha256: expect.any(String), size: 2 },
    ]);
    expect(snapshot(rig.root)).toEqual(before);
  });

  test("reports what differs, is only local, only on the service, blocked or unreadable, and ends with 3", async () => {
    rig.write("a.md", "other\n");
    rig.write("new.md", "n\n");
    rig.createRemotely("there.md", "t\n");
    rig.write("sub/dark.md", "d\n");
    chmodSync(rig.path("sub"), 0o000);
    const report = await rig.json(["verify", "w"]);
    chmodSync(rig.path("sub"), 0o755);
    expect(report).toMatchObject({
      exit: 3,
      agree: false,
      differing: [{ path: "a.md" }],
      onlyService: [{ path: "there.md" }],
    });
    expect(report["onlyLocal"]).toContain("new.md");
  });
});
