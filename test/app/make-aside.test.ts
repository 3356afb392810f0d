import { once } from "node:events";
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { AsideThread, makeThread } from "../../src/app/mirror/aside-thread.ts";
import { MakeAside } from "../../src/app/mirror/make-aside.ts";
import { startThread } from "../../src/app/mirror/thread.ts";
import { createNodeFs } from "../../src/local/node-fs.ts";
import { stampOf } from "../../src/local/stamp.ts";
import type { MadeFile, NewFile } from "../../src/ports/disk.ts";
import { decodeText, encodeText, encodeText as packed } from "../../src/state/text-codec.ts";
import { digestOf } from "../../src/model/digest.ts";
import { mirrorOn } from "../local/benches.ts";
import { createNodeBench } from "../simulator/fs-bench.ts";

/** A mirrored folder whose new files are made in a thread from the second burst on. */
function setUp(worthIt = 2) {
  const bench = createNodeBench();
  const threads: Worker[] = [];
  const thread = new AsideThread(() => {
    const worker = makeThread(bench.root);
    threads.push(worker);
    return worker;
  });
  onTestFinished(() => thread.close());
  const { disk, at } = mirrorOn(bench, { aside: new MakeAside(thread, () => undefined, worthIt) });
  const make = async (...files: NewFile[]) => await disk.createAll(files);
  return { disk, at, threads, make, first: () => make({ path: "first.md", text: "first" }) };
}

const done = (path: string) => ({ kind: "done", value: { stamp: stampOf(createNodeFs().lstat(path)) } });
const kindsOf = (made: readonly MadeFile[]) => made.map(({ end }) => end.kind);
const textOf = ({ text }: Pick<MadeFile, "text">) => (typeof text === "string" ? text : decodeText(text));

test("files that a thread makes are as those that are made here, and nothing is left beside them", async () => {
  const { at, threads, make, first } = setUp();
  expect([await first(), threads.length]).toEqual([[{ end: done(at("first.md")), text: "first", digest: null }], 0]);
  mkdirSync(at("a"));
  const text = "\ufeffone\r\n\u2028";
  const made = await make({ path: "a/b.md", text }, { path: "c.md", text: "" });
  expect([made.map(({ end }) => end), threads.length]).toEqual([[done(at("a/b.md")), done(at("c.md"))], 1]);
  expect([readFileSync(at("a/b.md"), "utf8"), readFileSync(at("c.md"), "utf8")]).toEqual([text, ""]);
  expect(readdirSync(at(".mdmirror/tmp"))).toEqual([]);
});

test("a thread that is expected is there before the first file, and makes it", async () => {
  const { disk, at, threads, make } = setUp(1_000);
  disk.expectMany();
  expect(threads.length).toBe(1);
  const [made] = await make({ path: "a.md", text: "one" });
  expect([made!.end, threads.length]).toEqual([done(at("a.md")), 1]);
  expect(typeof made!.text).toBe("object");
});

test("I25 each text comes back packed as it would be when it is put, burst after burst in the same memory", async () => {
  const { at, make, first } = setUp();
  await first();
  const line = (n: number) => `${"å 漢 \u{1f600} line, ".repeat(n)}\r\n`;
  for (const sizes of [[30, 0, 900], [2, 500], [40_000, 1], [7]]) {
    const files = sizes.map((n) => ({ path: `${sizes.length}-${n}.md`, text: n === 0 ? "" : line(n) }));
    const made = await make(...files);
    expect(made.map(({ text }) => text)).toEqual(files.map(({ text }) => encodeText(text)));
    for (const { path, text } of files) expect(readFileSync(at(path), "utf8")).toBe(text);
  }
});

test("I25 a text that comes packed is made a file, and comes back as it came, with its digest", async () => {
  const { disk, at, make, first } = setUp();
  await first();
  expect(disk.takesPacked?.()).toBe(false);
  disk.expectMany();
  expect(disk.takesPacked?.()).toBe(true);
  const texts = [40, 900, 2_000].map((n) => `\ufeff${"å 漢 \u{1f600} line, ".repeat(n)}\r\n`);
  const files = texts.map((text, n) => ({ path: `${n}.md`, text: packed(text) }));
  for (let burst = 0; burst < 3; burst++) {
    const sent = files.map(({ path, text }) => ({ path: `${burst}-${path}`, text }));
    const made = await make(...sent, { path: `${burst}-plain.md`, text: "plain" });
    expect(made.map(({ end }) => end)).toEqual([
      ...sent.map(({ path }) => done(at(path))),
      done(at(`${burst}-plain.md`)),
    ]);
    expect(made.map(({ text, digest }) => [textOf({ text }), digest])).toEqual([
      ...texts.map((text) => [text, digestOf(text)]),
      ["plain", null],
    ]);
    expect(sent.map(({ path }) => readFileSync(at(path), "utf8"))).toEqual(texts);
  }
});

