import type { PackedText } from "../../src/contract/packed-text.ts";
import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { AsideThread, makeThread } from "../../src/app/mirror/aside-thread.ts";
import { PackAside } from "../../src/app/mirror/pack-aside.ts";
import { startThread } from "../../src/app/mirror/thread.ts";
import { encodeText } from "../../src/state/text-codec.ts";
import { createNodeBench } from "../simulator/fs-bench.ts";

/** A packer whose thread is made with the second text. */
function setUp({ worthIt = 2, start = makeThread } = {}) {
  const { root } = createNodeBench();
  const threads: Worker[] = [];
  const thread = new AsideThread(() => {
    threads.push(start(root));
    return threads.at(-1)!;
  });
  onTestFinished(() => thread.close());
  const packer = new PackAside(thread, worthIt);
  const packed = new Map<string, string | PackedText>();
  const put = (...texts: string[]) => texts.map((text) => packer.put(text, (done) => packed.set(text, done)));
  return { packer, packed, put, threads };
}

const line = (n: number) => `${"å 漢 \u{1f600} line, ".repeat(n)}\r\n`;

test("I25 texts come back packed as they would be when they are put, batch after batch in the same memory", async () => {
  const { packer, packed, put, threads } = setUp();
  expect([put("the first is packed by its caller"), threads.length]).toEqual([[false], 0]);
  for (const sizes of [[30, 0, 900], [2, 500], [7]]) {
    const texts = sizes.map(line);
    packed.clear();
    expect(put(...texts)).toEqual(texts.map(() => true));
    expect(packed.size).toBe(0);
    await packer.end();
    expect([...packed]).toEqual(texts.map((text) => [text, encodeText(text)]));
  }
  expect(threads.length).toBe(1);
});

test("few texts make no thread", async () => {
  const { packer, put, threads } = setUp({ worthIt: 4 });
  expect(put("a", "b", "c")).toEqual([false, false, false]);
  await packer.end();
  expect(threads).toEqual([]);
});

test("I33 a thread that is behind is given no more, nor a text that exceeds a batch", async () => {
  const { packer, packed, put } = setUp();
  put("first");
  const texts = Array.from({ length: 9_000 }, (_, n) => `${n} ${line(30)}`);
  const taken = put(...texts);
  // Until it has answered, it loads its modules, and has one batch.
  expect(taken.indexOf(false)).toBeGreaterThan(100);
  expect(taken.slice(taken.indexOf(false))).not.toContain(true);
  await packer.end();
  expect(packed.size).toBe(taken.indexOf(false));
  const again = put(...texts.map((text) => `${text} again`));
  expect(again.filter(Boolean).length).toBeGreaterThan(4 * packed.size);
  expect(again.filter(Boolean).length).toBeLessThan(again.length);
  await packer.end();
  expect(put(line(20_000))).toEqual([false]);
});

test("I03 of a thread that ended the texts come back as they were; then they are packed by their caller", async () => {
  const { packer, packed, put, threads } = setUp();
  put("first", "packed");
  await packer.end();
  put("b\u00e9", "c");
  const ended = once(threads[0]!, "exit");
  await threads[0]!.terminate();
  await ended;
  await packer.end();
  expect([...packed].slice(1)).toEqual([
    ["b\u00e9", "b\u00e9"],
    ["c", "c"],
  ]);
  expect([put("d"), threads.length]).toEqual([[false], 1]);
});

test("I03 what a thread throws is thrown at the end, once, and its texts come back", async () => {
  const throwing =
    "import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => { throw Error('bug') })";
  const program = new URL(`data:text/javascript,${encodeURIComponent(throwing)}`);
  const { packer, packed, put } = setUp({ start: () => startThread(program) });
  put("first", "a");
  await expect(packer.end()).rejects.toThrow("bug");
  expect([...packed]).toEqual([["a", "a"]]);
  await packer.end();
});
