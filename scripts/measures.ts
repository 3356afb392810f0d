/**
 * Measures the sources, by folder of `src`, in all of `src`, and in `test`:
 * node scripts/measures.ts [ROOT] [--json] [--list MEASURE]
 * `--list` names each place that a measure counts, sorted; circles are named by their first file.
 * Branches of a nameless callback count for the named function around it.
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Column, columnsOf, MEASURES, figureOf } from "./measures/list.ts";
import type { FileFacts } from "./measures/facts.ts";
import { readTree } from "./measures/tree.ts";

function tableOf(columns: readonly Column[], all: readonly FileFacts[]): string {
  const rows = MEASURES.map((measure) => [
    measure.what,
    ...columns.map(({ files }) => {
      const value = figureOf(measure, files, all);
      return measure.outOf === undefined ? String(value) : `${(value * 100).toFixed(1)} %`;
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

const options = { json: { type: "boolean" }, list: { type: "string" } } as const;
const { values, positionals } = parseArgs({ allowPositionals: true, options });
const listed = MEASURES.find(({ id }) => id === values.list);
if (values.list !== undefined && listed === undefined) {
  console.error(`--list: no measure ${values.list}; there are ${MEASURES.map(({ id }) => id).join(", ")}`);
  process.exitCode = 2;
} else {
  const all = readTree(positionals[0] ?? fileURLToPath(new URL("..", import.meta.url)));
  const columns = columnsOf(all);
  if (listed === undefined) console.log(values.json === true ? jsonOf(columns, all) : tableOf(columns, all));
  else {
    const measured = columns.filter(({ name }) => name === "src" || name === "test").flatMap(({ files }) => files);
    for (const { at, note } of listed.places(measured, all)) console.log(`${at} ${note}`.trimEnd());
  }
}
