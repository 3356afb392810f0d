import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { countByReason, importFolder } from "../../src/service/import.ts";
import { openService, temporaryFolder } from "./ground.ts";

const RUST_BOOK = fileURLToPath(new URL("../fixtures/rust-book", import.meta.url));

function folderOf(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = temporaryFolder();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

describe("importFolder", () => {
  it("takes every Markdown file byte for byte, and folders with and without files", async () => {
    const texts = { "a.md": "x\r\n", "deep/er/b.md": "\ufeffBOM", "deep/.c.md": "", "cafe\u0301.md": "\u2028" };
    const folder = folderOf(texts);
    mkdirSync(join(folder, "empty"));
    const opened = openService();
    const report = await importFolder(opened, folder);
    expect(report).toEqual({ files: 4, folders: 3, bytes: 12, refused: [] });
    for (const [path, content] of Object.entries(texts)) {
      const [file] = (await opened.api.page("files", { path })).data;
      expect((await opened.api.read(file!.id)).content).toBe(content);
    }
    expect(await opened.api.paths("folders")).toEqual(["deep", "empty"]);
  });

  it("lists what it could not take, and why", async () => {
    const folder = folderOf({
      "a b.md": "",
      "!.md": "",
      "long.md": "x".repeat(51_201),
      "huge.md": "x".repeat(300_000),
      "latin1.md": new Uint8Array([0xe9]),
      "nul.md": "a\0b",
      "note.txt": "",
      "README.MD": "",
      "my notes/inside.md": "",
      ".git/config.md": "",
      "good.md": "",
    });
    symlinkSync("good.md", join(folder, "link.md"));
    const report = await importFolder(openService(), folder);
    expect([report.files, report.folders]).toEqual([1, 0]);
    expect(Object.fromEntries(report.refused.map(({ path, reason }) => [path, reason]))).toEqual({
      "a b.md": "whitespace",
      "!.md": "shell-metacharacter",
      "long.md": "content-too-large",
      "huge.md": "content-too-large",
      "latin1.md": "not-utf8",
      "nul.md": "holds-nul",
      "note.txt": "not-markdown",
      "README.MD": "not-markdown",
      "my notes/inside.md": "whitespace",
      ".git/": "leading-dot-folder",
      "link.md": "not-a-file",
    });
    expect(report.refused.every(({ detail }) => detail.length > 5)).toBe(true);
    expect([...countByReason(report)][0]?.[1]).toBe(2);
  });

  it("leaves what is there as it is when run again", async () => {
    const folder = folderOf({ "a.md": "first", "sub/b.md": "" });
    const opened = openService();
    await importFolder(opened, folder);
    writeFileSync(join(folder, "a.md"), "second");
    writeFileSync(join(folder, "sub/c.md"), "");
    const report = await importFolder(opened, folder);
    expect([report.files, report.folders, [...countByReason(report)]]).toEqual([1, 0, [["path-already-exists", 2]]]);
    const [file] = (await opened.api.page("files", { path: "a.md" })).data;
    expect((await opened.api.read(file!.id)).content).toBe("first");
  });

  it("tells its progress", async () => {
    const files = Object.fromEntries(Array.from({ length: 1_100 }, (_, i) => [`${i}.md`, ""]));
    const seen: number[] = [];
    await importFolder(openService(), folderOf({ ...files, "x.txt": "" }), (progress) => seen.push(progress.files));
    expect(seen).toEqual([500, 1_000, 1_100]);
  });

  it("rejects when the folder is not there", async () => {
    await expect(importFolder(openService(), join(temporaryFolder(), "none"))).rejects.toThrow("ENOENT");
  });

  it("takes the whole sample workspace", async () => {
    const documents = readdirSync(RUST_BOOK, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".md"),
    );
    const opened = openService();
    const report = await importFolder(opened, RUST_BOOK);
    expect(report.files).toBe(documents.length);
    expect(documents.length).toBeGreaterThanOrEqual(30);
    expect(new Set(countByReason(report).keys())).toEqual(new Set(["not-markdown"]));
    expect((await opened.api.paths("files")).sort()).toEqual(documents.sort());
    const [file] = (await opened.api.page("files", { path: documents[0]! })).data;
    expect((await opened.api.read(file!.id)).content).toBe(readFileSync(join(RUST_BOOK, documents[0]!), "utf8"));
  });
});
