import { expect, test } from "vitest";
import { MAX_CONTENT_CHARACTERS } from "../../src/contract/limits.ts";
import { formatImport } from "../../src/cli/commands/serve.ts";
import { ImportLinks } from "../../src/service/import/links.ts";
import { importFolder } from "../../src/service/import/import.ts";
import { folderOf, type Opened, openService } from "./fixture.ts";

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
