import type { Worker } from "node:worker_threads";
import type { Digest } from "../model/digest.ts";
import type { PackedBatch } from "./pack-worker.ts";
import type { StoredText } from "./text-codec.ts";

/**
 * Packs texts that are to be put soon in a thread of its own, while they wait for their
 * transaction.
 */
export type PackAside = {
  /** Nothing is promised of it: what is not packed when it is put, is packed then. */
  prepare(digest: Digest, text: string): void;
  /** What was packed of a text, once; null where there is nothing. */
  take(digest: Digest): StoredText | null;
  close(): void;
};

/**
 * A thread takes 50 ms of processor time and some megabytes: fewer texts are packed sooner without.
 */
const WORTH_IT = 256;
/** Texts that travel together. */
const BATCH = 64;
/**
 * LIMIT: characters of the texts that are asked for and not put yet; what comes on top is packed
 * when it is put.
 */
const MOST_WAITING = 8_000_000;
/** A thread that had nothing to do for so long, in milliseconds, is ended. */
const IDLE_MS = 5_000;

const LIMITS = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 } as const;

/** `packed` null: on its way. */
type Asked = { readonly characters: number; packed: StoredText | null };
type Thread = { readonly worker: Worker; readonly sent: (readonly Digest[])[]; idle: NodeJS.Timeout | null };
type Batch = { readonly digests: Digest[]; readonly texts: string[] };

const PROGRAM = new URL(import.meta.url.endsWith(".ts") ? "./pack-worker.ts" : "./pack-worker.js", import.meta.url);

/** @param program what it runs */
export function startThread(program = PROGRAM): Worker {
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  // The key may be in the environment (I30), and what Node was told in its options is not for this
  // thread.
  return new Worker(program, { env: {}, execArgv: [], name: "pack", resourceLimits: LIMITS });
}

/** @param worthIt texts that are asked for before a thread is made */
export function packAside(worthIt = WORTH_IT, makeThread: () => Worker = () => startThread()): PackAside {
  const asked = new Map<Digest, Asked>();
  let count = 0;
  let waiting = 0;
  let batch: Batch = { digests: [], texts: [] };
  let thread: Thread | null = null;
  let closed = false;

  /** What was asked for is forgotten: it is packed when it is put. */
  function end(): void {
    const ending = thread;
    thread = null;
    if (ending?.idle) clearTimeout(ending.idle);
    asked.clear();
    waiting = 0;
    batch = { digests: [], texts: [] };
    void ending?.worker.terminate();
  }

  function start(): Thread {
    const worker = makeThread();
    worker.unref();
    const made: Thread = { worker, sent: [], idle: null };
    worker.on("message", (packed: PackedBatch) => {
      keep(made.sent.shift() ?? [], packed);
      if (made.sent.length === 0) made.idle = setTimeout(end, IDLE_MS).unref();
    });
    // It broke: from here on each text is packed when it is put.
    const broken = () => {
      if (thread !== made) return;
      closed = true;
      end();
    };
    worker.once("error", broken);
    worker.once("exit", broken);
    return made;
  }

  function keep(digests: readonly Digest[], { bytes, ends, codecs, sizes }: PackedBatch): void {
    for (const [n, digest] of digests.entries()) {
      const one = asked.get(digest);
      if (one === undefined) continue;
      const begin = ends[n - 1] ?? 0;
      one.packed = { codec: codecs[n]!, size: sizes[n]!, bytes: Buffer.from(bytes, begin, ends[n]! - begin) };
    }
  }

  function send(): void {
    const { digests, texts } = batch;
    if (digests.length === 0 || closed) return;
    batch = { digests: [], texts: [] };
    thread ??= start();
    if (thread.idle !== null) clearTimeout(thread.idle);
    thread.idle = null;
    thread.sent.push(digests);
    thread.worker.postMessage(texts);
  }

  return {
    prepare(digest, text) {
      if (closed || ++count < worthIt || asked.has(digest) || waiting >= MOST_WAITING) return;
      asked.set(digest, { characters: text.length, packed: null });
      waiting += text.length;
      batch.digests.push(digest);
      batch.texts.push(text);
      if (batch.digests.length >= BATCH) send();
      else if (batch.digests.length === 1) setImmediate(send).unref();
    },
    take(digest) {
      const one = asked.get(digest);
      if (one === undefined) return null;
      asked.delete(digest);
      waiting -= one.characters;
      return one.packed;
    },
    close() {
      closed = true;
      end();
    },
  };
}
