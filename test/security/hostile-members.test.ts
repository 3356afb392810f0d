import { describe, expect, it } from "vitest";
import { DISKS, syncWithLies, messagesOf } from "./sync-with-lies.ts";
import { LIE, lieAt } from "./liar.ts";

describe("members of the wrong form", () => {
  const IDS = ["doc_../x", `doc_${"x".repeat(10_000)}`, "doc_a?x=1", null];

  it.each(IDS)("the id %j reaches no URL", async (id) => {
    const { fixture, report } = await syncWithLies({}, { files: [lieAt("a.md", { id })] });
    expect(messagesOf(report)).toContain("its id is not of the form doc_…");
    const known = /^[A-Z]+ \/v1\/(files|folders)(\/(doc|dir)_[A-Za-z0-9_-]{1,128}(\/content)?)?(\?[a-z_]+=[^?#]*)?$/;
    expect(fixture.mirror.requests.filter((line) => !known.test(line))).toEqual([]);
    expect(fixture.mirror.requests.join("\n")).not.toMatch(/DROP|\.\./);
  });

  it.each([`chg_${"x".repeat(1_000_000)}`, "chg_../x", null])(
    "a change id of another form is left out and reported",
    async (lastChangeId) => {
      const { report } = await syncWithLies({}, { files: [lieAt("a.md", { lastChangeId })] });
      expect(messagesOf(report)).toContain("its lastChangeId is not of the form chg_…");
      expect(messagesOf(report).length).toBeLessThan(1_000);
    },
  );

  it.each([["text"], "\ud800", undefined])("content %j is not written", async (content) => {
    const lies = { files: [lieAt("a.md")], more: { content } };
    const { fixture, report } = await syncWithLies({}, lies);
    expect(fixture.texts().has("a.md")).toBe(false);
    expect(report.state).not.toBe("in-sync");
    expect(messagesOf(report)).toContain("content");
  });

  it("sizes, parents, names and prototypes that are nonsense are not read at all", async () => {
    const nonsense = {
      size: -1,
      parentId: "dir_../..",
      parent: "../..",
      name: "../x.md",
      __proto__: { path: "../x.md" },
      constructor: "x",
      createdAt: "never",
      url: "file:///etc/passwd",
    };
    const { fixture } = await syncWithLies({}, { files: [lieAt("a.md", nonsense)] });
    expect(fixture.texts().get("a.md")).toBe(LIE);
  });

  it("an answer for another id than the one asked for is not written", async () => {
    const lies = { files: [lieAt("a.md")], more: { id: "doc_other" } };
    const { fixture, report } = await syncWithLies({}, lies);
    expect(fixture.texts().has("a.md")).toBe(false);
    expect(messagesOf(report)).toContain("the service answered with another file");
  });

  it.each([
    [
      "a folder in itself",
      [
        { id: "dir_a", path: "a/a/a" },
        { id: "dir_a", path: "a" },
      ],
    ],
    [
      "two folders, each the other's parent",
      [
        { id: "dir_a", path: "a/b", parentId: "dir_b" },
        { id: "dir_b", path: "b/a", parentId: "dir_a" },
      ],
    ],
    [
      "two folders at one path",
      [
        { id: "dir_a", path: "a" },
        { id: "dir_b", path: "a" },
      ],
    ],
    ["a folder that is its own parent", [{ id: "dir_a", path: "a", parentId: "dir_a" }]],
  ])("%s ends without further changes", async (_name, folders) => {
    for (const options of Object.values(DISKS)) {
      const { fixture } = await syncWithLies(options, { folders, files: [lieAt("a/x.md"), lieAt("a/b/x.md")] });
      const again = await fixture.sync();
      expect([again.counts.createdLocal, again.counts.movedLocal, again.cycles]).toEqual([0, 0, 1]);
    }
  });

  it("I16 I17 folders below one that no list shows are created, moved into it, and then stay unchanged", async () => {
    const files = [lieAt("a/b/x.md", { id: "doc_deep", lastChangeId: "chg_deep" })];
    const { fixture, report } = await syncWithLies({}, { folders: [{ id: "dir_deep", path: "a/b" }], files });
    expect(messagesOf(report)).toBe("");
    expect(fixture.texts().get("a/b/x.md")).toBe(LIE);
    const moved = lieAt("q/r/b/x.md", { id: "doc_deep", lastChangeId: "chg_deep" });
    fixture.lies = { folders: [{ id: "dir_deep", path: "q/r/b" }], files: [moved] };
    expect(messagesOf(await fixture.sync())).toBe("");
    expect(fixture.texts().get("q/r/b/x.md")).toBe(LIE);
    expect(fixture.texts().has("a/b/x.md")).toBe(false);
    expect([(await fixture.sync()).cycles, fixture.texts().size]).toEqual([1, 3]);
  });

  it.each(["../x", ".mdmirror", ".git/hooks", "x.md", 12])("a folder at %j makes nothing", async (path) => {
    const { fixture, report } = await syncWithLies({}, { folders: [{ id: "dir_lie", path }] });
    expect(fixture.folders()).toEqual(["good"]);
    expect(report.state).toBe("attention");
  });
});
