import { describe, expect, test } from "vitest";
import { useRig } from "./rig.ts";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const rig = useRig();

describe("status", () => {
  test("says last sync when, from the state alone", async () => {
    rig.createRemotely("a/b.md", "b\n");
    await rig.init();
    await rig.stopService();
    rig.pass(5 * 60_000);
    const { code, out } = await rig.run(["status", "w"]);
    expect([code, out]).toEqual([
      0,
      [`1 document in 1 folder, linked to ${rig.url}`, "In sync: last sync 5 min ago, nothing pending"],
    ]);
  });

  test("--max-age ends with 3 when the last sync is older", async () => {
    await rig.init();
    expect((await rig.run(["status", "w", "--max-age", "15m"])).code).toBe(0);
    rig.pass(16 * 60_000);
    const { code, err } = await rig.run(["status", "w", "--max-age", "15m"]);
    expect([code, err]).toEqual([3, ["mdmirror: not in sync within 15 min; next: mdmirror sync"]]);
    expect((await rig.run(["status", "w", "--max-age", "1h"])).code).toBe(0);
  });
});

test("status and plan name the answer to a folder without its marker, which no approval is", async () => {
  rig.createRemotely("a.md", "x\n");
  await rig.init();
  rmSync(join(rig.root, ".mdmirror/marker"));
  const next = "  next: mount the disk of the folder; or move .mdmirror/ away and link the folder again: mdmirror init";
  expect((await rig.run(["sync", "w"])).err).toContain(next);
  for (const command of ["status", "plan"]) {
    const { out } = await rig.run([command, "w"]);
    expect(out).toContain(next);
    expect(out.join("\n")).not.toContain("mdmirror approve");
  }
});

/**
 * Output of `status` and `why` about reviews, ignored documents and stopped folders, and its order.
 */

test("status says since when a review waits, that a rejection is not seen, and what ends it; and that ends it", async () => {
  rig.createRemotely("a.md", "x\n");
  await rig.init();
  rig.protectRemotely("a.md");
  rig.write("a.md", "for review\n");
  await rig.run(["sync", "w"], { terminal: true });
  const { out } = await rig.run(["status", "w"]);
  expect(out.join("\n")).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d: a\.md\n.*mdmirror resolve PATH --theirs/);
  expect((await rig.run(["resolve", "w/a.md", "--theirs"])).code).toBe(0);
  expect(rig.read("a.md")).toBe("x\n");
  expect((await rig.run(["status", "w"])).out.join("\n")).not.toContain("in review");
});

test("why of an ignored document names no deletion", async () => {
  rig.createRemotely("a.md", "x\n");
  await rig.init();
  writeFileSync(join(rig.root, ".mdmirrorignore"), "/a.md\n");
  await rig.run(["sync", "w"]);
  for (const gone of [false, true]) {
    if (gone) rmSync(join(rig.root, "a.md"));
    const answer = (await rig.run(["why", "w/a.md"])).out.join("\n");
    expect(answer).toContain("line 1 of .mdmirrorignore");
    expect(answer).not.toContain("delete-remote");
  }
});

test("why of a folder shows what a safety check stops in it, and that another check stops the sync", async () => {
  for (const name of ["d/a.md", "d/b.md", "e/c.md", "f.md"]) rig.createRemotely(name, `${name}\n`);
  await rig.init();
  for (const name of ["d/a.md", "d/b.md", "f.md"]) rmSync(join(rig.root, name));
  rmSync(join(rig.root, "e"), { recursive: true });
  expect((await rig.run(["sync", "w"])).code).toBe(4);
  const answer = (await rig.run(["why", "w/d"])).out;
  expect(answer.join("\n")).not.toContain("both sides agree");
  expect(answer.filter((line) => /d\/[ab]\.md.*after approval: mdmirror approve/.test(line))).toHaveLength(2);
  rig.write("g/new.md", "new\n");
  expect((await rig.run(["why", "w/g"])).out.join("\n")).toMatch(/create on the service: g\/new\.md|halts the mirror/);
});

test("status of a folder that is not trusted says so first, with what to do, and nothing of what it claims", async () => {
  await rig.init();
  rmSync(rig.stateHome, { recursive: true });
  const { code, out, err } = await rig.run(["status", "w"]);
  expect([code, err]).toEqual([2, []]);
  expect(out).toEqual([expect.stringContaining(rig.root), expect.stringContaining(`mdmirror trust ${rig.root}`)]);
  const json = await rig.run(["status", "w", "--json"]);
  expect([json.code, JSON.parse(json.out[0]!)]).toEqual([
    2,
    { state: "untrusted", attention: [expect.objectContaining({ kind: "untrusted", code: "untrusted" })] },
  ]);
});
