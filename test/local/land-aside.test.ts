import { once } from "node:events";
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { LandAside, LANDING } from "../../src/local/land-aside.ts";
import { stampOf } from "../../src/local/stamp.ts";
import { createNodeFs } from "../../src/local/node-fs.ts";
import type { NewFile } from "../../src/ports/disk.ts";
import { createNodeBench } from "../simulator/fs-bench.ts";
import { mirrorOn } from "./benches.ts";

/** A mirrored folder whose new files are made in a thread from the second burst on. */
function setUp(worthIt = 2) {
  const bench = createNodeBench();
  const threads: Worker[] = [];
  const aside = new LandAside(() => {
    const thread = new Worker(LANDING.program, { resourceLimits: LANDING.resourceLimits, workerData: bench.root });
    threads.push(thread);
    return thread;
  }, worthIt);
  onTestFinished(() => aside.close());
  const { disk, at } = mirrorOn(bench, { aside });
  const make = async (...files: NewFile[]) => await disk.createAll(files);
  return { disk, at, threads, make, first: () => make({ path: "first.md", text: "first" }) };
}

const done = (path: string) => ({ kind: "done", value: { stamp: stampOf(createNodeFs().lstat(path)) } });

test("files that a thread makes are as those that are made here, and nothing is left beside them", async () => {
  const { at, threads, make, first } = setUp();
  expect([await first(), threads.length]).toEqual([[done(at("first.md"))], 0]);
  mkdirSync(at("a"));
  const made = await make({ path: "a/b.md", text: "\ufeffone\r\n\u2028" }, { path: "c.md", text: "" });
  expect([made, threads.length]).toEqual([[done(at("a/b.md")), done(at("c.md"))], 1]);
  expect(readFileSync(at("a/b.md"), "utf8")).toBe("\ufeffone\r\n\u2028");
  expect(readdirSync(at(".mdmirror/tmp"))).toEqual([]);
});

test("I14 what is at a path by then stays, and the other files of the burst are made", async () => {
  const { at, make, first } = setUp();
  await first();
  const made = await make(
    { path: "first.md", text: "other" },
    { path: "no/b.md", text: "b" },
    { path: "c.md", text: "c" },
  );
  expect(made.map(({ kind }) => kind)).toEqual(["stale", "stale", "done"]);
  expect([readFileSync(at("first.md"), "utf8"), readdirSync(at(".mdmirror/tmp"))]).toEqual(["first", []]);
});

test("a text that has no bytes is a fault, as it is here", async () => {
  const { make, first } = setUp();
  await first();
  expect(await make({ path: "a.md", text: "\ud800" })).toMatchObject([{ kind: "fault", errno: "EILSEQ" }]);
});

test("I26 a thread makes nothing behind a symbolic link, nor in another folder that is at the root's path", async () => {
  const { at, make, first } = setUp();
  await first();
  const outside = createNodeBench().root;
  symlinkSync(outside, at("link"));
  expect(await make({ path: "link/a.md", text: "a" })).toMatchObject([{ kind: "stale" }]);
  const root = at("");
  renameSync(root, `${root}-moved`);
  mkdirSync(join(root, ".mdmirror/tmp"), { recursive: true });
  expect(await make({ path: "b.md", text: "b" })).toMatchObject([{ kind: "stale" }]);
  expect([readdirSync(outside), readdirSync(root)]).toEqual([[], [".mdmirror"]]);
});

test("few files make no thread", async () => {
  const { at, threads, make } = setUp(10);
  await make(...Array.from({ length: 9 }, (_, n) => ({ path: `${n}.md`, text: String(n) })));
  expect([threads, lstatSync(at("8.md")).size]).toEqual([[], 1]);
});

test("of a thread that ended it is not known what it made, and from then on files are made here", async () => {
  const { at, threads, make, first } = setUp();
  await first();
  await make({ path: "a.md", text: "a" });
  const ended = once(threads[0]!, "exit");
  const waiting = make({ path: "b.md", text: "b" });
  await threads[0]!.terminate();
  await ended;
  expect((await waiting)[0]!.kind).toMatch(/stale|done/);
  expect(await make({ path: "c.md", text: "c" })).toEqual([done(at("c.md"))]);
  expect(threads.length).toBe(1);
});
