/**
 * Measures the sources, by folder of `src`, in all of `src`, and in `test`:
 * node scripts/measures.ts [ROOT] [--json] [--list MEASURE] [--check]
 * `--list` names each place that a measure counts, sorted; circles are named by their first file.
 * `--check` says what `src` or `test` has more of than it may, and where; exit 1 if there is any.
 * Branches of a nameless callback count for the named function around it.
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import {
  breachesOf,
  type Column,
  columnsOf,
  figureOf,
  linesOf,
  MEASURES,
  type Measure,
  shownFigure,
} from "./measures/list.ts";
import type { FileFacts } from "./measures/facts.ts";
import { readTree } from "./measures/tree.ts";

function tableOf(columns: readonly Column[], all: readonly FileFacts[]): string {
  const rows = MEASURES.map((measure) => [
    measure.what,
    ...columns.map(({ files }) => shownFigure(measure, figureOf(measure, files, all))),
  ]);
  const head = ["", ...columns.map(({ name }) => name)];
  const widths = head.map((_, i) => Math.max(...[head, ...rows].map((row) => row[i]!.length)));
  return [head, ...rows]
    .map((row) => row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join("  "))
    .join("\n");
}

function jsonOf(columns: readonly Column[], all: readonly FileFacts[]): string {
  const byMeasure = MEASURES.map((measure) => [
    measure.id,
    Object.fromEntries(columns.map(({ name, files }) => [name, figureOf(measure, files, all)])),
  ]);
  return JSON.stringify(Object.fromEntries(byMeasure), null, 2);
}

const options = { json: { type: "boolean" }, list: { type: "string" }, check: { type: "boolean" } } as const;
const { values, positionals } = parseArgs({ allowPositionals: true, options });
const listed = MEASURES.find(({ id }) => id === values.list);
if (values.list !== undefined && listed === undefined) {
  console.error(`--list: no measure ${values.list}; there are ${MEASURES.map(({ id }) => id).join(", ")}`);
  process.exitCode = 2;
} else {
  const all = readTree(positionals[0] ?? fileURLToPath(new URL("..", import.meta.url)));
  if (values.check === true) check(all);
  else if (listed !== undefined) list(listed, all);
  else console.log((values.json === true ? jsonOf : tableOf)(columnsOf(all), all));
}

function check(all: readonly FileFacts[]): void {
  const breaches = breachesOf(all);
  for (const line of breaches) console.log(line);
  console.log(`measures: ${breaches.length === 0 ? "within their bounds" : "over their bounds"}`);
  process.exitCode = breaches.length === 0 ? 0 : 1;
}

function list({ places }: Measure, all: readonly FileFacts[]): void {
  const measured = all.filter(({ path }) => /^(src|test)\//.test(path));
  for (const line of linesOf(places(measured, all))) console.log(line);
}
