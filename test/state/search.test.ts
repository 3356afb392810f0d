import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { digestOf } from "../../src/contract/digest.ts";
import type { LocalFile } from "../../src/mirror/model/tree.ts";
import { searchHybrid } from "../../src/markdown/search/hybrid.ts";
import { isIndexFault, type MirrorSearch, openSearch, removeSearch } from "../../src/mirror/state/search.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const STAMP = { dev: 1, ino: 2, size: 3, mtimeMs: 4.5, ctimeMs: 5.5, birthMs: 6, nlink: 1 };

function file(path: string, text: string, more: Partial<LocalFile> = {}): LocalFile {
  return {
    path,
    stamp: STAMP,
    stampTrusted: true,
    digest: digestOf(text),
    textFault: null,
    empty: text === "",
    ...more,
  };
}

function opened(folder: string): MirrorSearch {
  const result = openSearch(folder);
  if (result.kind !== "opened") throw new Error(result.code);
  return result.search;
}

/** Indexes a whole tree. Returns the paths of the documents that were read. */
function take(search: MirrorSearch, texts: Readonly<Record<string, string>>, keep: string[] = []): string[] {
  const read: string[] = [];
  const files = Object.entries(texts).map(([path, text]) => file(path, text));
  search.update(
    files,
    (path) => keep.includes(path),
    (path) => {
      read.push(path);
      return texts[path]!;
    },
  );
  return read;
}

/** Returns the result of a query, with contents as they were indexed. */
async function found(search: MirrorSearch, query: string, texts: Readonly<Record<string, string>>): Promise<string[]> {
  const pace = { take: async () => true };
  const result = await searchHybrid(search.source({ read: (path) => texts[path] ?? null }), pace, query, 10);
  return result.kind === "found" ? result.hits.map((hit) => hit.found.path) : expect.fail(result.kind);
}

describe("the index of a linked folder", () => {
  test("reads only what changed, and keeps what is not proven gone", async () => {
    const folder = temporaryFolder();
    const search = opened(folder);
    expect(take(search, { "a.md": "alpha", "b.md": "beta", "c.md": "gamma" })).toEqual(["a.md", "b.md", "c.md"]);
    const texts = { "a.md": "alpha", "b.md": "delta" };
    const all = { ...texts, "c.md": "gamma" };
    expect(take(search, texts, ["c.md"])).toEqual(["b.md"]);
    const each = await Promise.all(["beta", "delta", "gamma"].map((query) => found(search, query, all)));
    expect(each).toEqual([[], ["b.md"], ["c.md"]]);
    expect(take(search, texts)).toEqual([]);
    expect(await found(search, "gamma", all)).toEqual([]);
    search.close();
    const again = opened(folder);
    expect([take(again, texts), await found(again, "alpha", texts)]).toEqual([[], ["a.md"]]);
    again.close();
  });

  test("vouches for a stamp that was trusted, and for no other", () => {
    const search = opened(":memory:");
    search.update(
      [file("a.md", "x"), file("b.md", "x", { stampTrusted: false })],
      () => false,
      () => "x",
    );
    expect(search.known("a.md")).toMatchObject({ digest: digestOf("x"), stamp: STAMP });
    expect([search.known("b.md"), search.known("c.md")]).toEqual([null, null]);
    search.close();
  });

  test("a document whose content cannot be read is found by its path", async () => {
    const search = opened(":memory:");
    search.update(
      [file("latin-one.md", "\u00ff", { textFault: "not-utf-8" })],
      () => false,
      () => null,
    );
    expect(await found(search, "latin", { "latin-one.md": "" })).toEqual(["latin-one.md"]);
    search.close();
  });

  test("a failed update leaves the index as it was", async () => {
    const search = opened(":memory:");
    take(search, { "a.md": "alpha" });
    const fail = () => {
      throw new Error("unreadable");
    };
    expect(() => search.update([file("a.md", "changed"), file("b.md", "beta")], () => false, fail)).toThrow(
      "unreadable",
    );
    expect([await found(search, "alpha", { "a.md": "alpha" }), search.known("b.md")]).toEqual([["a.md"], null]);
    expect(take(search, { "a.md": "changed", "b.md": "beta" })).toEqual(["a.md", "b.md"]);
    search.close();
  });
});

describe("a file that is no index", () => {
  const broken: Readonly<Record<string, (path: string) => void>> = {
    "is text": (path) =>
      writeFileSync(path, "not a database, but long enough to be taken for one by its size".repeat(20)),
    "is another program's": (path) => {
      const db = new Sqlite(path);
      db.exec("DROP TABLE search_files; PRAGMA application_id = 7; CREATE TABLE theirs (x)");
      db.close();
    },
    "is of another version": (path) => {
      const db = new Sqlite(path);
      db.pragma("user_version = 99");
      db.close();
    },
    "has a spoilt header": (path) => {
      const bytes = readFileSync(path);
      writeFileSync(path, bytes.fill(0xff, 0, 200));
    },
  };
  for (const [what, spoil] of Object.entries(broken)) {
    test(`is made again: one that ${what}`, async () => {
      const folder = temporaryFolder();
      const first = opened(folder);
      take(first, { "a.md": "alpha" });
      first.close();
      spoil(join(folder, "search.db"));
      const search = opened(folder);
      expect(take(search, { "a.md": "alpha" })).toEqual(["a.md"]);
      expect(await found(search, "alpha", { "a.md": "alpha" })).toEqual(["a.md"]);
      search.close();
    });
  }

  test("shows as a fault of the file when it is damaged further in, and can be removed", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "search.db");
    const first = opened(folder);
    take(
      first,
      Object.fromEntries(
        Array.from({ length: 200 }, (_, n) => [
          `${n}.md`,
          `${Array.from({ length: 200 }, (_, i) => `w${n}x${i}`).join(" ")} word`,
        ]),
      ),
    );
    first.close();
    // Damages the second half, because opening reads only the first.
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0xab, Math.floor(bytes.length / 8_192) * 4_096));
    let fault: unknown = null;
    try {
      const search = opened(folder);
      try {
        take(search, { "a.md": "alpha" });
        await found(search, "word", { "a.md": "alpha" });
      } finally {
        search.close();
      }
    } catch (error) {
      fault = error;
    }
    expect(fault).not.toBeNull();
    expect(isIndexFault(fault)).toBe(true);
    removeSearch(folder);
    expect(existsSync(path)).toBe(false);
  });
});
