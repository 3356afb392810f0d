import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { FileFacts } from "../../scripts/measures/facts.ts";
import { breachesOf, columnsOf, MEASURES, figureOf } from "../../scripts/measures/list.ts";
import { readTree } from "../../scripts/measures/tree.ts";

const BRANCHES = [
  "if (n) n++;",
  "for (;;) break;",
  "for (const x of [n]) n += x;",
  "while (n) n--;",
  "switch (n) { case 1: n++; }",
  "try { n++; } catch { n--; }",
  "n = n ? 1 : 2;",
  "n = n && 1;",
  "n = n || 1;",
].join("\n");
/** What is read as a comment must not be what a literal holds. */
const LITERALS = 'export const texts = ["// no comment", `/* $' + "{1} // nor this */`, /\\/\\//];";

/** A function long enough to have a twin. */
function sumOf(name: string, value: string, start: number, operator = "+"): string {
  const sum = Array.from({ length: 20 }, (_, i) => `${value}${i}`).join(` ${operator} `);
  return `export function ${name}(${value}: number) { return ${start} + ${sum}; }`;
}

const TREE: Readonly<Record<string, string>> = {
  "src/a/long.ts": `export const one = 1;\n${"\n".repeat(400)}`,
  "src/a/functions.ts": [
    "export class Shape { area() { return 1; } get side() { return 2; } constructor() { this.area(); } }",
    "export const bound = () => { const inner = function () { return 1; }; return [1].map((n) => n + inner()); };",
    `export function long() {${"\n".repeat(60)}}`,
    "export declare function signature(): void;",
  ].join("\n"),
  "src/b/branches.ts": `export function ten(n: number) {\n${BRANCHES}\n}\nexport function eleven(n: number) {\n${BRANCHES}\n[n].forEach((x) => x ?? 1);\n}\n`,
  "src/b/comments.ts": `// short\n// ${"x".repeat(98)}\n/* ${"x".repeat(118)}\n */\n${LITERALS}\n`,
  "src/b/here.ts":
    'import type { There } from "./there.ts";\nexport type Here = There | 1;\nexport const lazy = () => import("./lazy.ts");\n',
  "src/b/there.ts": 'import { type Here } from "./here.ts";\nexport type There = Here[];\n',
  "src/b/lazy.ts": 'import { lazy } from "./here.ts";\nexport const loaded = lazy;\n',
  "src/c/twins.ts": [sumOf("one", "left", 1), sumOf("two", "right", 2), sumOf("three", "left", 1, "-")].join("\n"),
  "src/c/awaits.ts":
    'const { one: own } = await import("./twins.ts");\nconst two = (await import("./twins.ts")).two;\nown(two);\n',
  "src/b/mentions.ts": "// DESIGN 3 says so.\n// A designed merge.\n",
  "test/a.test.ts": 'import { texts } from "../src/b/comments.ts";\nconsole.log(texts);\n',
  "scripts/run.ts":
    'import * as all from "../src/b/branches.ts";\nimport { long as other } from "../src/a/functions.ts";\nconsole.log(all, other);\n',
};

const root = mkdtempSync(join(tmpdir(), "mdmirror-measures-"));
let all: FileFacts[] = [];

beforeAll(() => {
  for (const [path, text] of Object.entries(TREE)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  all = readTree(root);
});
afterAll(() => rmSync(root, { recursive: true }));

const measureOf = (id: string) => MEASURES.find((measure) => measure.id === id)!;
const inSrc = () => columnsOf(all).find(({ name }) => name === "src")!.files;
const places = (id: string) =>
  measureOf(id)
    .places(inSrc(), all)
    .map(({ at, note }) => `${at} ${note}`.trimEnd());

test("columns are the folders of src, src and test", () => {
  expect(columnsOf(all).map(({ name, files }) => [name, files.length])).toEqual([
    ["a", 2],
    ["b", 6],
    ["c", 2],
    ["src", 10],
    ["test", 1],
  ]);
});

test("files and lines are counted, and long files named", () => {
  expect(figureOf(measureOf("files"), inSrc(), all)).toBe(10);
  const lines = inSrc().reduce((sum, { path }) => sum + TREE[path]!.replace(/\n$/, "").split("\n").length, 0);
  expect(figureOf(measureOf("lines"), inSrc(), all)).toBe(lines);
  expect(places("long-files")).toEqual(["src/a/long.ts 401 lines"]);
});

test("named functions are declarations, methods and what is bound to a name", () => {
  const names = measureOf("functions")
    .places(inSrc(), all)
    .map(({ note }) => note);
  expect(names).toEqual([
    "area",
    "side",
    "constructor",
    "bound",
    "inner",
    "long",
    "ten",
    "eleven",
    "lazy",
    "one",
    "two",
    "three",
  ]);
  expect(places("nested")).toEqual(["src/a/functions.ts:2 inner"]);
  expect(figureOf(measureOf("nested"), inSrc(), all)).toBeCloseTo(1 / 12);
  expect(places("long-functions")).toEqual(["src/a/functions.ts:3 long, 61 lines"]);
});

test("each kind of branch counts one, those of nameless callbacks too", () => {
  const measured = inSrc().flatMap(({ functions }) => functions);
  expect(measured.filter(({ cyclomatic }) => cyclomatic > 1).map(({ name, cyclomatic }) => [name, cyclomatic])).toEqual(
    [
      ["ten", 10],
      ["eleven", 11],
    ],
  );
  expect(places("cyclomatic")).toEqual(["src/b/branches.ts:12 eleven, 11"]);
});

test("comment lines are measured, and literals that look like comments are none", () => {
  expect(
    inSrc()
      .find(({ path }) => path === "src/b/comments.ts")!
      .comments.map(({ line }) => line),
  ).toEqual([1, 2, 3, 4]);
  expect(places("comments-100")).toEqual(["src/b/comments.ts:2 101 columns", "src/b/comments.ts:3 121 columns"]);
  expect(places("comments-120")).toEqual(["src/b/comments.ts:3 121 columns"]);
  expect(figureOf(measureOf("comments-100"), inSrc(), all)).toBeCloseTo(2 / 6);
});

test("circles are of values and types; what is loaded by a call closes none", () => {
  expect(places("circles")).toEqual(["src/b/here.ts with src/b/there.ts"]);
});

test("an export counts as unused when nobody takes it by its name, tests and calls included", () => {
  expect(places("unused-exports")).toEqual([
    "src/a/functions.ts:1 Shape",
    "src/a/functions.ts:2 bound",
    "src/a/functions.ts:64 signature",
    "src/a/long.ts:1 one",
    "src/c/twins.ts:3 three",
  ]);
});

test("functions are twins when they differ in names, numbers and texts alone", () => {
  expect(places("twins")).toEqual(["src/c/twins.ts:2 two, as src/c/twins.ts:1"]);
});

test("lines that name a document which is not there are found", () => {
  expect(places("mentions")).toEqual(["src/b/mentions.ts:1"]);
});

test("what is over its bound is said with its places", () => {
  const lines = breachesOf(all);
  expect(lines.filter((line) => !line.startsWith(" "))).toEqual(
    expect.arrayContaining(["files over 400 lines: 1, at most 0", "import circles: 1, at most 0"]),
  );
  expect(lines).toContain("  src/a/long.ts 401 lines");
  expect(breachesOf([])).toEqual([]);
});
