import { describe, expect, it } from "vitest";
import type { LocalDisk } from "../../src/mirror/local/disk.ts";
import { isLeftoverName } from "../../src/mirror/local/ignore.ts";
import { digestOf } from "../../src/contract/digest.ts";
import type { RamDisk, RamDiskOptions } from "../simulator/ram-disk.ts";
import { killAt, ramMirror, ROOT } from "./benches.ts";

const NOTE = `${ROOT}/note.md`;
const KEPT = "trash/d/note.md";

function prepare(options: RamDiskOptions = {}): { readonly ram: RamDisk; readonly disk: LocalDisk } {
  const { ram, disk } = ramMirror(options);
  ram.user.write(NOTE, "old");
  disk.identify();
  disk.names();
  return { ram, disk: disk as LocalDisk };
}

describe("a save beside a daemon, without its journal", () => {
  it("replaces the content that was read, and keeps the previous file in the trash", () => {
    const { ram, disk } = prepare();
    expect(disk.saveOver("note.md", "new", digestOf("old"), KEPT).kind).toBe("done");
    expect(Object.fromEntries(ram.user.texts(ROOT, true))).toMatchObject({
      "note.md": "new",
      [`.mdmirror/${KEPT}`]: "old",
    });
  });

  it("writes nothing if the content is another one, is missing, or is the new one already", () => {
    const { ram, disk } = prepare();
    const before = [...ram.user.texts(ROOT, true)];
    expect(disk.saveOver("note.md", "new", digestOf("else"), KEPT).kind).toBe("stale");
    expect(disk.saveOver("none.md", "new", digestOf("old"), KEPT).kind).toBe("stale");
    expect(disk.saveOver("note.md", "old", digestOf("else"), KEPT).kind).toBe("done");
    expect([...ram.user.texts(ROOT, true)]).toEqual(before);
  });

  it.each([
    ["with hard links", {}],
    ["without", { hardLinks: false }],
  ])("I13 killed at any call, %s: the whole old or new bytes, or the old ones under a recorded name", (_, options) => {
    const aside = new Set<string>();
    for (let moment = 0, isKilled = true; isKilled; moment++) {
      const { ram, disk } = prepare(options);
      isKilled = killAt(ram, moment, () => disk.saveOver("note.md", "new", digestOf("old"), KEPT));
      const all = ram.user.texts(ROOT, true);
      const live = all.get("note.md") ?? null;
      expect([moment, live === "old" || live === "new" || live === null]).toEqual([moment, true]);
      expect([moment, [...all.values()].includes("old")]).toEqual([moment, true]);
      const beside = [...all.keys()].filter((path) => !path.includes("/") && path !== "note.md");
      if (live === null)
        expect([moment, beside.map(isLeftoverName), all.get(beside[0]!)]).toEqual([moment, [true], "old"]);
      if (live === null) aside.add(beside[0]!);
    }
    expect(aside.size).toBe(1);
  });

  it("where the old file cannot go to the trash, it stays beside the document", () => {
    const { ram, disk } = prepare();
    ram.fail({ call: "link", path: `${ROOT}/.mdmirror/${KEPT}`, code: "ENOSPC" });
    expect(disk.saveOver("note.md", "new", digestOf("old"), KEPT).kind).toBe("done");
    const texts = [...ram.user.texts(ROOT, true)];
    expect(texts.find(([path]) => path === "note.md")?.[1]).toBe("new");
    expect(texts.find(([path]) => path.startsWith(".~mdmirror-"))?.[1]).toBe("old");
  });
});

describe("what stays local, by its path", () => {
  it.each([
    ["notes/a.md", null],
    ["a.txt", "other-file"],
    [".git/a.md", "dot-folder"],
    ["notes/.hidden/a.md", "dot-folder"],
    ["a (theirs).md", "conflict-copy"],
    [".~a.md", "litter"],
    ["drafts/deep/a.md", "ignored-folder"],
    ["secret.md", "ignored"],
    ["notes/b.md", "ignored"],
  ] as const)("%s: %s", (path, stays) => {
    const { ram, disk } = prepare();
    ram.user.makeFolder(`${ROOT}/notes`);
    ram.user.write(`${ROOT}/.mdmirrorignore`, "drafts/\nsecret.md\n");
    ram.user.write(`${ROOT}/notes/.mdmirrorignore`, "b.md\n");
    expect(disk.whyUnsyncedAt(path)).toBe(stays);
  });
});
