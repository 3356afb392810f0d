/**
 * Measures the sources, by folder of `src`, in all of `src`, and in `test`:
 * node scripts/measures.ts [ROOT] [--json] [--list MEASURE] [--check]
 * `--list` names each place that a measure counts, sorted; circles are named by their first file.
 * `--check` says what `src` has more of than it may, and where; exit 1 if there is any.
 * Branches of a nameless callback count for the named function around it.
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { breachesOf, type Column, columnsOf, MEASURES, figureOf, shownFigure } from "./measures/list.ts";
import type { FileFacts } from "./measures/facts.ts";
import { readTree } from "./measures/tree.ts";

function tableOf(columns: readonly Column[], all: readonly FileFacts[]): string {
  const rows = MEASURES.map((measure) => [
    measure.what,
    ...columns.map(({ files }) => {
      return shownFigure(measure, figureOf(measure, files, all));
    }),
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
  const columns = columnsOf(all);
  if (values.check === true) {
    const breaches = breachesOf(all);
    for (const line of breaches) console.log(line);
    console.log(`measures: ${breaches.length === 0 ? "within their bounds" : "over their bounds"}`);
    process.exitCode = breaches.length === 0 ? 0 : 1;
  } else if (listed === undefined) console.log(values.json === true ? jsonOf(columns, all) : tableOf(columns, all));
  else {
    const measured = columns.filter(({ name }) => name === "src" || name === "test").flatMap(({ files }) => files);
    for (const { at, note } of listed.places(measured, all)) console.log(`${at} ${note}`.trimEnd());
  }
}
