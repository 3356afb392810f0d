/**
 * Measures search, on the service and on the mirror, beside ripgrep over the same folder in the
 * same run: `npm run bench -- search FOLDER [--json]`
 * FOLDER holds Markdown (the tldr corpus in 40 languages: 38,430 documents). It is not written: the
 * service imports it, and the mirror's index is built over a copy. 200 queries in English, Chinese,
 * Japanese, Arabic, and of parts of words, drawn from the documents' own lines by a seed, after one
 * unmeasured round of ten.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { systemRandom } from "../../src/app/mirror/random.ts";
import { searchMirror } from "../../src/app/search.ts";
import { openData } from "../../src/server/data.ts";
import { importFolder } from "../../src/server/import.ts";

type Query = { readonly kind: string; readonly text: string };
type Times = {
  readonly what: string;
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
  readonly found: number;
};

/** mulberry32: the same queries in every run. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const LANGUAGES = { English: "pages", Chinese: "pages.zh", Japanese: "pages.ja", Arabic: "pages.ar" } as const;
const EACH = 200 / 5 + 1;

/**
 * Words as people type them: two or three of one description line; of a script without spaces, a
 * run of two to six characters.
 */
function drawQueries(folder: string): Query[] {
  const random = dice(20_260);
  const pick = <T>(all: readonly T[]) => all[Math.floor(random() * all.length)]!;
  const byLanguage = Object.fromEntries(
    Object.entries(LANGUAGES).map(([name, below]) => [name, descriptions(join(folder, below))]),
  );
  const words = (line: string) => {
    const all = line.match(/[\p{L}\p{M}]{3,}/gu) ?? [line];
    const from = Math.floor(random() * Math.max(1, all.length - 2));
    return all.slice(from, from + 2 + Math.floor(random() * 2));
  };
  const run = (line: string) => {
    const all = pick(line.match(/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー]{2,}/gu) ?? ["文件"]);
    const from = Math.floor(random() * (all.length - 1));
    return all.slice(from, from + 2 + Math.floor(random() * 5));
  };
  const english = () => pick(byLanguage["English"]!);
  const long = () => pick([...(english().match(/[a-z]{6,}/g) ?? ["archive"])]);
  const makers: Readonly<Record<string, () => string>> = {
    English: () => words(english()).join(" "),
    Chinese: () => run(pick(byLanguage["Chinese"]!)),
    Japanese: () => run(pick(byLanguage["Japanese"]!)),
    Arabic: () => words(pick(byLanguage["Arabic"]!)).join(" "),
    "parts of words": () => long().slice(1, -1),
  };
  return Array.from({ length: Math.floor(EACH) }, () =>
    Object.entries(makers).map(([kind, make]) => ({ kind, text: make() })),
  )
    .flat()
    .slice(0, 200);
}

function descriptions(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .sort();
  return files.flatMap((name) =>
    readFileSync(join(folder, name), "utf8")
      .split("\n")
      .filter((line) => /^[->] /.test(line) && !line.includes("<http")),
  );
}

async function measure(
  what: string,
  queries: readonly Query[],
  work: (query: Query) => Promise<number>,
): Promise<Times> {
  for (const query of queries.slice(0, 10)) await work(query);
  let found = 0;
  const times: number[] = [];
  for (const query of queries) {
    const started = performance.now();
    if ((await work(query)) > 0) found++;
    times.push(performance.now() - started);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))]!;
  return { what, p50: at(0.5), p99: at(0.99), most: times.at(-1)!, found };
}

