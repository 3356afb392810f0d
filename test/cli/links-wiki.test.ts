import { expect, test } from "vitest";
import { useRig } from "./rig.ts";

const rig = useRig({ links: "resolve" });

const config = () => JSON.parse(rig.read(".mdmirror/config.json")) as { links: unknown };

test("links translate --wiki: init mentions it, it sends nothing, renames rewrite links, and keep ends it", async () => {
  rig.write("a.md", "[b](b.md) [[Plan]] [[Plan|p]]\n");
  rig.write("b.md", "b\n");
  rig.write("Plan.md", "plan\n");
  expect((await rig.init()).out.join("\n")).toContain("mdmirror links translate --wiki");
  const sent = rig.remote("a.md")!;
  expect(sent.content).toBe(`[b](${rig.remote("b.md")!.id}) [[Plan]] [[Plan|p]]\n`);
  const wiki = await rig.json(["links", "translate", "w", "--wiki"]);
  expect(wiki).toEqual({ exit: 0, links: "translate", wiki: true, respelled: 0 });
  expect(config().links).toEqual({ mode: "translate", wiki: true });
  rig.rename("Plan.md", "Budget.md");
  expect(await rig.syncCounts()).toEqual({ movedRemote: 1, respelled: 1 });
  expect(rig.read("a.md")).toBe("[b](b.md) [[Budget|Plan]] [[Budget|p]]\n");
  expect(rig.remote("a.md")).toEqual(sent);
  rig.write("a.md", "[[Budget|Plan]] [[Budget]] [[Nobody]]\n");
  const checked = await rig.json(["links", "check", "w"]);
  expect(checked).toMatchObject({ exit: 3, broken: [{ path: "a.md", line: 1 }] });
  await rig.run(["sync", "w"]);
  const { id } = rig.remote("Budget.md")!;
  expect(rig.remote("a.md")!.content).toBe(`[[Plan]](${id}) [[Budget]](${id}) [[Nobody]]\n`);
  expect(await rig.json(["links", "translate", "w", "--yes"])).toMatchObject({ wiki: false, respelled: 1 });
  expect(rig.read("a.md")).toBe("[[Plan]](Budget.md) [[Budget]](Budget.md) [[Nobody]]\n");
  expect(config().links).toEqual({ mode: "translate", wiki: false });
  expect(await rig.syncCounts()).toEqual({});
  expect((await rig.run(["links", "translate", "w", "--wiki", "--yes"])).code).toBe(0);
  expect(rig.read("a.md")).toBe("[[Budget|Plan]] [[Budget]] [[Nobody]]\n");
  expect(await rig.syncCounts()).toEqual({});
  rig.rename("Budget.md", "Budget.txt");
  expect(await rig.json(["links", "check", "w"])).toMatchObject({ links: 3, documents: 2, broken: { length: 3 } });
  expect((await rig.run(["links", "keep", "w", "--wiki"])).code).toBe(2);
});

test("content in review is shown, and rewritten, as it is on disk", async () => {
  rig.write("a.md", "[b](b.md)\n");
  rig.write("b.md", "b\n");
  await rig.init();
  await rig.run(["protect", "w/a.md"]);
  await rig.run(["sync", "w"]);
  rig.write("a.md", "[b](b.md) edited\n");
  await rig.run(["sync", "w"]);
  await rig.run(["sync", "w"]);
  const reviews = await rig.run(["reviews", "w"]);
  expect(reviews.out.slice(-2)).toEqual(["-[b](b.md)", "+[b](b.md) edited"]);
  await rig.run(["links", "keep", "w", "--yes"]);
  expect(rig.read("a.md")).toBe(`[b](${rig.remote("b.md")!.id}) edited\n`);
  await rig.run(["links", "translate", "w", "--yes"]);
  expect(rig.read("a.md")).toBe("[b](b.md) edited\n");
  expect(await rig.syncCounts()).toEqual({});
});

test("a conflict and a merge are shown as on disk: diff, conflicts, --origins", async () => {
  const filler = Array.from({ length: 9 }, (_, n) => `line ${n}\n`).join("\n");
  rig.write("a.md", `[b](b.md)\n\n${filler}\n`);
  rig.write("b.md", "b\n");
  await rig.init();
  const b = rig.remote("b.md")!.id;
  const edit = (content: string) => {
    rig.editRemotely("a.md", content);
  };
  edit(`[b](${b})\n\n${filler}\nthere [b](${b})\n`);
  rig.write("a.md", `here [b](b.md)\n\n${filler}\n`);
  await rig.run(["sync", "w"]);
  const merged = await rig.run(["diff", "w/a.md", "--origins"]);
  edit(`theirs [b](${b})\n`);
  rig.write("a.md", "mine, and quite another [b](b.md)\n");
  await rig.run(["sync", "w"]);
  const met = [await rig.run(["diff", "w/a.md"]), await rig.run(["conflicts", "w"])];
  for (const { out } of [merged, met[0]!]) {
    expect(out.join("\n")).toContain("[b](b.md)");
    expect(out.join("\n")).not.toContain(`(${b})`);
  }
  expect(met[1]!.out[0]).toMatch(/ mine 34 bytes {2}theirs 17 bytes$/);
  const kept = await rig.run(["links", "keep", "w", "--yes"]);
  expect([kept.code, kept.err.at(-1)]).toEqual([2, expect.stringContaining("mdmirror conflicts")]);
});
