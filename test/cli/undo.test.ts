import { existsSync, renameSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { useSyncedRig } from "./synced-rig.ts";

const { rig, run, sync, edit } = useSyncedRig();

describe("undo", () => {
  test("takes a run's edits, deletions, new documents and moves back on both sides", async () => {
    const { id } = rig.remote("a.md")!;
    rig.api("POST", "/v1/files", { path: "gone.md", content: "gone\n" });
    rig.api("POST", "/v1/files", { path: "moved.md", content: "moved\n" });
    await sync();
    rig.write("a.md", "edited\n");
    rig.write("new.md", "new\n");
    unlinkSync(join(rig.root, "gone.md"));
    renameSync(join(rig.root, "moved.md"), join(rig.root, "elsewhere.md"));
    await sync();
    const dry = await run("undo", "--dry-run", "--json");
    const { items } = JSON.parse(dry.out[0]!) as { items: { path: string; kind: string }[] };
    expect(items.map(({ path, kind }) => [path, kind])).toEqual([
      ["a.md", "text-back"],
      ["elsewhere.md", "move-back"],
      ["gone.md", "bring-back"],
      ["new.md", "take-away"],
    ]);
    expect((await run("undo", "--yes")).code).toBe(0);
    expect(rig.remote("a.md")).toMatchObject({ id, content: "first\n" });
    expect(rig.remote("gone.md")!.content).toBe("gone\n");
    expect(rig.remote("moved.md")!.content).toBe("moved\n");
    expect([rig.remote("elsewhere.md"), rig.remote("new.md")]).toEqual([null, null]);
    expect((await run("verify")).code).toBe(0);
  });

  test("says which newer run it passes over, since nothing of it can be taken back, and why", async () => {
    await edit("second\n");
    rig.api("PATCH", `/v1/files/${rig.remote("k.md")!.id}`, { protected: true });
    await sync();
    rig.write("k.md", "kk\n");
    rig.pass(60_000);
    await sync();
    rig.pass(60_000);
    expect(await rig.syncCounts()).toEqual({ submitted: 1 });
    const { out } = await run("undo", "--dry-run");
    expect(out).toEqual([
      expect.stringMatching(/^run \d+ \(sync, .*\) cannot be undone and is skipped:$/),
      expect.stringMatching(/^ {2}k\.md {2}left alone: .*review/),
      expect.stringMatching(/^run \d+ \(sync, /),
      "  a.md  restore the content",
    ]);
    const json = JSON.parse((await run("undo", "--dry-run", "--json")).out[0]!) as {
      run: number;
      passedOver: number[];
    };
    expect(json.passedOver).toEqual([Number(/^run (\d+)/.exec(out[0]!)![1])]);
    expect(json.run).toBe(Number(/^run (\d+)/.exec(out[2]!)![1]));
    expect(JSON.parse((await run("undo", String(json.run), "--dry-run", "--json")).out[0]!).passedOver).toEqual([]);
  });

  test("of a text that went to review says that the review is there still: accepted, it would come back", async () => {
    for (const text of ["kk\n", "k\n"]) {
      rig.write("k.md", text);
      await sync();
    }
    rig.api("PATCH", `/v1/files/${rig.remote("k.md")!.id}`, { protected: true });
    await sync();
    expect((await run("restore", "k.md@2", "--no-sync")).code).toBe(0);
    const planned = await run("undo", "--dry-run", "--json");
    const { run: number } = JSON.parse(planned.out[0]!) as { run: number };
    await sync();
    rig.pass(60_000);
    expect(await rig.syncCounts()).toEqual({ submitted: 1 });
    const undone = await run("undo", String(number), "--yes", "--no-sync");
    expect([undone.code, undone.out.join("\n")]).toEqual([0, expect.stringContaining("mdmirror reviews")]);
    expect([rig.read("k.md"), (await run("reviews")).out[0]]).toEqual([
      "k\n",
      expect.stringMatching(/^k\.md: in review /),
    ]);
  });

  test("takes back a folder that was moved locally, and one that was moved on the service, with their documents", async () => {
    const texts = { "notes/one.md": "one\n", "notes/deep/two.md": "two\n", "there/three.md": "three\n" };
    for (const [path, content] of Object.entries(texts)) rig.api("POST", "/v1/files", { path, content });
    await sync();
    const before = new Map(Object.keys(texts).map((path) => [path, rig.remote(path)!.id]));
    renameSync(join(rig.root, "notes"), join(rig.root, "archive"));
    const list = rig.api("GET", "/v1/folders?path=there") as { data: { id: string }[] };
    rig.api("PATCH", `/v1/folders/${list.data[0]!.id}`, { name: "away" });
    await sync();
    expect([rig.read("away/three.md"), rig.remote("archive/deep/two.md")!.content]).toEqual(["three\n", "two\n"]);
    const dry = await run("undo", "--dry-run");
    expect(dry.out.slice(1)).toEqual([
      "  archive  move the folder back to notes",
      "  away  move the folder back to there",
    ]);
    const { code, out } = await run("undo", "--yes");
    expect([code, out.join("\n")]).toEqual([0, expect.stringContaining("2 undone")]);
    for (const [path, content] of Object.entries(texts)) {
      expect(rig.read(path)).toBe(content);
      expect(rig.remote(path)).toMatchObject({ id: before.get(path), content });
    }
    expect([existsSync(join(rig.root, "archive")), existsSync(join(rig.root, "away"))]).toEqual([false, false]);
    expect((await run("verify")).code).toBe(0);
  });

  test("leaves a folder whose old path is taken, says so per item, and ends with 3", async () => {
    rig.api("POST", "/v1/files", { path: "notes/one.md", content: "one\n" });
    await sync();
    renameSync(join(rig.root, "notes"), join(rig.root, "archive"));
    await sync();
    rig.write("notes/mine.md", "mine\n");
    const { code, out } = await run("undo", "--yes", "--no-sync");
    expect([code, out.slice(1)]).toEqual([3, ["  archive  left alone: notes is taken now"]]);
    expect([rig.read("archive/one.md"), rig.read("notes/mine.md")]).toEqual(["one\n", "mine\n"]);
  });

  test("leaves alone what moved since, and says so with 3", async () => {
    await edit("second\n");
    const [runRow] = (await run("log", "--limit", "1", "--json")).out.map(
      (line) => JSON.parse(line) as { run: number },
    );
    rig.write("a.md", "edited since\n");
    const { code, out } = await run("undo", String(runRow!.run), "--yes");
    expect([code, out.slice(1)]).toEqual([3, ["  a.md  left alone: it was edited since"]]);
    expect(rig.read("a.md")).toBe("edited since\n");
  });

  test("does not delete a document that a run only downloaded", async () => {
    const dry = await run("undo", "1", "--dry-run", "--json");
    const { items } = JSON.parse(dry.out[0]!) as { items: { kind: string }[] };
    expect(items.map(({ kind }) => kind)).toEqual(["left", "left"]);
    expect((await run("undo", "1", "--yes")).code).toBe(3);
    expect([rig.remote("a.md")!.content, rig.read("a.md")]).toEqual(["first\n", "first\n"]);
  });

  test("I21 what it would delete on the service passes the guards: too much halts with 4", async () => {
    for (let n = 0; n < 15; n++) rig.write(`new-${n}.md`, `new ${n}\n`);
    await sync();
    const { code, err } = await run("undo", "--yes");
    expect([code, err.join("\n")]).toEqual([4, expect.stringContaining("delete-budget-remote")]);
    expect(rig.remote("new-7.md")!.content).toBe("new 7\n");
  });

  test("asks first; without a terminal or --yes nothing is done", async () => {
    await edit("second\n");
    expect((await run("undo")).code).toBe(2);
    const no = await rig.run(["undo"], { cwd: rig.root, terminal: true, answers: ["n"] });
    expect([no.code, no.asked.length]).toEqual([2, 1]);
    expect(rig.read("a.md")).toBe("second\n");
    expect((await run("undo", "99")).code).toBe(2);
    expect((await run("undo", "x")).code).toBe(2);
  });
});