test("I05 a packed text that is damaged makes no file, and the others of its burst are made", async () => {
  const { at, make, first } = setUp();
  await first();
  const good = packed("good, ".repeat(400));
  const bytes = Buffer.from(good.bytes);
  bytes[20]! ^= 0xff;
  const longer = { ...good, size: good.size + 1 };
  const made = await make(
    { path: "a.md", text: { ...good, bytes } },
    { path: "b.md", text: longer },
    { path: "c.md", text: good },
  );
  expect(made.map(({ end, digest }) => [end.kind, digest])).toEqual([
    ["stale", null],
    ["stale", null],
    ["done", digestOf("good, ".repeat(400))],
  ]);
  expect(readdirSync(at("")).filter((name) => name.endsWith(".md"))).toEqual(["c.md", "first.md"]);
});

test("I03 a packed text comes back from a thread that ended, and is made here once there is none", async () => {
  const { disk, at, threads, make, first } = setUp();
  await first();
  await make({ path: "a.md", text: "a" });
  const text = "text, ".repeat(400);
  const ended = once(threads[0]!, "exit");
  const waiting = make({ path: "b.md", text: packed(text) });
  await threads[0]!.terminate();
  await ended;
  const [made] = await waiting;
  expect([textOf(made!), made!.end.kind]).toEqual([text, expect.stringMatching(/stale|done/)]);
  expect(disk.takesPacked?.()).toBe(false);
  const [here] = await make({ path: "c.md", text: packed(text) });
  expect([here!.end, here!.digest, textOf(here!)]).toEqual([done(at("c.md")), digestOf(text), text]);
  const [damaged] = await make({ path: "d.md", text: { ...packed(text), size: 9_999 } });
  expect([damaged!.end.kind, damaged!.digest]).toEqual(["stale", null]);
});

test("bursts that wait at the same time keep their own texts", async () => {
  const { make, first } = setUp();
  await first();
  const files = Array.from({ length: 30 }, (_, n) => ({ path: `${n}.md`, text: `text ${n} `.repeat(n * 9) }));
  const made = await Promise.all(files.map((file) => make(file)));
  expect(made.flat().map(textOf)).toEqual(files.map(({ text }) => text));
});

test("I14 what is at a path by then stays, the other files of the burst are made, and no text is lost", async () => {
  const { at, make, first } = setUp();
  await first();
  const made = await make(
    { path: "first.md", text: "other" },
    { path: "no/b.md", text: "b" },
    { path: "c.md", text: "c" },
  );
  expect([kindsOf(made), made.map(textOf)]).toEqual([
    ["stale", "stale", "done"],
    ["other", "b", "c"],
  ]);
  expect([readFileSync(at("first.md"), "utf8"), readdirSync(at(".mdmirror/tmp"))]).toEqual(["first", []]);
});

test("a text that has no bytes is a fault, as it is here", async () => {
  const { make, first } = setUp();
  await first();
  expect(await make({ path: "a.md", text: "\ud800" })).toMatchObject([{ end: { kind: "fault", errno: "EILSEQ" } }]);
});

test("I26 a thread makes nothing behind a symbolic link, nor in another folder that is at the root's path", async () => {
  const { at, make, first } = setUp();
  await first();
  const outside = createNodeBench().root;
  symlinkSync(outside, at("link"));
  expect(kindsOf(await make({ path: "link/a.md", text: "a" }))).toEqual(["stale"]);
  const root = at("");
  renameSync(root, `${root}-moved`);
  mkdirSync(join(root, ".mdmirror/tmp"), { recursive: true });
  expect(kindsOf(await make({ path: "b.md", text: "b" }))).toEqual(["stale"]);
  expect([readdirSync(outside), readdirSync(root)]).toEqual([[], [".mdmirror"]]);
});

test("few files make no thread", async () => {
  const { at, threads, make } = setUp(10);
  await make(...Array.from({ length: 9 }, (_, n) => ({ path: `${n}.md`, text: String(n) })));
  expect([threads, lstatSync(at("8.md")).size]).toEqual([[], 1]);
});

test("I03 of a thread that ended it is not known what it made; the texts come back, and files are made here", async () => {
  const { at, threads, make, first } = setUp();
  await first();
  await make({ path: "a.md", text: "a" });
  const ended = once(threads[0]!, "exit");
  const waiting = make({ path: "b.md", text: "b\u00e9" });
  await threads[0]!.terminate();
  await ended;
  const made = (await waiting)[0]!;
  expect([made.end.kind, textOf(made)]).toEqual([expect.stringMatching(/stale|done/), "b\u00e9"]);
  expect(await make({ path: "c.md", text: "c" })).toEqual([{ end: done(at("c.md")), text: "c", digest: null }]);
  expect(threads.length).toBe(1);
});

test("I30 the thread is not given the environment, where the key may be", async () => {
  process.env["MDMIRROR_API_KEY"] = "a-key-of-the-test";
  onTestFinished(() => void delete process.env["MDMIRROR_API_KEY"]);
  const telling = "import { parentPort } from 'node:worker_threads'; parentPort.postMessage(Object.keys(process.env))";
  const thread = startThread(new URL(`data:text/javascript,${encodeURIComponent(telling)}`));
  const [names] = (await once(thread, "message")) as [string[]];
  expect(names.filter((name) => name !== "NODE_COMPILE_CACHE")).toEqual([]);
});
