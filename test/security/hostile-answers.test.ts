import { describe, expect, it } from "vitest";
import { DISKS, LIE, lieAt, messagesOf, syncWithLies } from "./hostile-fixture.ts";

/** One path for each reason of refusal; `test/remote/http.test.ts` has every kind of path. */
const MISREAD: readonly [path: unknown, why: string][] = [
  ["a/../../x.md", "its path has an empty or relative name"],
  ["a\x1b[2J.md", "its path contains a character that names may not contain"],
  ["x.md.", "its path does not end in .md"],
  [`${"a/".repeat(300)}x.md`, "its path is too deep"],
  [`${"a".repeat(20_000)}.md`, "its path is too long"],
  [{ toString: "x.md" }, "its path is not a string"],
];

const UNSAFE = [
  ".mdmirror/x.md",
  ".mdmirror/state.db/x.md",
  ".MDMIRROR/x.md",
  ".md\u200cmirror/x.md",
  ".git/hooks/x.md",
  "good/.git/x.md",
  "..a/x.md",
  ".md",
  "good/.md",
];

/**
 * Unusual names that a disk can hold. mdmirror syncs them under their own or another local name.
 */
const ODD: readonly [path: string, at: RegExp][] = [
  ["/etc/x.md", /^etc\/x\.md$/],
  ["..md", /^\.\.md$/],
  ["..%2fx.md", /^\.\.%2fx\.md$/],
  ["%2e%2e/x.md", /^%2e%2e\/x\.md$/],
  ["a\u202egnp.md", /^a\u202egnp\.md$/],
  ["a\u200bb.md", /^a\u200bb\.md$/],
  [".md\u200cmirror.md", /^\.md\u200cmirror\.md$/],
  [`${"\u754c".repeat(252)}.md`, /^\u754c{80}-[0-9a-f]{8}\.md$|^\u754c{81}-[0-9a-f]{8}\.md$/],
  [`${"\u754c".repeat(255)}/x.md`, /^\u754c{81,82}-[0-9a-f]{8}\/x\.md$/],
  ["aux.md", /^aux\.md$/],
  ["CON/NUL.md", /^CON\/NUL\.md$/],
  ["trail .md", /^trail \.md$/],
  [" lead.md", /^ lead\.md$/],
  ["a:b.md", /^a:b\.md$/],
  ["$(reboot).md", /^\$\(reboot\)\.md$/],
  ["-rf.md", /^-rf\.md$/],
  ["note (theirs).md", /^note \(theirs\)-[0-9a-f]{8}\.md$/],
  ["note (theirs 2).md", /^note \(theirs 2\)-[0-9a-f]{8}\.md$/],
  [".#lock.md", /^lock-[0-9a-f]{8}\.md$/],
  ["a.md/b.md", /^a\.md\/b\.md$/],
  ["__proto__/constructor.md", /^__proto__\/constructor\.md$/],
];

describe("I26 I17 a service with false listings", () => {
  it.each(MISREAD)("a document at %j is left out, and the report says why", async (path, why) => {
    const lie = lieAt(path);
    const { fixture, report } = await syncWithLies({}, { files: [lie] });
    expect(report.state).toBe("attention");
    expect(messagesOf(report)).toContain(
      `listing-misread: mdmirror does not understand an entry of the list: ${why} (${lie["id"] as string})`,
    );
    expect([...fixture.texts().values()]).not.toContain(LIE);
  });
});

for (const [name, options] of Object.entries(DISKS)) {
  describe(`I26 I17 a service with false listings, over ${name}`, () => {
    it("documents of unsafe names are blocked", async () => {
      const { fixture, report } = await syncWithLies(options, { files: UNSAFE.map((path) => lieAt(path)) });
      expect(report.attention.map(({ kind }) => kind)).toEqual(UNSAFE.map(() => "remote-name-unsafe"));
      expect([...fixture.texts().values()]).not.toContain(LIE);
    });

    it("documents of odd names are mirrored inside the root, and unchanged in the next sync", async () => {
      const { fixture, report } = await syncWithLies(options, { files: ODD.map(([path]) => lieAt(path)) });
      expect(messagesOf(report)).toBe("");
      const written = [...fixture.texts()].filter(([, text]) => text === LIE).map(([where]) => where);
      expect(written).toHaveLength(ODD.length);
      for (const [path, at] of ODD) expect([path, written.filter((where) => at.test(where)).length]).toEqual([path, 1]);
      const again = await fixture.sync();
      expect([again.state, again.counts.downloaded, again.counts.createdLocal]).toEqual(["in-sync", 0, 0]);
    });
  });
}

describe("I11 twins", () => {
  const TWINS: readonly (readonly [string, string])[] = [
    ["caf\u00e9.md", "cafe\u0301.md"],
    ["Note.md", "note.md"],
    ["A/x.md", "a/y.md"],
    ["stra\u00dfe.md", "STRASSE.md"],
    ["\u212a.md", "k.md"],
    ["same.md", "same.md"],
  ];

  it.each(TWINS)("%j and %j never overwrite each other, with any folding of the disk", async (one, other) => {
    for (const options of Object.values(DISKS)) {
      const files = [lieAt(one, { content: "first\n" }), lieAt(other, { content: "second\n" })];
      const { fixture, report } = await syncWithLies(options, { files });
      const texts = [...fixture.texts().values()].filter((text) => text === "first\n" || text === "second\n");
      // Either both are local files with two names, or mdmirror reports the missing one.
      if (texts.length < 2) expect(report.attention.length).toBeGreaterThan(0);
      expect(new Set(texts).size).toBe(texts.length);
      expect(texts.length).toBeGreaterThan(0);
      const again = await fixture.sync();
      expect([again.counts.downloaded, again.counts.createdLocal, again.counts.movedLocal]).toEqual([0, 0, 0]);
    }
  });

  it("a folder and a document at one path: neither is lost, and the others sync", async () => {
    const { fixture } = await syncWithLies({}, { files: [lieAt("a.md"), lieAt("a.md/b.md")] });
    expect([...fixture.texts().values()]).toContain(LIE);
    await fixture.sync();
  });

  it("one id at two paths has one local path (last seen wins)", async () => {
    const files = [lieAt("a.md", { id: "doc_twice" }), lieAt("b/c.md", { id: "doc_twice" })];
    const { fixture } = await syncWithLies({}, { files });
    expect([...fixture.texts()].filter(([, text]) => text === LIE).map(([path]) => path)).toEqual(["b/c.md"]);
  });

  it("an id that moves with each listing never leaves a copy behind", async () => {
    const { fixture } = await syncWithLies(
      {},
      { files: [lieAt("a.md", { id: "doc_wanders", lastChangeId: "chg_w" })] },
    );
    for (const path of ["b/a.md", "b/c/a.md", "A.md", "b.md"]) {
      fixture.lies = { files: [lieAt(path, { id: "doc_wanders", lastChangeId: "chg_w" })] };
      await fixture.sync();
      expect([...fixture.texts()].filter(([, text]) => text === LIE).map(([where]) => where)).toEqual([path]);
    }
  });
});

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
