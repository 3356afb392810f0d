import type { Worker } from "node:worker_threads";
import type { Records } from "../../local/awaited-record.ts";
import { Recorded } from "../../local/recorded.ts";
import { RootGuard } from "../../local/root-guard.ts";
import { diskTime } from "../../local/walk.ts";
import type { Fs } from "../../ports/fs.ts";
import type { Random } from "../../ports/world.ts";
import type { PageVerdict } from "../../state/page-check.ts";
import type { PageCheck } from "./open-state.ts";
import type { RecordTask, Told } from "./record-worker.ts";
import { startThread } from "./thread.ts";

/** The thread holds one folder at a time, and V8 lets garbage grow towards the second limit. */
const LIMITS = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 16 } as const;
const PROGRAM = new URL(import.meta.url.endsWith(".ts") ? "./record-worker.ts" : "./record-worker.js", import.meta.url);

export function recordThread(task: RecordTask): Worker {
  return startThread(PROGRAM, { name: "record", resourceLimits: LIMITS, workerData: task });
}

/**
 * From how many documents on a thread that reads the folder is worth it: to start it takes 65 ms of
 * processor time.
 */
const WORTH_IT = 20_000;

/**
 * Begins at once, where so many documents are known; else null. ASSUMES: the folder is locked.
 * @param worthIt how many there must be; null: as many as make up for the start of a thread
 */
export function recordIfLarge(
  fs: Fs,
  task: RecordTask,
  random: Random,
  documents: number,
  worthIt: number | null,
): RecordAside | null {
  if (documents < (worthIt ?? WORTH_IT)) return null;
  return new RecordAside(diskTime(new RootGuard(fs, task.root, random)), () => recordThread(task));
}

/**
 * Reads a mirrored folder in a thread while this one opens the state and loads it: the system's
 * `lstat` of each file is a third of a sync that has nothing to do. Before that it checks the pages
 * of the state.
 */
export class RecordAside implements Records, PageCheck {
  readonly #recorded: Recorded;
  readonly #worker: Worker;
  readonly #begun = Promise.withResolvers<boolean>();
  readonly #pages = Promise.withResolvers<PageVerdict>();

  /**
   * ORDER: `diskNow` was asked before the thread is started, and the folder is locked.
   * @param diskNow the disk's own time; null: unknown
   */
  constructor(diskNow: number | null, start: () => Worker) {
    this.#recorded = new Recorded(diskNow);
    this.#recorded.begin();
    this.#worker = start();
    this.#worker.on("message", (told: Told) => this.#take(told));
    this.#worker.once("error", () => this.#giveUp());
    this.#worker.once("exit", () => this.#giveUp());
  }

  #take(told: Told): void {
    if (told.kind === "pages") this.#pages.resolve(told.verdict);
    else if (told.kind === "end") this.#recorded.end();
    else {
      this.#recorded.add(told.portion);
      this.#begun.resolve(true);
    }
  }

  /** Whoever waits does all by itself then, and meets what the thread met. */
  #giveUp(): void {
    this.#pages.resolve("unknown");
    this.#begun.resolve(false);
    this.#recorded.end();
  }

  /** ASSUMES: the thread was told to check them. */
  pages(): Promise<PageVerdict> {
    return this.#pages.promise;
  }

  async take(): Promise<Recorded | null> {
    return (await this.#begun.promise) ? this.#recorded : null;
  }

  close(): void {
    void this.#worker.terminate();
  }
}
