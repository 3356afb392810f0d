import type { Worker, WorkerOptions } from "node:worker_threads";
import type { Digest } from "../model/digest.ts";
import type { PackedBatch } from "./pack-worker.ts";
import type { StoredText } from "./text-codec.ts";

/**
 * From how many texts on a thread is worth it: it takes 50 ms of processor time and some megabytes.
 */
const WORTH_IT = 256;
/** Most texts that are sent to the thread at once, and their characters, but for the last one's. */
const BATCH = { texts: 64, characters: 400_000 } as const;
/**
 * LIMIT: characters of texts that were announced and not put yet; beyond that a text is packed when
 * it is put.
 */
const MOST_WAITING = 8_000_000;
/** How long a thread without work is kept, in milliseconds. */
const IDLE_MS = 5_000;

/** V8 lets garbage grow towards the second limit; a batch with its copies needs some of it. */
const LIMITS = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 16 } as const;

/** `packed` null: the thread has not answered yet. */
type Asked = { readonly characters: number; packed: StoredText | null };
type Thread = { readonly worker: Worker; readonly sent: (readonly Digest[])[]; idle: NodeJS.Timeout | null };
type Batch = { readonly digests: Digest[]; readonly texts: string[]; characters: number };

const PROGRAM = new URL(import.meta.url.endsWith(".ts") ? "./pack-worker.ts" : "./pack-worker.js", import.meta.url);

/** @param program the file that the thread runs */
export function startThread(
  program = PROGRAM,
  options: Pick<WorkerOptions, "name" | "resourceLimits" | "workerData"> = { name: "pack", resourceLimits: LIMITS },
): Worker {
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  // The key may be in the environment (I30), and what Node was told in its options is not for this
  // thread.
  return new Worker(program, { ...options, env: compiledHere(), execArgv: [] });
}

/**
 * Where the process keeps compiled sources, for its threads: else each strips the types of its own
 * modules from a checkout, for which Node loads 30 MB.
 */
function compiledHere(): Record<string, string> {
  const kept = process.getBuiltinModule("node:module").getCompileCacheDir();
  if (kept === undefined) return {};
  // Each version of Node has a folder of its own in the one that it is told.
  return { NODE_COMPILE_CACHE: process.getBuiltinModule("node:path").dirname(kept) };
}

/** Packs texts that will be put soon in a thread, while they wait for their transaction. */
export class PackAside {
  readonly #worthIt: number;
  readonly #makeThread: () => Worker;
  readonly #asked = new Map<Digest, Asked>();
  #count = 0;
  #waitingCharacters = 0;
  #batch: Batch = { digests: [], texts: [], characters: 0 };
  #thread: Thread | null = null;
  #closed = false;

  /** @param worthIt how many texts must be announced before a thread is made */
  constructor(worthIt = WORTH_IT, makeThread: () => Worker = () => startThread()) {
    this.#worthIt = worthIt;
    this.#makeThread = makeThread;
  }

  /** Announces a text. If it is not packed when it is put, it is packed then. */
  prepare(digest: Digest, text: string): void {
    if (this.#closed || ++this.#count < this.#worthIt) return;
    if (this.#asked.has(digest) || this.#waitingCharacters >= MOST_WAITING) return;
    this.#asked.set(digest, { characters: text.length, packed: null });
    this.#waitingCharacters += text.length;
    this.#batch.digests.push(digest);
    this.#batch.texts.push(text);
    this.#batch.characters += text.length;
    const { digests, characters } = this.#batch;
    if (digests.length >= BATCH.texts || characters >= BATCH.characters) this.#send();
    else if (digests.length === 1) setImmediate(() => this.#send()).unref();
  }

  /** Takes the packed text, once; null where there is none. */
  take(digest: Digest): StoredText | null {
    const asked = this.#asked.get(digest);
    if (asked === undefined) return null;
    this.#asked.delete(digest);
    this.#waitingCharacters -= asked.characters;
    return asked.packed;
  }

  close(): void {
    this.#closed = true;
    this.#end();
  }

  /** Forgets what was announced: it is packed when it is put. */
  #end(): void {
    const ending = this.#thread;
    this.#thread = null;
    if (ending?.idle) clearTimeout(ending.idle);
    this.#asked.clear();
    this.#waitingCharacters = 0;
    this.#batch = { digests: [], texts: [], characters: 0 };
    void ending?.worker.terminate();
  }

  #start(): Thread {
    const worker = this.#makeThread();
    worker.unref();
    const made: Thread = { worker, sent: [], idle: null };
    worker.on("message", (packed: PackedBatch) => {
      this.#keep(made.sent.shift() ?? [], packed);
      if (made.sent.length === 0) made.idle = setTimeout(() => this.#end(), IDLE_MS).unref();
    });
    worker.once("error", () => this.#giveUp(made));
    worker.once("exit", () => this.#giveUp(made));
    return made;
  }

  /** The thread failed: from now on each text is packed when it is put. */
  #giveUp(broken: Thread): void {
    if (this.#thread === broken) this.close();
  }

  #keep(digests: readonly Digest[], { bytes, ends, codecs, sizes }: PackedBatch): void {
    for (const [n, digest] of digests.entries()) {
      const asked = this.#asked.get(digest);
      if (asked === undefined) continue;
      const begin = ends[n - 1] ?? 0;
      asked.packed = { codec: codecs[n]!, size: sizes[n]!, bytes: Buffer.from(bytes, begin, ends[n]! - begin) };
    }
  }

  #send(): void {
    const { digests, texts } = this.#batch;
    if (digests.length === 0 || this.#closed) return;
    this.#batch = { digests: [], texts: [], characters: 0 };
    this.#thread ??= this.#start();
    if (this.#thread.idle !== null) clearTimeout(this.#thread.idle);
    this.#thread.idle = null;
    this.#thread.sent.push(digests);
    this.#thread.worker.postMessage(texts);
  }
}
