import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { SUBJECTS } from "../../src/ui/user-docs.ts";
import { openSignedIn, openUi } from "./rig.ts";

const FOLDER = fileURLToPath(new URL("../../src/docs", import.meta.url));

test("each document for users is listed under one subject", () => {
  const files = globSync("**/*.md", { cwd: FOLDER, exclude: ["decisions/**"] });
  expect(Object.values(SUBJECTS).flat().toSorted()).toEqual(files.toSorted());
});

test("each link of a document leads to a document and to a heading that it has", async () => {
  const { person } = await openSignedIn({ linked: false });
  expect(await person.see("/")).toContain('<a href="/docs">');
  const pages = new Map<string, string>();
  const visit = async (address: string): Promise<void> => {
    if (pages.has(address)) return;
    const { status, text } = await person.get(address);
    expect([address, status]).toEqual([address, 200]);
    pages.set(address, text);
    for (const { to } of linksOf(address, text)) await visit(to);
  };
  await visit("/docs");
  expect(pages.size).toBeGreaterThan(Object.values(SUBJECTS).flat().length);
  const links = [...pages].flatMap(([address, text]) => linksOf(address, text));
  const broken = links.filter(({ to, id }) => id !== null && !pages.get(to)!.includes(`id="${id}"`));
  expect(broken).toEqual([]);
  expect(links.filter(({ id }) => id !== null).length).toBeGreaterThan(5);
});

type Link = { readonly to: string; readonly id: string | null };

/** Returns the links of a page of the documentation to other pages and to its own headings. */
function linksOf(address: string, text: string): Link[] {
  return [...text.matchAll(/href="(\/docs[^"#]*)?(?:#(h-[^"]+))?"/g)].flatMap(([, to, id]) =>
    to === undefined && id === undefined
      ? []
      : [{ to: to ?? address, id: id === undefined ? null : decodeURIComponent(id) }],
  );
}

test("no other name is a document", async () => {
  const { person } = await openSignedIn({ linked: false });
  for (const name of ["none.md", "..%2fREADME.md", "../README.md", "service", "service/../../README.md", "start"])
    expect([name, (await person.get(`/docs/${name}`)).status]).toEqual([name, 404]);
});

test("only a browser that is signed in sees the documents", async () => {
  const { ask } = await openUi({ linked: false });
  expect([(await ask("/docs")).status, (await ask("/docs/start.md")).status]).toEqual([401, 401]);
});

test("a problem links its code to troubleshooting", async () => {
  const { rig, person } = await openSignedIn();
  rig.write("large.md", "x".repeat(60_000));
  await rig.run(["sync", "w"]);
  expect(await person.see("/m/w/needs")).toContain('<a href="/docs/troubleshooting.md#h-too-large">');
});
