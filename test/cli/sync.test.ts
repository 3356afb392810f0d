import { existsSync, renameSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { snapshot, useRig } from "./rig.ts";

const rig = useRig();

describe("sync", () => {
  test("carries an edit, a new file, a rename and a deletion each way, and ends with 0", async () => {
    for (const name of ["edited", "renamed", "deleted"]) rig.createRemotely(`there/${name}.md`, `${name} there\n`);
    for (const name of ["edited", "renamed", "deleted"]) rig.createRemotely(`here/${name}.md`, `${name} here\n`);
    expect((await rig.init()).code).toBe(0);
    const before = rig.remote("here/renamed.md")!;

    rig.write("here/edited.md", "edited locally, again\n");
    rig.write("here/new.md", "created locally\n");
    rig.write("here/after.md", rig.read("here/renamed.md"));
    unlinkSync(join(rig.root, "here/renamed.md"));
    unlinkSync(join(rig.root, "here/deleted.md"));
    rig.editRemotely("there/edited.md", "edited there, again\n");
    rig.createRemotely("there/new.md", "new there\n");
    rig.api("PATCH", `/v1/files/${rig.remote("there/renamed.md")!.id}`, { name: "after.md" });
    rig.deleteRemotely("there/deleted.md");

    expect(await rig.json(["sync", "w"])).toMatchObject({
      exit: 0,
      counts: {
        uploaded: 1,
        downloaded: 1,
        createdRemote: 1,
        createdLocal: 1,
        movedRemote: 1,
        movedLocal: 1,
        deletedRemote: 1,
        deletedLocal: 1,
      },
    });
    expect(rig.remote("here/edited.md")!.content).toBe("edited locally, again\n");
    expect(rig.remote("here/new.md")!.content).toBe("created locally\n");
    expect(rig.remote("here/after.md")!.id).toBe(before.id);
    expect(rig.remote("here/deleted.md")).toBe(null);
    expect(rig.read("there/edited.md")).toBe("edited there, again\n");
    expect(rig.read("there/new.md")).toBe("new there\n");
    expect(rig.read("there/after.md")).toBe("renamed there\n");
    expect(existsSync(join(rig.root, "there/deleted.md"))).toBe(false);
  });

  test("if no approval can end a stop, says what can, and that works", async () => {
    for (const n of [1, 2, 3]) rig.createRemotely(`${n}.md`, `${n}\n`);
    await rig.init();
    unlinkSync(join(rig.root, ".mdmirror/marker"));
    const { code, err } = await rig.run(["sync", "w"]);
    expect(code).toBe(4);
    expect(err.join("\n")).toContain("root-replaced");
    expect(err.join("\n")).not.toContain("approve");
    expect(err.at(-1)).toMatch(/next: .*\.mdmirror\//);
    renameSync(join(rig.root, ".mdmirror"), join(rig.dir, "away"));
    expect((await rig.init()).code).toBe(0);
    expect(rig.remote("2.md")!.content).toBe("2\n");
  });

  test("prints one line when there is nothing to do, and none with --quiet", async () => {
    await rig.init();
    expect(await rig.syncCounts()).toEqual({});
    expect(await rig.run(["sync", "w", "--quiet"])).toEqual({ code: 0, out: [], err: [], asked: [] });
  });

  test("--json ends with one object of the documented members alone", async () => {
    await rig.init();
    rig.write("a.md", "a\n");
    rig.write("nul.md", "a\0b");
    const { code, out, err } = await rig.run(["sync", "w", "--json"]);
    expect([code, out.length, err]).toEqual([3, 1, []]);
    const report = JSON.parse(out[0]!);
    expect(Object.keys(report)).toEqual(["state", "run", "counts", "attention"]);
    expect(Object.keys(report.counts).toSorted()).toEqual(
      "uploaded downloaded createdRemote createdLocal movedRemote movedLocal deletedRemote deletedLocal merged submitted respelled conflicts blocked"
        .split(" ")
        .toSorted(),
    );
    expect(report.state).toBe("attention");
    expect(report.counts).toMatchObject({ createdRemote: 1, blocked: 1 });
    expect(report.attention).toEqual([
      { path: "nul.md", kind: "contains-nul", code: null, detail: expect.any(String), next: expect.any(String) },
    ]);
  });

  test("--pull-only sends nothing, --push-only brings nothing", async () => {
    await rig.init();
    rig.write("here.md", "here\n");
    rig.createRemotely("there.md", "there\n");
    await rig.run(["sync", "w", "--pull-only"]);
    expect([rig.remote("here.md"), rig.read("there.md")]).toEqual([null, "there\n"]);
    rig.createRemotely("there-2.md", "there\n");
    await rig.run(["sync", "w", "--push-only"]);
    expect([rig.remote("here.md")?.content, existsSync(join(rig.root, "there-2.md"))]).toEqual(["here\n", false]);
  });
});

describe("I23 plan, sync --dry-run and status write nothing", () => {
  test.each([
    ["plan", "w"],
    ["plan", "w", "--json"],
    ["sync", "w", "--dry-run"],
    ["status", "w"],
    ["fix-names", "w", "--dry-run"],
  ])("mdmirror %s %s %s", async (...argv) => {
    rig.createRemotely("a.md", "a\n");
    await rig.init();
    rig.write("a.md", "edited locally\n");
    rig.write("My notes.md", "created locally\n");
    rig.createRemotely("new-there.md", "new there\n");
    const here = snapshot(rig.root);
    const there = JSON.stringify([rig.api("GET", "/v1/files"), rig.api("GET", "/v1/folders")]);
    const { code, err } = await rig.run(argv.filter((arg) => arg !== undefined));
    expect({ code, err }).toEqual({ code: 0, err: [] });
    expect(snapshot(rig.root)).toEqual(here);
    expect(JSON.stringify([rig.api("GET", "/v1/files"), rig.api("GET", "/v1/folders")])).toBe(there);
  });

  test("plan --json has steps by side, blocked documents and the verdict", async () => {
    rig.createRemotely("a.md", "a\n");
    await rig.init();
    rig.write("a.md", "edited locally\n");
    rig.write("nul.md", "\0");
    rig.write("picture.png", "");
    rig.createRemotely("new-there.md", "new there\n");
    const json = JSON.parse((await rig.run(["plan", "w", "--json"])).out[0]!);
    expect(
      json.steps.map((step: { kind: string; side: string; path: string }) => [step.kind, step.side, step.path]),
    ).toEqual(
      expect.arrayContaining([
        ["put", "remote", "a.md"],
        ["create-local", "local", "new-there.md"],
      ]),
    );
    expect(json.blocked).toEqual([expect.objectContaining({ path: "nul.md", reason: "contains-nul" })]);
    expect(json.verdict).toEqual({ kind: "run" });
  });
});
