import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { digestOf } from "../../src/model/digest.ts";
import { openState } from "../../src/state/open.ts";
import { PackAside, startThread } from "../../src/state/pack-aside.ts";
import { decodeText, encodeText } from "../../src/state/text-codec.ts";
import { settableClock, tempFolder } from "./fixture.ts";
import { NAME } from "./text-name.ts";

const textOf = (n: number) => `# Note ${n}\n${"å line of the note, ".repeat(10 + n)}\n`;
const textsOf = (count: number) => Array.from({ length: count }, (_, n) => textOf(n));

/** What packs aside, and the threads that it made. */
function setUp(worthIt = 1) {
  const threads: Worker[] = [];
  const aside = new PackAside(worthIt, () => {
    const thread = startThread();
    threads.push(thread);
    return thread;
  });
  onTestFinished(() => aside.close());
  const prepare = (texts: readonly string[]) => {
    for (const text of texts) aside.prepare(digestOf(text), text);
  };
  const take = (text: string) => aside.take(digestOf(text));
  return { aside, threads, prepare, take };
}

test("texts come back packed as they would be when they are put, once each", async () => {
  const { threads, prepare, take } = setUp();
  const texts = textsOf(64);
  prepare(texts);
  await once(threads[0]!, "message");
  for (const text of texts) {
    const packed = take(text)!;
    expect(packed).toEqual(encodeText(text));
    expect(decodeText(packed)).toBe(text);
    expect(take(text)).toBeNull();
  }
});

test("fewer texts than fill a batch are packed too", async () => {
  const { threads, prepare, take } = setUp();
  prepare(["short", textOf(1)]);
  await new Promise(setImmediate);
  await once(threads[0]!, "message");
  expect([take("short"), take(textOf(1))]).toEqual([encodeText("short"), encodeText(textOf(1))]);
});

test("few texts make no thread", async () => {
  const { threads, prepare, take } = setUp(10);
  prepare(textsOf(9));
  await new Promise(setImmediate);
  expect([threads, take(textOf(0))]).toEqual([[], null]);
});

test("a text that is put before it comes back is packed by whoever puts it, and waits for nobody", async () => {
  const { threads, prepare, take } = setUp();
  const texts = textsOf(64);
  prepare(texts);
  expect(take(texts[0]!)).toBeNull();
  await once(threads[0]!, "message");
  expect(take(texts[0]!)).toBeNull();
  expect(take(texts[1]!)).toEqual(encodeText(texts[1]!));
});

async function heard(thread: Worker, times: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let count = 0;
  thread.on("message", () => (++count === times ? resolve() : undefined));
  await promise;
}

const long = (n: number) => `${n}`.padEnd(3_000_000, "long ");

test("I33 what waits to be put is bounded", async () => {
  const { threads, prepare, take } = setUp();
  prepare([long(1), long(2), long(3), long(4)]);
  // Each fills a batch of its own.
  await heard(threads[0]!, 3);
  expect([1, 2, 3, 4].map((n) => take(long(n)) !== null)).toEqual([true, true, true, false]);
});

test("a thread that breaks is not needed", async () => {
  const { threads, prepare, take } = setUp();
  prepare(textsOf(64));
  const ended = once(threads[0]!, "exit");
  await threads[0]!.terminate();
  await ended;
  expect(take(textOf(0))).toBeNull();
  prepare(textsOf(128));
  await new Promise(setImmediate);
  expect([threads.length, take(textOf(1))]).toEqual([1, null]);
});

test("I30 the thread is not given the environment, where the key may be", async () => {
  process.env["MDMIRROR_API_KEY"] = "a-key-of-the-test";
  onTestFinished(() => void delete process.env["MDMIRROR_API_KEY"]);
  const telling = "import { parentPort } from 'node:worker_threads'; parentPort.postMessage(Object.keys(process.env))";
  const thread = startThread(new URL(`data:text/javascript,${encodeURIComponent(telling)}`));
  const [names] = (await once(thread, "message")) as [string[]];
  expect(names.filter((name) => name !== "NODE_COMPILE_CACHE")).toEqual([]);
});

test("I25 texts that were prepared come back byte for byte after a restart, packed aside or not", async () => {
  const folder = tempFolder();
  const texts = [...textsOf(400), "\uFEFFbom\r\n", "", "\u2028"];
  const open = () => {
    const opened = openState({ folder, clock: settableClock() });
    if (opened.kind !== "opened") throw new Error(opened.kind);
    return opened.state;
  };
  const state = open();
  for (const text of texts) state.prepareText(digestOf(text), text);
  // Some are put at once, the others when the thread had time.
  for (const text of texts.slice(0, 300)) state.putKnownText(digestOf(text), text, NAME);
  await new Promise(setImmediate);
  state.transact(() => {
    for (const text of texts.slice(300)) state.putKnownText(digestOf(text), text, NAME);
  });
  state.close();
  const again = open();
  onTestFinished(() => again.close());
  expect(texts.map((text) => again.text(digestOf(text)))).toEqual(texts);
});
