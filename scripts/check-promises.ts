/**
 * Each promise is under a test of its id: reads the titles of all tests, prints promise → tests,
 * and exits 1 when one has none, or a title names a promise that there is not. `--short`: the
 * counts alone.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const LAST = 33;
export const PROMISES: readonly string[] = Array.from(
  { length: LAST },
  (_, index) => `I${String(index + 1).padStart(2, "0")}`,
);

export type Title = { readonly file: string; readonly title: string };

/**
 * What stands as a title in a test file: the first argument of it, test and describe, also behind
 * `.each(…)`, and the `name` of a table's row. Skipped ones are none: they hold nothing.
 */
export function titlesOf(source: string): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  const title =
    /(?<before>\b(?:it|test|describe)(?:\.\w+)*\(|\)\(|\bname:)\s*(?<quote>["'`])(?<text>(?:\\.|(?!\k<quote>)[^\\])*)\k<quote>/g;
  return [...code.matchAll(title)].flatMap(({ groups }) =>
    /\.(?:skip|todo)\b/.test(groups!["before"]!) ? [] : [groups!["text"]!.replace(/\s+/g, " ")],
  );
}

/** @returns the titles that name each id, in the order of the ids */
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
  if (missing.length > 0 || unknown.length > 0) process.exitCode = 1;
}
