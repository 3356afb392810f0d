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

/**
 * What `test/README.md` says of each promise. `scripts/check-promises.ts` adds the files of its
 * tests.
 */

type Promised = {
  readonly id: string;
  readonly name: string;
  /** True if every simulation run checks it. */
  readonly inRuns: boolean;
  readonly how: string;
  readonly amount: string;
};

const promised = (id: string, name: string, how: string, amount: string): Promised => ({
  id,
  name,
  inRuns: !["I05", "I15", "I17", "I18", "I20", "I23", "I24", "I25", "I29", "I31"].includes(id),
  how,
  amount,
});

const PROMISED: readonly Promised[] = [
  promised("I01", "converge", "planner: any changes in any allowed order; table; two daemons", "225 + 100 scenarios"),
  promised("I02", "no more writes", "planner; table: one more sync sends and writes nothing", "225 scenarios"),
  promised("I03", "no content lost", "all content of both sides is looked for after each sync", "23 runs"),
  promised("I04", "proof before removal", "planner, on nonsense too; a walk with each call failing", "150 trees"),
  promised("I05", "first sync deletes nothing", "planner without links; lost and damaged state", "100 trees"),
  promised("I06", "an edit beats a deletion", "symmetry of all content cells; table; daemon", "9 cells, both ways"),
  promised("I07", "based writes", "each PUT is checked as it is sent: its base is read and kept", "23 runs"),
  promised("I08", "no blind retry", "8 kinds of write × 5 unknown ends; client by status", "40 cases"),
  promised("I09", "ids stay", "table; editors' ways of saving; bulk moves", "each way known to us"),
  promised("I10", "no echo", "inodes and times before and after; daemon", "7 contents × 3 deployments"),
  promised("I11", "one path, one id", "planner; disks that fold case and Unicode", "225 scenarios"),
  promised("I12", "commit after verify", "each record is compared with both sides after a run", "23 runs"),
  promised("I13", "crash anywhere", "killed at each port call and each disk call; kill -9", "every call"),
  promised(
    "I14",
    "late writes survive",
    "each effect × each way to save × each moment, on 3 disks",
    "500 races a disk",
  ),
  promised("I15", "order-free", "planner; engine with steps shuffled and answers late", "225 orders; 16 runs"),
  promised("I16", "terminates", "every write refused; every disk call failing; planner", "17 refusals, 6 faults"),
  promised("I17", "isolation", "planner with a failing step; executor", "100 scenarios"),
  promised("I18", "scope is no deletion", "ignore rules, mode, names, root moved or copied, subtree", "12 tests"),
  promised("I19", "access is no deletion", "key, workspace or grants taken and given back", "7 losses"),
  promised("I20", "a list is atomic", "each page of documents and of folders, 6 faults", "every page"),
  promised("I21", "delete budget", "verdict tables; approve and undo on real files; rm -rf under watch", "7 tests"),
  promised("I22", "blocks persist", "made, closed, opened, synced offline and online", "22 of 34 reasons"),
  promised("I23", "dry commands write nothing", "bytes, modes and times of all files before and after", "8 tests"),
  promised("I24", "the plan is pure", "planner on frozen nonsense: purity and totality", "150 trees"),
  promised("I25", "round trip", "26 contents downloaded, uploaded, edited and merged", "4 deployments"),
  promised("I26", "inside the root", "symlinks and swapped folders before each call; hostile lists", "1,900 swaps"),
  promised("I27", "one conflict", "planner; simulation runs", "23 runs"),
  promised("I28", "honest merge", "the laws, byte for byte; words counted; changes kept", "1,600 merges"),
  promised("I29", "clock-free", "6 wrong clocks, 5 kinds of wrong times: the same writes", "11 scenarios"),
  promised("I30", "secret-free", "key and contents are searched in everything that is written", "10 tests"),
  promised(
    "I31",
    "reviews are stable",
    "each outcome × why it is in review; edits, moves, deletions, a lost answer",
    "78 outcomes",
  ),
  promised("I32", "deterministic", "same seed, same trace: simulation runs, disk, planner", "3 seeds twice"),
  promised("I33", "bounded", "requests counted by kind; heap of a process with long contents", "12 counts"),
];

const root = fileURLToPath(new URL("..", import.meta.url));
export const PROMISES: readonly string[] = PROMISED.map(({ id }) => id);

type Title = { readonly file: string; readonly title: string };

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
  const rows = PROMISED.map(({ id, name, inRuns, how, amount }) => {
    const files = new Set(grouped.get(id)!.map(({ file }) => file));
    const folders = Map.groupBy(files, (file) => file.split("/")[1]!);
    const where = [...folders].map(([folder, those]) => `${folder} ${those.length}`).sort();
    return [id, inRuns ? "●" : "", name, how, amount, where.join(", ")];
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
