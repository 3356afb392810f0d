/**
 * Checks that each promise (`src/mirror/planner/README.md`) has a test whose title contains its id.
 * Prints the tests of each promise. Exit 1 if a promise has no test, a title has an unknown id, or
 * the table in `test/README.md` is out of date.
 *
 * - `--short` prints numbers only.
 * - `--write` updates the table.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { keepBlock, tableLines } from "./generated-block.ts";
import { PROMISED } from "./promises.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
export const PROMISES: readonly string[] = PROMISED.map(({ id }) => id);

export type Title = { readonly file: string; readonly title: string };

/**
 * Returns the titles in a test file: the first argument of it, test and describe, also after
 * `.each(…)`, and the `name` of a table's row. Titles of skipped tests do not count.
 */
export function titlesOf(source: string): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  const title =
    /(?<before>\b(?:it|test|describe)(?:\.\w+)*\(|\)\(|\bname:)\s*(?<quote>["'`])(?<text>(?:\\.|(?!\k<quote>)[^\\])*)\k<quote>/g;
  return [...code.matchAll(title)].flatMap(({ groups }) =>
    /\.(?:skip|todo)\b/.test(groups!["before"]!) ? [] : [groups!["text"]!.replace(/\s+/g, " ")],
  );
}

/** Returns the titles that contain each id, in the order of the ids. */
export function groupByPromise(titles: readonly Title[]): Map<string, Title[]> {
  const found = new Map<string, Title[]>(PROMISES.map((id) => [id, []]));
  for (const one of titles)
    for (const id of new Set(one.title.match(/\bI\d\d\b/g) ?? [])) found.set(id, [...(found.get(id) ?? []), one]);
  return found;
}

function readTitles(): Title[] {
  const files = readdirSync(`${root}test`, { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => file.endsWith(".test.ts"))
    .sort()
    .flatMap((file) =>
      titlesOf(readFileSync(`${root}test/${file}`, "utf8")).map((title) => ({ file: `test/${file}`, title })),
    );
}

/**
 * Returns the table of `test/README.md`. It counts files instead of titles, so that a new test
 * rarely changes it.
 */
function promiseTable(grouped: ReadonlyMap<string, readonly Title[]>): string[] {
  const rows = PROMISED.map(({ id, name, inLives, how, amount }) => {
    const files = new Set(grouped.get(id)!.map(({ file }) => file));
    const rooms = Map.groupBy(files, (file) => file.split("/")[1]!);
    const where = [...rooms].map(([room, those]) => `${room} ${those.length}`).sort();
    return [id, inLives ? "●" : "", name, how, amount, where.join(", ")];
  });
  return tableLines(["", "", "promise", "tested by", "how much", "in"], rows);
}

if (import.meta.main) {
  const short = process.argv.includes("--short");
  const grouped = groupByPromise(readTitles());
  for (const [id, titles] of grouped) {
    const files = new Set(titles.map(({ file }) => file));
    console.log(`${id}  ${titles.length} title(s) in ${files.size} file(s)`);
    if (!short) for (const { file, title } of titles) console.log(`     ${file}: ${title}`);
  }
  const missing = PROMISES.filter((id) => grouped.get(id)!.length === 0);
  const unknown = [...grouped.keys()].filter((id) => !PROMISES.includes(id));
  if (missing.length > 0) console.error(`no test carries ${missing.join(", ")}`);
  if (unknown.length > 0) console.error(`there is no promise ${unknown.join(", ")}`);
  const isFresh =
    missing.length > 0 ||
    keepBlock("test/README.md", "promises", promiseTable(grouped), process.argv.includes("--write"));
  if (!isFresh) console.error("test/README.md: its table is stale: npm run check:promises -- --write");
  if (missing.length > 0 || unknown.length > 0 || !isFresh) process.exitCode = 1;
}
