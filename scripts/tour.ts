/**
 * The tour of `npm start`: makes each kind of change once in each direction, on real documents, and
 * restores both sides.
 */
import { appendFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";

export type Fixture = {
  /** Path of the linked folder. */
  readonly root: string;
  readonly url: string;
  readonly key: string;
  /** Runs `mdmirror sync` and shows it. Returns its exit code. */
  readonly sync: () => Promise<number>;
  /** Returns the number of links in the linked folder that lead nowhere. */
  readonly countBrokenLinks: () => Promise<number>;
  readonly say: (line: string) => void;
};

type Doc = { readonly id: string; readonly path: string; readonly lastChangeId: string; readonly content: string };

const LINE = "A line that was written here, in an editor.\n";
const ENDING = "-renamed.md";

/** @returns what was not as expected; empty if every change arrived */
export async function tour(fixture: Fixture): Promise<string[]> {
  const { root, sync, say } = fixture;
  const failures: string[] = [];
  const check = (good: boolean, what: string) => {
    say(`  ${good ? "✓" : "✗"} ${what}`);
    if (!good) failures.push(what);
  };
  const mark = Date.now().toString(36);
  const brokenBefore = await fixture.countBrokenLinks();
  const [edited, renamed] = pickChapters(root);
  if (edited === undefined || renamed === undefined) return ["there are not two documents to show anything with"];
  const to = renamed.replace(/\.md$/, ENDING);
  const here = `written-here-${mark}.md`;
  const there = `written-there-${mark}.md`;
  const idBefore = (await find(fixture, renamed))?.id;

  say("");
  say("here → service: an edit, a new file, a rename");
  appendFileSync(join(root, edited), LINE);
  writeFileSync(join(root, here), `# Written here\n\nBy a tool that knows nothing of the service (${mark}).\n`);
  renameSync(join(root, renamed), join(root, to));
  if ((await sync()) !== 0) return ["mdmirror sync did not end well"];
  check((await read(fixture, edited))?.content.endsWith(LINE) === true, `${edited}: the edit is on the service`);
  check((await find(fixture, here)) !== null, `${here}: the new file is on the service`);
  const moved = await find(fixture, to);
  check(
    moved !== null && moved.id === idBefore,
    `${to}: renamed on the service, and still the same document (${moved?.id})`,
  );
  check((await fixture.countBrokenLinks()) === brokenBefore, `${to}: the rename broke no link`);

  say("");
  say("service → here: an edit, a new file, a rename, a deletion");
  const doc = await read(fixture, edited);
  if (doc !== null) await put(fixture, doc, doc.content.slice(0, -LINE.length));
  await call(fixture, "POST", "/v1/files", { path: there, content: "# Written there\n\nBy somebody else.\n" });
  if (moved !== null) await call(fixture, "PATCH", `/v1/files/${moved.id}`, { name: renamed.split("/").at(-1)! });
  const made = await find(fixture, here);
  if (made !== null) await call(fixture, "DELETE", `/v1/files/${made.id}`);
  if ((await sync()) !== 0) return ["mdmirror sync did not end well"];
  check(!readFileSync(join(root, edited), "utf8").endsWith(LINE), `${edited}: the edit is in the file`);
  check(existsSync(join(root, there)), `${there}: the new file is here`);
  check(existsSync(join(root, renamed)) && !existsSync(join(root, to)), `${renamed}: renamed here`);
  check((await fixture.countBrokenLinks()) === brokenBefore, `${renamed}: the rename broke no link`);
  check(!existsSync(join(root, here)), `${here}: deleted there, and in .mdmirror/trash here`);

  say("");
  say("here → service: a deletion (looked at twice, 2 s apart, before anything is deleted there)");
  rmSync(join(root, there));
  if ((await sync()) !== 0) return ["mdmirror sync did not end well"];
  check((await find(fixture, there)) === null, `${there}: deleted on the service`);
  return failures;
}

/** Returns two chapters of some length; the second is the one to which most links lead. */
function pickChapters(root: string): string[] {
  const documents = readdirSync(root, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => /^[\w./-]+\.md$/.test(path) && !path.startsWith(".") && !path.endsWith(ENDING))
    .toSorted();
  const texts = documents.map((path) => [posix.dirname(path), readFileSync(join(root, path), "utf8")] as const);
  const countLinks = (to: string) =>
    texts.filter(([folder, text]) => text.includes(`](${posix.relative(folder, to)}`)).length;
  const [first, ...others] = documents.filter((path) => /(^|\/)ch\d/.test(path));
  if (first === undefined) return [];
  const counted = others.map((path) => ({ path, links: countLinks(path) }));
  return [first, ...counted.toSorted((a, b) => b.links - a.links).map(({ path }) => path)];
}

async function call(fixture: Fixture, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${fixture.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${fixture.key}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === "" ? null : JSON.parse(text);
}

async function find(fixture: Fixture, path: string): Promise<Doc | null> {
  const list = (await call(fixture, "GET", `/v1/files?path=${encodeURIComponent(path)}`)) as {
    readonly data: readonly Doc[];
  };
  return list.data[0] ?? null;
}

async function read(fixture: Fixture, path: string): Promise<Doc | null> {
  const found = await find(fixture, path);
  return found === null ? null : ((await call(fixture, "GET", `/v1/files/${found.id}`)) as Doc);
}

async function put(fixture: Fixture, doc: Doc, content: string): Promise<void> {
  await call(fixture, "PUT", `/v1/files/${doc.id}/content`, { baseChangeId: doc.lastChangeId, content });
}
