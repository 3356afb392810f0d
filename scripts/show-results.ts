/**
 * `node scripts/show-results.ts [--write]`: makes the tables of figures in `scripts/README.md` and
 * `src/markdown/merge/README.md` from the files in `scripts/results`.
 *
 * - `--write` updates the tables. Without it, exit 1 if a table is out of date.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { figureText, isMet, type Row } from "./bench/rows.ts";
import { keepBlock, tableLines } from "./generated-block.ts";
import type { About } from "./results.ts";

const COLUMNS = 116;

const folder = fileURLToPath(new URL("results/", import.meta.url));

type Verdicts = {
  readonly cases: number;
  readonly auto: number;
  readonly equal: number;
  readonly near: number;
  readonly order: number;
  readonly wrong: number;
};
type MergeReport = {
  readonly file: string;
  readonly rows: Readonly<Record<string, Verdicts>>;
  readonly gitClean: {
    readonly cases: number;
    readonly same: number;
    readonly other: number;
    readonly conflict: number;
  };
};

function read<T>(name: string): T & { readonly about: About } {
  return JSON.parse(readFileSync(`${folder}${name}.json`, "utf8")) as T & { readonly about: About };
}

/** Returns when, where and how a result was measured, as prose. */
function measured({ at, node, cpus, load, args = [], note }: About): string[] {
  const parts = [at.slice(0, 10)];
  if (node !== undefined) parts.push(`Node ${node.replace("v", "")}`);
  parts.push(`${cpus} cores`);
  if (load !== undefined) parts.push(`load ${[load].flat().join(" to ")}`);
  if (args.length > 0) parts.push(`\`${args.join(" ")}\``);
  return linesOf(`${parts.join(", ")}${note === undefined ? "" : `; ${note}`}.`);
}

function linesOf(text: string): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    if (lines.at(-1)!.length + 1 + word.length > COLUMNS) lines.push(word);
    else lines.push(`${lines.pop()} ${word}`.trimStart());
  }
  return lines;
}

function benchBlock(): string[] {
  const { about, rows } = read<{ rows: readonly Row[] }>("bench");
  const timed = rows.some((row) => row.kind === "measured" && row.cpu !== "");
  const heads = ["measure", "documents", "figure", ...(timed ? ["processor time"] : []), "must", "ours", "other"];
  const cells = rows.map((row) => {
    if (row.kind !== "measured") return [row.line, row.size, row.kind, ...heads.slice(3).map(() => "")];
    const { what, size, unit, figure, spread, n, bound, ours, other, cpu } = row;
    const met = isMet(row);
    const sign = bound?.sense === "least" ? "≥" : "≤";
    return [
      what,
      size.replace(/\d+/g, (digits) => Number(digits).toLocaleString("en")),
      `${figureText(figure)} ${unit}${n > 1 ? ` (${figureText(spread[0])}–${figureText(spread[1])})` : ""}`,
      ...(timed ? [cpu] : []),
      bound === null ? "" : `${sign} ${bound.must}${met === true ? "" : ", missed"}`,
      ours,
      other ?? "",
    ];
  });
  return [...measured(about), "", ...tableLines(heads, cells)];
}

function mergeBlock(): string[] {
  const { about, files } = read<{ files: readonly MergeReport[] }>("merge");
  const cells = files.flatMap(({ file, rows }) => {
    const mix = rows["mix"] ?? rows["joined"];
    if (mix === undefined) return [];
    const share = `${mix.auto} of ${mix.cases}`;
    return [[file, share, String(mix.equal), String(mix.near), String(mix.order), String(mix.wrong)]];
  });
  const clean = files.filter(({ gitClean }) => gitClean.cases > 0);
  const cleanCells = clean.map(({ file, gitClean: { cases, same, other, conflict } }) =>
    [file, cases, same, other, conflict].map(String),
  );
  return [
    ...measured(about),
    "",
    ...tableLines(["set", "merged", "equal", "near", "order", "wrong"], cells),
    "",
    ...tableLines(["git merges cleanly", "cases", "the same text", "another text", "conflict"], cleanCells),
  ];
}

const BLOCKS: readonly (readonly [file: string, name: string, lines: () => string[]])[] = [
  ["scripts/README.md", "results: bench", benchBlock],
  ["src/markdown/merge/README.md", "results: merge", mergeBlock],
];

const { values } = parseArgs({ options: { write: { type: "boolean", default: false } } });
const stale = BLOCKS.filter(([file, name, lines]) => !keepBlock(file, name, lines(), values.write));
for (const [file, name] of stale)
  console.error(`${file}: "${name}" is not what scripts/results says: node scripts/show-results.ts --write`);
if (stale.length > 0) process.exitCode = 1;
