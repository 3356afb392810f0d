import { describe, expect, test } from "vitest";
import { useRig } from "./rig.ts";
import { useWatches } from "./watch-rig.ts";

describe("links by path and by id", () => {
  const rig = useRig();

  test("init translates links if documents of the service link by id; a local rename breaks none", async () => {
    const b = rig.createRemotely("sub/b.md", "b\n");
    const a = rig.createRemotely("a.md", `[b](${b.id}#part)\n`);
    rig.editRemotely("sub/b.md", `[a](${a.id})\n`);
    expect((await rig.init()).code).toBe(0);
    expect([rig.read("a.md"), rig.read("sub/b.md")]).toEqual(["[b](sub/b.md#part)\n", "[a](../a.md)\n"]);
    rig.rename("sub", "renamed");
    expect(await rig.syncCounts()).toEqual({ movedRemote: 1, respelled: 1 });
    expect(rig.read("a.md")).toBe("[b](renamed/b.md#part)\n");
    expect(rig.remote("a.md")!.content).toBe(`[b](${b.id}#part)\n`);
  });

  test("init keeps links by id if the service refuses links by path, and names broken links", async () => {
    await rig.close();
    await rig.open({ links: "resolve" });
    rig.write("a.md", "[b](sub/b.md) ![picture](pic.png)\n");
    rig.write("sub/b.md", "[a](../a.md)\n");
    const { code, out } = await rig.init();
    expect([code, out.find((line) => line.includes("ref://"))]).toEqual([0, expect.stringContaining("a.md → pic.png")]);
    const [a, b] = [rig.remote("a.md")!, rig.remote("sub/b.md")!];
    expect([a.content, b.content]).toEqual([`[b](${b.id}) ![picture](ref://pic.png)\n`, `[a](${a.id})\n`]);
    expect(rig.read("a.md")).toBe("[b](sub/b.md) ![picture](pic.png)\n");
  });

  test("init keeps content as it is if no document links by id", async () => {
    rig.createRemotely("a.md", "[b](b.md)\n");
    await rig.init();
    expect(JSON.parse(rig.read(".mdmirror/config.json"))).toMatchObject({
      links: { mode: "keep" },
    });
  });

  test("show, diff and history print translated content as the file would contain it", async () => {
    const b = rig.createRemotely("b.md", "b\n");
    rig.createRemotely("a.md", `[b](${b.id})\n`);
    await rig.init();
    rig.editRemotely("a.md", `[b](${b.id}) more\n`);
    expect((await rig.run(["diff", "w/a.md"])).out).toContain("-[b](b.md) more");
    await rig.run(["sync", "w"]);
    expect((await rig.run(["show", "w/a.md@1"])).out.join("")).toBe("[b](b.md)");
    expect((await rig.run(["verify", "w"])).code).toBe(0);
    expect((await rig.run(["restore", "w/a.md@1"])).code).toBe(0);
    expect(rig.read("a.md")).toBe("[b](b.md)\n");
  });

  test("links translate and keep change local files alone, and list them first", async () => {
    const b = rig.createRemotely("sub/b.md", "b\n");
    await rig.init();
    const a = rig.createRemotely("a.md", `[b](${b.id})\n`);
    await rig.run(["sync", "w"]);
    expect(rig.read("a.md")).toBe(`[b](${b.id})\n`);
    const asked = await rig.run(["links", "translate", "w"]);
    expect([asked.code, asked.out.at(-1)]).toEqual([2, "  a.md"]);
    expect(rig.read("a.md")).toBe(`[b](${b.id})\n`);
    expect(await rig.json(["links", "translate", "w", "--yes"])).toMatchObject({ exit: 0, respelled: 1 });
    expect(rig.read("a.md")).toBe("[b](sub/b.md)\n");
    expect(await rig.syncCounts()).toEqual({});
    expect(await rig.json(["links", "translate", "w"])).toMatchObject({ exit: 0, respelled: 0 });
    expect(await rig.json(["links", "keep", "w", "--yes"])).toEqual({
      exit: 0,
      links: "keep",
      wiki: false,
      respelled: 1,
    });
    expect(rig.read("a.md")).toBe(`[b](${b.id})\n`);
    expect(await rig.syncCounts()).toEqual({});
    expect((rig.api("GET", `/v1/files/${a.id}`) as { content: string }).content).toBe(`[b](${b.id})\n`);
  });

  test("links keep what they mean when files were moved and not synced yet: their form changes after a sync", async () => {
    const note = rig.createRemotely("a/note.md", "# note a\n");
    rig.createRemotely("c/note.md", "# note c\n");
    const index = rig.createRemotely("a/index.md", `# index a\n\n[here](${note.id})\n`);
    const other = rig.createRemotely("c/index.md", "# index c\n\n[web](https://example.org)\n");
    await rig.init();
    rig.rename("a/index.md", "kept.md");
    rig.rename("c/index.md", "a/index.md");
    rig.rename("kept.md", "c/index.md");
    const early = await rig.run(["links", "keep", "w", "--yes"]);
    expect([early.code, early.out, early.err[0]]).toEqual([2, [], expect.stringContaining("a/index.md, c/index.md")]);
    expect((await rig.run(["sync", "w"])).code).toBe(0);
    expect((await rig.run(["links", "keep", "w", "--yes"])).code).toBe(0);
    expect(await rig.syncCounts()).toEqual({});
    expect(["c/index.md", "a/index.md"].map((path) => rig.remote(path)!.id)).toEqual([index.id, other.id]);
    expect([rig.read("c/index.md"), rig.remote("c/index.md")!.content]).toEqual(
      Array(2).fill(`# index a\n\n[here](${note.id})\n`),
    );
  });

  test("links translate continues after a kill: what still links by id is written by path", async () => {
    const b = rig.createRemotely("sub/b.md", "b\n");
    const c = rig.createRemotely("c.md", `[b](${b.id}#part) ![p](ref://p.png)\n`);
    const a = rig.createRemotely("a.md", `[b](${b.id}) [c](${c.id})\n`);
    await rig.init();
    expect(rig.read("a.md")).toBe("[b](sub/b.md) [c](c.md)\n");
    // The files that a kill leaves after the configuration was written.
    rig.write("c.md", `[b](${b.id}#part) ![p](ref://p.png)\n`);
    rig.write("a.md", `[b](./sub/b.md) [c](${c.id})\n`);
    expect(await rig.syncCounts()).toEqual({});
    expect(await rig.json(["links", "translate", "w", "--yes"])).toMatchObject({ exit: 0, respelled: 2 });
    expect([rig.read("a.md"), rig.read("c.md")]).toEqual([
      "[b](./sub/b.md) [c](c.md)\n",
      "[b](sub/b.md#part) ![p](p.png)\n",
    ]);
    expect(await rig.syncCounts()).toEqual({});
    expect(rig.remote("a.md")).toMatchObject({ id: a.id, content: `[b](${b.id}) [c](${c.id})\n` });
  });

  test("links check lists what leads nowhere, with the nearest name, and ends with 3", async () => {
    rig.write("a.md", "[b](sub/bb.md)\n\n![p](pic.png) [web](https://example.org) [c](doc_00000000000000)\n");
    rig.write("pic.png", "");
    rig.write("sub/b.md", "[a](../a.md)\n");
    await rig.init();
    expect(await rig.json(["links", "check", "w"])).toMatchObject({
      exit: 3,
      links: 4,
      documents: 2,
      broken: [
        { path: "a.md", line: 1, nearest: "sub/b.md" },
        { path: "a.md", line: 3, nearest: null },
      ],
    });
    rig.write("a.md", "[b](sub/b.md)\n");
    expect(await rig.json(["links", "check", "w"])).toMatchObject({ exit: 0, links: 2, broken: [] });
    expect((await rig.run(["links", "whatever", "w"])).code).toBe(2);
  });

  test("links check lists pictures that stay local, and init says that there are some", async () => {
    rig.write("a.md", "![shown](pic.png) ![web](https://example.org/p.png)\n\n[file](pic.png) ![gone](no.png)\n");
    rig.write("pic.png", "png");
    const { out } = await rig.init();
    expect(out.some((line) => line.endsWith("mdmirror links check"))).toBe(true);
    expect(await rig.json(["links", "check", "w"])).toMatchObject({
      exit: 3,
      broken: [{ path: "a.md", line: 3, destination: "no.png" }],
      pictures: [{ path: "a.md", line: 1, destination: "pic.png" }],
    });
  });

  describe("beside a daemon", () => {
    const watches = useWatches(rig);

    test("links translate and keep while a daemon runs: the daemon takes the new form, and sends nothing for it", async () => {
      const b = rig.createRemotely("b.md", "b\n");
      await rig.init();
      const a = rig.createRemotely("a.md", `[b](${b.id})\n`);
      await rig.run(["sync", "w"]);
      const watch = await watches.watchingHere();
      const from = watch.events.length;
      const translated = await rig.run(["links", "translate", "w", "--yes"]);
      expect([translated.code, translated.err]).toEqual([0, []]);
      expect(rig.read("a.md")).toBe("[b](b.md)\n");
      await watch.until(({ kind }) => kind === "run", from);
      rig.rename("b.md", "c.md");
      await watch.until((event) => event.kind === "change" && event["path"] === "a.md", from);
      expect(rig.read("a.md")).toBe("[b](c.md)\n");
      const kept = await rig.run(["links", "keep", "w", "--yes"]);
      expect([kept.code, kept.err]).toEqual([0, []]);
      expect(rig.read("a.md")).toBe(`[b](${b.id})\n`);
      expect(rig.remote("a.md")).toMatchObject({ id: a.id, content: `[b](${b.id})\n` });
    });
  });
});

describe("a service that refuses links by path", () => {
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
});
