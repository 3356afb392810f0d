import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { formatImport } from "../../src/cli/commands/serve.ts";
import { importFolder, type ImportReport } from "../../src/service/import/import.ts";
import { folderOf, type Opened, openService } from "./fixture.ts";
import { MAX_CONTENT_CHARACTERS } from "../../src/contract/limits.ts";
import { ImportLinks } from "../../src/service/import/links.ts";

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

const LINKED = {
  "a.md": "[b](b.md#x) ![p](pic.png) [gone](gone.md) [sub](sub/) [out](../o.md)\n",
  "b.md": '[a](a.md "t")\n[note](<sub/my note.md>) `[a](a.md)` [web](https://example.org/a.md)\n',
  "early.md": "[late](sub/late.md)\n",
  "pic.png": "no picture",
  "sub/late.md": "late\n",
  "sub/my note.md": "[b]: ../b.md\n\n[b] [hidden](../.git/x.md)\n",
  ".git/x.md": "",
};

/**
 * Returns the contents of all documents by path, with ids replaced by the paths of their documents.
 */
async function shown({ api }: Opened): Promise<Record<string, string>> {
  const [files, folders] = [(await api.page("files", {})).data, (await api.page("folders", {})).data];
  const paths = new Map([...files, ...folders].map(({ id, path }): [string, string] => [id, path]));
  const texts: Record<string, string> = {};
  for (const { id, path } of files) {
    const { content } = await api.read(id);
    texts[path] = content.replace(/(?:doc|dir)_[a-z0-9]{14}/g, (said) => `{${paths.get(said) ?? said}}`);
  }
  return texts;
}

const BY_ID = {
  "/a.md": "[b]({/b.md}#x) ![p](ref://pic.png) [gone](ref://gone.md) [sub]({/sub}) [out](ref://../o.md)\n",
  "/b.md": '[a]({/a.md} "t")\n[note](<{/sub/my-note.md}>) `[a](a.md)` [web](https://example.org/a.md)\n',
  "/early.md": "[late]({/sub/late.md})\n",
  "/sub/late.md": "late\n",
  "/sub/my-note.md": "[b]: {/b.md}\n\n[b] [hidden](ref://../.git/x.md)\n",
};

test("where links are judged a folder's links go up by id, circles in two writes", async () => {
  const opened = await openService({ links: "resolve" });
  const report = await importFolder(opened, folderOf(LINKED));
  expect(await shown(opened)).toEqual(BY_ID);
  expect(report.links).toEqual({
    byId: 6,
    twice: 2,
    inert: [
      { path: "sub/my note.md", to: "../.git/x.md", reason: "not-imported" },
      { path: "a.md", to: "pic.png", reason: "no-document" },
      { path: "a.md", to: "gone.md", reason: "no-target" },
      { path: "a.md", to: "../o.md", reason: "outside" },
    ],
  });
  expect(formatImport(report).slice(-5)).toEqual([
    "  links by id: 6; 2 documents written twice, because they link to each other",
    "  imported as inactive links (ref://…), to a file that was not imported: 1 (sub/my note.md → ../.git/x.md)",
    "  imported as inactive links (ref://…), to no document: 1 (a.md → pic.png)",
    "  imported as inactive links (ref://…), to a missing target: 1 (a.md → gone.md)",
    "  imported as inactive links (ref://…), out of the folder: 1 (a.md → ../o.md)",
  ]);
});

test("where links are not judged, texts stay byte for byte", async () => {
  const opened = await openService();
  const report = await importFolder(opened, folderOf(LINKED));
  const texts = await shown(opened);
  expect([texts["/a.md"], texts["/b.md"], report.links]).toEqual([LINKED["a.md"], LINKED["b.md"], undefined]);
});

test("documents that the service has already are linked to, and an unknown id is refused by its name", async () => {
  const opened = await openService({ links: "resolve" });
  await opened.api.post("/v1/files", { path: "/b.md", content: "there\n" });
  const folder = folderOf({ "a.md": "[b](b.md)\n", "b.md": "here\n", "c.md": "[x](doc_00000000000000)\n" });
  const report = await importFolder(opened, folder);
  expect(await shown(opened)).toEqual({ "/a.md": "[b]({/b.md})\n", "/b.md": "there\n" });
  expect(report.refused.map(({ path, reason }) => [path, reason])).toEqual([
    ["b.md", "path-already-exists"],
    ["c.md", "unresolved-reference"],
  ]);
});

test("a circle that an id would make too long stays inert, and is reported", async () => {
  const opened = await openService({ links: "resolve" });
  const inert = "[a](ref://a.md)\n";
  const long = `[a](a.md)\n${"x".repeat(MAX_CONTENT_CHARACTERS - inert.length)}`;
  const { links, files } = await importFolder(opened, folderOf({ "a.md": "[b](b.md)\n", "b.md": long }));
  expect(files).toBe(2);
  expect(links).toEqual({ byId: 1, twice: 0, inert: [{ path: "b.md", to: "a.md", reason: "not-written-again" }] });
  expect((await shown(opened))["/b.md"]!.slice(0, inert.length)).toBe(inert);
});

test("a file that was saved after the folder was walked goes up as it is now", () => {
  const links = new ImportLinks(new Map([["b.md", "doc_1"]]));
  links.order([{ kind: "file", path: "a.md", as: "a.md" }], () => "[b](b.md)\n");
  expect(links.translate("a.md", "[b](b.md)\n")).toBe("[b](doc_1)\n");
  expect(links.translate("a.md", "more [b](b.md)\n")).toBe("more [b](doc_1)\n");
});
