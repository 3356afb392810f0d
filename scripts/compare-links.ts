/**
 * Resolves every link of a mirrored folder and of its workspace, with another parser and without
 * any code of links/. On disk a relative link must lead to a file or folder that is there, on the
 * service an id must be one of the workspace, and both sides must mean the same document.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import MarkdownIt from "markdown-it";
import { mapName } from "../src/contract/names.ts";

type Item = { readonly id: string; readonly path: string };

/** `root` is absolute. */
export type Mirrored = { readonly root: string; readonly url: string; readonly key: string };

export type Compared = {
  readonly counts: Counts;
  readonly broken: readonly string[];
  /** The paths of the documents that link to each, by its path. */
  readonly linkers: ReadonlyMap<string, ReadonlySet<string>>;
};

type Counts = Record<"documents" | "byPath" | "byId" | "inert" | "nowhere" | "elsewhere", number>;
type Work = {
  readonly root: string;
  readonly places: ReadonlyMap<string, string>;
  readonly counts: Counts;
  readonly broken: string[];
  readonly linkers: Map<string, Set<string>>;
  readonly parsed: Parsed;
};

/** Text → its destinations: few texts are others when it is asked again. */
export type Parsed = Map<string, readonly string[]>;

const AT_ONCE = 16;

const markdown = new MarkdownIt({ html: true });

/** @param parsed of texts that were compared before; what is read is added */
export async function compareLinks(mirrored: Mirrored, parsed: Parsed = new Map()): Promise<Compared> {
  const { root } = mirrored;
  const files = await list(mirrored, "files");
  const places = new Map([...files, ...(await list(mirrored, "folders"))].map(({ id, path }) => [id, path.slice(1)]));
  const counts: Counts = { documents: 0, byPath: 0, byId: 0, inert: 0, nowhere: 0, elsewhere: 0 };
  const work: Work = { root, places, counts, broken: [], linkers: new Map(), parsed };
  const here = new Map<string, string>();
  for (const name of readdirSync(root, { recursive: true, encoding: "utf8" }))
    if (name.endsWith(".md") && !name.startsWith(".mdmirror")) here.set(nameThere(name), name);
  counts.documents = here.size;
  for (let from = 0; from < files.length; from += AT_ONCE) {
    const some = files.slice(from, from + AT_ONCE);
    const texts = await Promise.all(some.map(({ id }) => textOf(mirrored, id)));
    for (const [n, { path }] of some.entries()) {
      const local = here.get(path.slice(1));
      if (local === undefined) counts.elsewhere++;
      else compare(work, local, { disk: readFileSync(join(root, local), "utf8"), service: texts[n]! });
    }
  }
  return work;
}

/** The service refuses some names of a disk, and has another for each part of such a path. */
function nameThere(path: string): string {
  const names = path.split("/");
  return names.map((name) => mapName(name, name.endsWith(".md") ? "file" : "folder") ?? name).join("/");
}

async function list({ url, key }: Mirrored, route: string): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null = null, more = true; more; ) {
    const from: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const headers = { "x-api-key": key };
    const answer = await fetch(`${url}/v1/${route}?path_prefix=/&limit=1000${from}`, { headers });
    const page = (await answer.json()) as { data: Item[]; nextCursor: string | null; hasMore: boolean };
    items.push(...page.data);
    cursor = page.nextCursor;
    more = page.hasMore;
  }
  return items;
}

async function textOf({ url, key }: Mirrored, id: string): Promise<string> {
  const answer = await fetch(`${url}/v1/files/${id}`, { headers: { "x-api-key": key } });
  return ((await answer.json()) as { content: string }).content;
}

type Both = { readonly disk: string; readonly service: string };

/** Both forms have the same links, in the same order. */
function compare(work: Work, path: string, { disk, service }: Both): void {
  const [ours, theirs] = [linksOf(disk, work.parsed), linksOf(service, work.parsed)];
  if (ours.length !== theirs.length) return void work.broken.push(`${path}: ${ours.length} links and ${theirs.length}`);
  for (const [n, to] of ours.entries()) compareOne(work, path, to, theirs[n]!);
}

function compareOne({ root, places, counts, broken, linkers }: Work, path: string, to: string, there: string): void {
  const id = /^(?:doc|dir)_[a-z0-9]+/.exec(there)?.[0];
  const aimed = aim(root, path, to);
  if (id === undefined) {
    if (there.startsWith("ref://")) counts.inert++;
    if (isOurs(to) && !existsSync(aimed)) counts.nowhere++;
    if (isOurs(to) && existsSync(aimed) && aimed.endsWith(".md"))
      broken.push(`${path}: ${to} is there, and ${there} on the service`);
    return;
  }
  counts.byId++;
  const place = places.get(id);
  if (place === undefined) return void broken.push(`${path}: ${there} is nothing of the workspace`);
  if (nameThere(relative(root, aimed)) !== place || !existsSync(aimed))
    return void broken.push(`${path}: ${to} here, ${there} (${place}) there`);
  counts.byPath++;
  linkers.set(place, (linkers.get(place) ?? new Set()).add(path));
}

function isOurs(to: string): boolean {
  return !/^[a-z][a-z0-9+.-]*:|^#|^\//i.test(to) && to !== "";
}

function aim(root: string, path: string, to: string): string {
  const bare = decodeURIComponent(to.replace(/[?#].*$/, ""));
  return join(root, dirname(path), bare).replace(/\/$/, "");
}

/** Destinations of links and images, outside of front matter, in their order. */
function linksOf(text: string, parsed: Parsed): readonly string[] {
  const links = parsed.get(text) ?? parse(text);
  parsed.set(text, links);
  return links;
}

function parse(text: string): readonly string[] {
  const body = text.replace(/^\uFEFF?(---|\+\+\+)[ \t]*\r?\n[\s\S]*?\n\1[ \t]*(?:\r?\n|$)/, "");
  const found = markdown.parse(body, {}).flatMap(({ children }) => children ?? []);
  return found
    .flatMap((token) => String(token.attrGet("href") ?? token.attrGet("src") ?? ""))
    .filter((to) => to !== "" && !/^(?!ref:)[a-z][a-z0-9+.-]*:|^#/i.test(to));
}