function ripgrep(folder: string, args: readonly string[]): number {
  const { stdout, error } = spawnSync("rg", ["--count", ...args, "."], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (error !== undefined) throw error;
  return stdout.split("\n").length - 1;
}

const CATASTROPHES = ["(a+)+$b", "(x+x+)+y", "(a|aa)+c", "(.*)*(.*)*z{9}", "([a-z]+)*[A-Z]{12}"];

async function measureService(folder: string, queries: readonly Query[], work: string) {
  const home = join(work, "service");
  // Closed in between, so that no log of SQLite counts.
  const size = () => statSync(join(home, "service.db")).size;
  const filled = await openData(home);
  const imported = await importFolder({ service: filled.service, key: filled.key }, folder);
  await filled.close();
  const before = size();
  const indexed = await openData(home);
  const started = performance.now();
  await indexed.service.indexAll();
  const indexMs = performance.now() - started;
  await indexed.close();
  const bytes = size() - before;
  const data = await openData(home);
  try {
    const ask = async (path: string, body: object) => {
      const headers = { "x-api-key": data.key };
      const { status, body: text } = await data.service.answer({
        method: "POST",
        path,
        headers,
        body: JSON.stringify(body),
      });
      if (status !== 200) throw new Error(text);
      return (JSON.parse(text) as { data: unknown[] }).data.length;
    };
    const hybrid = (query: Query) => ask("/v1/search/hybrid", { query: query.text });
    const kinds = [...new Set(queries.map(({ kind }) => kind))];
    const rows = [await measure("service, hybrid", queries, hybrid)];
    for (const kind of kinds) {
      const ofKind = queries.filter((query) => query.kind === kind);
      rows.push(await measure(`  ${kind}`, ofKind, hybrid));
    }
    // Loads the engine.
    await data.service.handle({
      method: "POST",
      path: "/v1/search/regex",
      headers: { "x-api-key": data.key },
      body: '{"query":"a"}',
    });
    const asRegex = queries.map(({ kind, text }) => ({ kind, text: text.replaceAll(" ", ".*") }));
    rows.push(
      await measure("service, regex (words as a.*b)", asRegex, (query) =>
        ask("/v1/search/regex", { query: query.text }),
      ),
    );
    rows.push(
      await measure(
        "service, catastrophic patterns",
        CATASTROPHES.map((text) => ({ kind: "", text })),
        (query) => ask("/v1/search/regex", { query: query.text }),
      ),
    );
    return { documents: imported.files, indexMs, bytes, rows };
  } finally {
    await data.close();
  }
}

async function measureMirror(folder: string, queries: readonly Query[], work: string) {
  const root = join(work, "mirror");
  cpSync(folder, root, { recursive: true });
  mkdirSync(join(root, ".mdmirror"), { recursive: true });
  const random = systemRandom();
  const search = async (query: string, regex = false) => {
    const result = await searchMirror(root, random, { query, regex, limit: regex ? 50 : 10 });
    if (result.kind === "trouble") throw new Error(result.trouble.what);
    return result.value;
  };
  const started = performance.now();
  const first = await search("archive");
  const indexMs = performance.now() - started;
  await search("archive");
  const times: number[] = [];
  let found = 0;
  for (const { text } of queries) {
    const before = performance.now();
    if ((await search(text)).files.length > 0) found++;
    times.push(performance.now() - before);
  }
  times.sort((a, b) => a - b);
  const command: Times = {
    what: "mirror, with the walk over the folder",
    p50: times[100]!,
    p99: times[198]!,
    most: times[199]!,
    found,
  };
  const bytes = ["", "-wal"].reduce(
    (sum, end) => sum + (statSync(join(root, ".mdmirror", `search.db${end}`), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
  const rg = [
    await measure("rg --fixed-strings --ignore-case", queries, async ({ text }) =>
      ripgrep(root, ["-F", "-i", "-e", text]),
    ),
    await measure("rg, regex (words as a.*b)", queries, async ({ text }) =>
      ripgrep(root, ["-e", text.replaceAll(" ", ".*")]),
    ),
  ];
  return { documents: first.indexed, indexMs, bytes, rows: [command, ...rg] };
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: "boolean" } } });
const [folder] = positionals;
if (folder === undefined || !existsSync(join(folder, LANGUAGES.Arabic))) {
  console.error("usage: bench-search.ts FOLDER [--json]; FOLDER is the unpacked tldr corpus");
  process.exitCode = 2;
} else {
  const work = mkdtempSync(join(tmpdir(), "mdmirror-search-"));
  try {
    const queries = drawQueries(folder);
    const service = await measureService(folder, queries, work);
    const mirror = await measureMirror(folder, queries, work);
    if (values.json) console.log(JSON.stringify({ queries: queries.length, service, mirror }));
    else {
      console.log(`${queries.length} queries, Node ${process.version}`);
      for (const [name, { documents, indexMs, bytes, rows }] of Object.entries({ service, mirror })) {
        console.log(
          `${name}: ${documents} documents indexed in ${(indexMs / 1_000).toFixed(1)} s, ${(bytes / 1e6).toFixed(1)} MB`,
        );
        for (const { what, p50, p99, most, found } of rows)
          console.log(
            `${what.padEnd(40)} p50 ${p50.toFixed(1).padStart(7)}  p99 ${p99.toFixed(1).padStart(7)}  max ${most.toFixed(1).padStart(7)} ms, ${found} found something`,
          );
      }
    }
  } finally {
    rmSync(work, { recursive: true });
  }
}
