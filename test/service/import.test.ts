import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { formatImport } from "../../src/cli/commands/serve.ts";
import { type ImportReport, importFolder } from "../../src/service/import/import.ts";
import { folderOf, openService } from "./fixture.ts";

/** Returns the number of refused files by reason, the largest first. */
function countByReason({ refused }: ImportReport): ReadonlyMap<string, number> {
  const counts = [...Map.groupBy(refused, ({ reason }) => reason)].map(
    ([reason, all]) => [reason, all.length] as const,
  );
  return new Map(counts.toSorted((a, b) => b[1] - a[1]));
}

describe("importFolder", () => {
  it("takes every Markdown file byte for byte, and folders with and without files", async () => {
    const texts = { "a.md": "x\r\n", "deep/er/b.md": "\ufeffBOM", "deep/.c.md": "", "cafe\u0301.md": "\u2028" };
    const folder = folderOf(texts);
    mkdirSync(join(folder, "empty"));
    const opened = await openService();
    const report = await importFolder(opened, folder);
    expect(report).toEqual({ files: 4, folders: 3, bytes: 12, renamed: [], refused: [] });
    for (const [path, content] of Object.entries(texts)) {
      const [file] = (await opened.api.page("files", { path })).data;
      expect((await opened.api.read(file!.id)).content).toBe(content);
    }
    expect(await opened.api.paths("folders")).toEqual(["/deep", "/empty"]);
  });

  it("lists what it could not take, and why", async () => {
    const folder = folderOf({
      "a b.md": "",
      "a-b.md": "",
      "long.md": "x".repeat(51_201),
      "huge.md": "x".repeat(300_000),
      "latin1.md": new Uint8Array([0xe9]),
      "nul.md": "a\0b",
      "note.txt": "",
      "README.MD": "",
      "my notes/inside.md": "",
      "my-notes/inside.md": "",
      "folder.md/inside.md": "",
      ".git/config.md": "",
      "good.md": "",
    });
    symlinkSync("good.md", join(folder, "link.md"));
    const report = await importFolder(await openService(), folder);
    expect([report.files, report.folders]).toEqual([3, 1]);
    expect(Object.fromEntries(report.refused.map(({ path, reason }) => [path, reason]))).toEqual({
      "a b.md": "name-clash",
      "long.md": "content-too-large",
      "huge.md": "content-too-large",
      "latin1.md": "not-utf8",
      "nul.md": "contains-nul",
      "note.txt": "not-markdown",
      "README.MD": "not-markdown",
      "my notes/": "name-clash",
      "folder.md/inside.md": "folder-ends-in-md",
      ".git/": "leading-dot-folder",
      "link.md": "not-a-file",
    });
    expect(report.refused.every(({ detail }) => detail.length > 5)).toBe(true);
    expect([...countByReason(report)][0]?.[1]).toBe(2);
  });

  it("gives names that are not legal the names that a sync gives them, and says so", async () => {
    const folder = folderOf({
      "my notes/a b.md": "one",
      "my notes/a  b.md": "two",
      "my notes/it:s.md": "three",
      "[.md": "four",
      "plain.md": "five",
    });
    const opened = await openService();
    const report = await importFolder(opened, folder);
    expect((await opened.api.paths("files")).sort()).toEqual([
      "/my-notes/a-b.md",
      "/my-notes/it-s.md",
      "/plain.md",
      "/u5b.md",
    ]);
    expect(report.renamed).toEqual([
      { path: "[.md", name: "u5b.md" },
      { path: "my notes/", name: "my-notes" },
      { path: "my notes/a  b.md", name: "a-b.md" },
      { path: "my notes/it:s.md", name: "it-s.md" },
    ]);
    const clash = { path: "my notes/a b.md", reason: "name-clash" };
    expect(report.refused).toMatchObject([
      { ...clash, detail: 'its name would become "a-b.md", the name of "a  b.md"' },
    ]);
    expect([report.files, report.folders]).toEqual([4, 1]);
    expect(formatImport(report).slice(1)).toEqual([
      "  under another name: 4 ([.md as u5b.md, my notes/ as my-notes, my notes/a  b.md as a-b.md, my notes/it:s.md as it-s.md)",
      "  not imported, name-clash: 1 (my notes/a b.md)",
    ]);
  });

  it("leaves existing documents as they are when run again", async () => {
    const folder = folderOf({ "a.md": "first", "sub/b.md": "" });
    const opened = await openService();
    await importFolder(opened, folder);
    writeFileSync(join(folder, "a.md"), "second");
    writeFileSync(join(folder, "sub/c.md"), "");
    const report = await importFolder(opened, folder);
    expect([report.files, report.folders, [...countByReason(report)]]).toEqual([1, 0, [["path-already-exists", 2]]]);
    const [file] = (await opened.api.page("files", { path: "a.md" })).data;
    expect((await opened.api.read(file!.id)).content).toBe("first");
  });
});
