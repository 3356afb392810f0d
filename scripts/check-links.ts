/**
 * Resolves every link of a mirrored folder and of its workspace, with another parser and without
 * any code of links/: node scripts/check-links.ts DIR URL KEY-FILE
 * On disk a relative link must lead to a file or folder that is there, on the service an id must be
 * one of the workspace, and both sides must mean the same document. Prints what does not; exit 1 on
 * any.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import MarkdownIt from "markdown-it";

type Item = { readonly id: string; readonly path: string };

const [dir, url, keyFile] = process.argv.slice(2);
if (dir === undefined || url === undefined || keyFile === undefined)
  throw new Error("usage: node scripts/check-links.ts DIR URL KEY-FILE");
const markdown = new MarkdownIt({ html: true });
const root = resolve(dir);
const headers = { "x-api-key": readFileSync(keyFile, "utf8").trim() };

async function list(route: string): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null = null, more = true; more; ) {
    const from: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await fetch(`${url}/v1/${route}?path_prefix=/&limit=1000${from}`, { headers });
    const page = (await answer.json()) as { data: Item[]; nextCursor: string | null; hasMore: boolean };
    items.push(...page.data);
    cursor = page.nextCursor;
    more = page.hasMore;
  }
  return items;
}

async function textOf(id: string): Promise<string> {
  const answer = await fetch(`${url}/v1/files/${id}`, { headers });
  return ((await answer.json()) as { content: string }).content;
}

const counts = { documents: 0, byPath: 0, byId: 0, inert: 0, nowhere: 0, elsewhere: 0 };
const broken: string[] = [];
const files = await list("files");
const places = new Map([...files, ...(await list("folders"))].map(({ id, path }) => [id, path.slice(1)]));

for (const { id, path } of files) {
  const here = join(root, path);
  // One whose name the service refuses has another name here.
  if (!existsSync(here)) counts.elsewhere++;
  else compare(path.slice(1), readFileSync(here, "utf8"), await textOf(id));
}
for (const name of readdirSync(root, { recursive: true, encoding: "utf8" }))
  if (name.endsWith(".md") && !name.startsWith(".mdmirror")) counts.documents++;
console.log(JSON.stringify({ ...counts, broken: broken.length }));
for (const line of broken) console.log(line);
process.exitCode = broken.length === 0 ? 0 : 1;

/** Both forms have the same links, in the same order. */
function compare(path: string, disk: string, service: string): void {
  const [ours, theirs] = [linksOf(disk), linksOf(service)];
  if (ours.length !== theirs.length) return void broken.push(`${path}: ${ours.length} links and ${theirs.length}`);
  for (const [n, to] of ours.entries()) {
    const there = theirs[n]!;
    const id = /^(?:doc|dir)_[a-z0-9]+/.exec(there)?.[0];
    if (id === undefined) {
      if (there.startsWith("ref://")) counts.inert++;
      if (isOurs(to) && !existsSync(aim(path, to))) counts.nowhere++;
      if (isOurs(to) && existsSync(aim(path, to)) && aim(path, to).endsWith(".md"))
        broken.push(`${path}: ${to} is there, and ${there} on the service`);
      continue;
    }
    counts.byId++;
    const place = places.get(id);
    if (place === undefined) broken.push(`${path}: ${there} is nothing of the workspace`);
    else if (relative(root, aim(path, to)) !== place) broken.push(`${path}: ${to} here, ${there} (${place}) there`);
    else counts.byPath++;
  }
}

function isOurs(to: string): boolean {
  return !/^[a-z][a-z0-9+.-]*:|^#|^\//i.test(to) && to !== "";
}

function aim(path: string, to: string): string {
  const bare = decodeURIComponent(to.replace(/[?#].*$/, ""));
  return join(root, dirname(path), bare).replace(/\/$/, "");
}

/** Destinations of links and images, outside of front matter, in their order. */
function linksOf(text: string): string[] {
  const body = text.replace(/^\uFEFF?(---|\+\+\+)[ \t]*\r?\n[\s\S]*?\n\1[ \t]*(?:\r?\n|$)/, "");
  const found = markdown.parse(body, {}).flatMap(({ children }) => children ?? []);
  return found
    .flatMap((token) => String(token.attrGet("href") ?? token.attrGet("src") ?? ""))
    .filter((to) => to !== "" && !/^(?!ref:)[a-z][a-z0-9+.-]*:|^#/i.test(to));
}
