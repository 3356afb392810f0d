import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { withHeapGrowth } from "../../src/app/mirror/heap-growth.ts";

const ROOM = new URL("../../src/app/mirror/heap-growth.ts", import.meta.url).href;

/**
 * In a process of its own, which begins with the smallest space: what V8 has grown before is
 * nobody's to know. What it can hold before, after few steps, while there are many, and after: the
 * pages that it has may be more for a moment, because they are released beside the program.
 */
const CHILD = `
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { withHeapGrowth } from "${ROOM}";
const size = () => {
  gc({ type: "minor" });
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  return space.space_used_size + space.space_available_size;
};
// As entry.mjs; given to Node as an option it has no effect.
setFlagsFromString("--semi-space-growth-factor=1");
// Objects that outlive some collections, as texts that wait for their commit do.
const churn = (report) => {
  let kept = [];
  for (let n = 1; n < 1_500_000; n++) {
    kept.push({ n });
    if (kept.length === 100_000) kept = kept.slice(50_000);
    if (n % 1_000 === 0) report?.(n / 1_000);
  }
};
const progress = withHeapGrowth({ report: () => undefined }, { documents: 0, staysLong: true });
churn();
const sizes = [size()];
progress.report("apply", 0, 999);
churn();
sizes.push(size());
progress.report("apply", 0, 1_500);
churn((done) => progress.report("apply", done, 1_500));
sizes.push(size());
progress.report("apply", 0, 40_000);
churn((done) => progress.report("apply", done, 40_000));
sizes.push(size());
progress.report("apply", 40_000, 40_000);
churn();
sizes.push(size());
console.log(JSON.stringify(sizes));
`;

test("I33 the space for new objects grows while many steps are carried out, to a bound, and not before or after", () => {
  const args = ["--expose-gc", "--input-type=module", "-e", CHILD];
  const sizes = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as number[];
  const [before, few, many, more, after] = sizes;
  expect(few).toBe(before);
  expect(many).toBeGreaterThan(before!);
  expect(many).toBeLessThan(5_000_000);
  expect(more).toBeGreaterThan(2 * many!);
  expect(more).toBeLessThan(16_000_000);
  expect(after).toBe(more);
});

/** The most that is in use while texts are made, each of which lives as long as 3,000 others. */
const TEXTS = `
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { withHeapGrowth } from "${ROOM}";
setFlagsFromString("--semi-space-growth-factor=1");
const progress = withHeapGrowth({ report: () => undefined }, { documents: 0, staysLong: true });
const bytes = Buffer.alloc(5_000, "text");
const most = (steps) => {
  const kept = [];
  let most = 0;
  progress.report("apply", 0, steps);
  for (let n = 1; n <= 40_000; n++) {
    kept[n % 3_000] = { n, text: bytes.toString("latin1") };
    if (n % 64 !== 0) continue;
    most = Math.max(most, getHeapStatistics().used_heap_size);
    progress.report("apply", n, 50_000);
  }
  return most;
};
console.log(JSON.stringify([most(50_000), most(999)]));
`;

test("I33 texts that were promoted before they were released are collected when they are much", () => {
  const args = ["--input-type=module", "-e", TEXTS];
  const [many, few] = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as number[];
  expect(many).toBeLessThan(60_000_000);
  expect(few).toBeGreaterThan(many!);
});

/** How often all of the heap is looked at, where much of it stays, as what a daemon knows does. */
const STAYING = `
import { GCProfiler, setFlagsFromString } from "node:v8";
import { withHeapGrowth } from "${ROOM}";
setFlagsFromString("--semi-space-growth-factor=1");
const staying = Array.from({ length: 1_000_000 }, (_, n) => ({ n, path: "folder/" + n }));
const progress = withHeapGrowth({ report: () => undefined }, { documents: 0, staysLong: true });
progress.report("apply", 0, 10_000);
const profiler = new GCProfiler();
profiler.start();
const bytes = Buffer.alloc(5_000, "text");
const kept = [];
for (let n = 1; n <= 40_000; n++) {
  kept[n % 3_000] = { n, text: bytes.toString("latin1") };
  if (n % 64 === 0) progress.report("apply", n, 50_000);
}
const whole = profiler.stop().statistics.filter(({ gcType }) => gcType === "MarkSweepCompact");
console.log(JSON.stringify({ collections: whole.length, staying: staying.length }));
`;

test("what is promoted is collected more rarely where much stays in use, since each collection looks at all of it", () => {
  const args = ["--input-type=module", "-e", STAYING];
  const { collections } = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
  expect(collections).toBeGreaterThan(0);
  expect(collections).toBeLessThan(24);
});

test("what is reported goes on as it was", () => {
  const told: unknown[] = [];
  const progress = withHeapGrowth(
    { report: (...report) => void told.push(report) },
    { documents: 0, staysLong: false },
  );
  progress.report("list", 7, null);
  progress.report("apply", 0, 3);
  progress.report("apply", 3, 3);
  expect(told).toEqual([
    ["list", 7, null],
    ["apply", 0, 3],
    ["apply", 3, 3],
  ]);
});

/**
 * How large the space is after a look, and whether V8 has the options then, and at the end, that it
 * began with.
 */
const LOOK = `
import { getHeapSpaceStatistics } from "node:v8";
import { Script } from "node:vm";
import { withHeapGrowth } from "${ROOM}";
let asked = 0;
// V8 knows a text that it has compiled, and goes by its length alone where it is given code for it.
const source = () => "globalThis.asked = " + ++asked;
const cachedData = new Script(source()).createCachedData();
const isAsItWas = () => !new Script(source(), { cachedData }).cachedDataRejected;
const use = JSON.parse(process.argv[1]);
const progress = withHeapGrowth({ report: () => undefined }, { staysLong: false, documents: use.known });
progress.report("list", use.listed, null);
progress.report("scan", use.read, null);
let kept = [];
for (let n = 1; n < 1_500_000; n++) {
  kept.push({ n });
  if (kept.length === 100_000) kept = kept.slice(50_000);
}
gc({ type: "minor" });
const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
const isSmall = space.space_used_size + space.space_available_size < 3_000_000;
const during = isAsItWas();
process.once("exit", () => console.log(JSON.stringify({ isSmall, during, after: isAsItWas() })));
`;

test.each([
  ["few are known, listed and read", { known: 1_999, listed: 1_999, read: 1_999 }, { isSmall: false, during: true }],
  ["many are known", { known: 2_000, listed: 0, read: 0 }, { isSmall: true, during: false }],
  ["many are listed", { known: 0, listed: 2_000, read: 0 }, { isSmall: true, during: false }],
  ["many are read", { known: 0, listed: 0, read: 2_000 }, { isSmall: true, during: false }],
])("where %s, V8's options and the space are so during the look, and the options usual at its end", (_, use, so) => {
  const args = ["--expose-gc", "--input-type=module", "-e", LOOK, JSON.stringify(use)];
  const told = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
  expect(told).toEqual({ ...so, after: true });
});
