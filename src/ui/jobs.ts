/**
 * Work that takes longer than a request: jobs, searches, scans for stopped changes. Drafts are
 * stored in this module too.
 */

import type { CurrentTraffic } from "../mirror/daemon/control/protocol.ts";
import { ActiveEffects } from "../mirror/daemon/traffic.ts";
import { describeError } from "../mirror/folder/disk-trouble.ts";
import type { MirrorStatus } from "../mirror/folder/status.ts";
import { readStop, type StopPlan } from "../mirror/operations/manual/answer-stop.ts";
import { PHASE_WORDS } from "../mirror/operations/results/actions.ts";
import type { Progress } from "../mirror/ports/world.ts";
import type { BoundedMap } from "../common/bounded-map.ts";
import type { Clock } from "../common/clock.ts";
import type { Result, Trouble } from "../common/trouble.ts";
import type { Notice } from "../page/layout.ts";
import { makeTroubleNotice } from "./messages.ts";

/** Work that an action started and that continues after the request. At most one per folder. */
export type JobView = {
  /** Name of the job, such as `Syncing`. */
  readonly what: string;
  /** Current work of the job, in the words that a terminal shows; null before the first report. */
  readonly phase: string | null;
  readonly done: number;
  /**
   * Amount of work, in the unit of `done`; null while unknown. When `phase` changes, `done` and
   * `total` start again.
   */
  readonly total: number | null;
  readonly traffic: CurrentTraffic | null;
  /** Result; null while the job runs. */
  readonly end: Notice | null;
};

type JobsContext = {
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
};

/** Milliseconds for which pages show the result of a job. A result with *Undo* is shown longer. */
const RESULT_MS = { normal: 10_000, undo: 60_000 } as const;

/** The newest job of a folder. `time`: time of the job's last change, in monotonic milliseconds. */
type KeptJob = {
  readonly job: Omit<JobView, "traffic">;
  readonly traffic: ActiveEffects;
  readonly time: number;
  readonly ended: Promise<void>;
};

/** Work of a job. Returns the notice that pages show when the job has ended. */
export type JobWork = (progress: Progress) => Promise<Notice>;

export class Jobs {
  readonly #world: JobsContext;
  readonly #byRoot = new Map<string, KeptJob>();
  readonly #active = new Set<Promise<void>>();
  #ended = 0;

  constructor(world: JobsContext) {
    this.#world = world;
  }

  of(root: string): JobView | null {
    const keptJob = this.#byRoot.get(root);
    if (keptJob === undefined) return null;
    const { end } = keptJob.job;
    const shownMs = end?.undo === undefined ? RESULT_MS.normal : RESULT_MS.undo;
    if (end !== null && this.#world.clock.monotonic() - keptJob.time > shownMs) return null;
    return { ...keptJob.job, traffic: keptJob.traffic.now() };
  }

  get ended(): number {
    return this.#ended;
  }

  isBusy(root: string): boolean {
    return this.of(root)?.end === null;
  }

  /** Starts a job. Returns false, and starts nothing, if another job runs in this folder. */
  start(root: string, what: string, work: JobWork): boolean {
    if (this.isBusy(root)) return false;
    const { clock, onFault } = this.#world;
    const job = { what, phase: null, done: 0, total: null, end: null };
    const traffic = new ActiveEffects();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const setJob = (shown: KeptJob["job"]) =>
      this.#byRoot.set(root, { job: shown, traffic, time: clock.monotonic(), ended });
    setJob(job);
    const progress: Progress = {
      report: (phase, done, total) => {
        traffic.report(phase, done, total);
        setJob({ ...job, phase: PHASE_WORDS[phase], done, total });
      },
      step: (action, has) => traffic.step(action, has),
    };
    const result = work(progress).catch((error: unknown) => makeTroubleNotice(toPageTrouble(error, onFault)));
    void result.then((notice) => {
      this.#ended++;
      setJob({ ...job, end: { ...notice, id: `${clock.now()}-${this.#ended}` } });
      end();
    });
    this.track(ended);
    return true;
  }

  /** Starts a job as soon as no other job runs in this folder. */
  startNext(root: string, what: string, work: JobWork): void {
    const startWhenFree = async (): Promise<void> => {
      while (!this.start(root, what, work)) await this.#byRoot.get(root)!.ended;
    };
    this.track(startWhenFree());
  }

  /** Registers work that must end before `idle` resolves. `work` must not reject. */
  track(work: Promise<void>): void {
    this.#active.add(work);
    void work.then(() => this.#active.delete(work));
  }

  async idle(): Promise<void> {
    while (this.#active.size > 0) await Promise.all(this.#active);
  }
}

export const FAULT_TROUBLE: Trouble = {
  kind: "fault",
  what: "an error in mdmirror itself",
  next: "nothing is lost; the terminal where mdmirror ui runs says more",
};

/** Converts an exception to an error for pages. Reports a bug in mdmirror to `onFault`. */
export function toPageTrouble(error: unknown, onFault: (error: unknown) => void): Trouble {
  const trouble = describeError(error);
  if (trouble === null) onFault(error);
  return trouble ?? FAULT_TROUBLE;
}

/**
 * Drafts in memory, by key. A draft about a document has a key from `toDraftKey` or `toChoicesKey`;
 * changed settings have a random key.
 */
export type Drafts = BoundedMap<string, string>;

export function toDraftKey(root: string, path: string): string {
  return `${root}\0${path}`;
}

/** Returns the key for a draft with the user's choices in a conflict. */
export function toChoicesKey(root: string, path: string): string {
  return `${toDraftKey(root, path)}\0choices`;
}

/**
 * State of the scan that finds the stopped changes. `seen`: result of the last finished scan; null
 * before a scan has ended.
 */
export type StopReading = {
  readonly isScanning: boolean;
  readonly seen: { readonly scannedAt: number; readonly result: Result<StopPlan> } | null;
};

type StopScansContext = Parameters<typeof readStop>[1] & {
  readonly jobs: Jobs;
  readonly onFault: (error: unknown) => void;
};

/**
 * Finds the changes that a safety check stopped. A scan of both sides takes too long for a page, so
 * a page starts a scan and shows the result of the last scan. Each sync makes the result outdated.
 */
export class StopScans {
  readonly #world: StopScansContext;
  /**
   * Results of scans, by the path of the linked folder. `key`: stop and last run at the start of
   * the scan. If the key no longer fits the folder, the result is outdated.
   */
  readonly #kept = new Map<string, StopReading & { readonly key: string }>();

  constructor(world: StopScansContext) {
    this.#world = world;
  }

  /** Returns the newest result for a stopped folder. Starts a scan if the folder has changed. */
  of(root: string, { safetyStop, lastRun }: Pick<MirrorStatus, "safetyStop" | "lastRun">): StopReading {
    const stateKey = JSON.stringify([safetyStop, lastRun]);
    const lastReading = this.#kept.get(root);
    if (lastReading !== undefined && (lastReading.key === stateKey || lastReading.isScanning)) return lastReading;
    const reading = { key: stateKey, isScanning: true, seen: lastReading?.seen ?? null };
    this.#kept.set(root, reading);
    this.#world.jobs.track(this.#scan(root));
    return reading;
  }

  /** Returns the number of files that a rejection would restore, by the last scan. */
  filesBack(root: string): number {
    const result = this.#kept.get(root)?.seen?.result;
    return result?.kind === "ok" ? result.value.back.filter(({ kind }) => kind === "file-back").length : 0;
  }

  /** Marks the result for a folder as outdated, so that the next page starts a new scan. */
  forget(root: string): void {
    const keptReading = this.#kept.get(root);
    if (keptReading !== undefined) this.#kept.set(root, { ...keptReading, key: "" });
  }

  async #scan(root: string): Promise<void> {
    const { clock, onFault } = this.#world;
    const result = await readStop(root, this.#world).catch(
      (error: unknown) => ({ kind: "trouble", trouble: toPageTrouble(error, onFault) }) as const,
    );
    this.#kept.set(root, { ...this.#kept.get(root)!, isScanning: false, seen: { scannedAt: clock.now(), result } });
  }
}

/** LIMIT: milliseconds that a page waits for a search, so that the page opens soon. */
const SEARCH_WAIT_MS = 1_000;

/**
 * Runs the searches of pages. The first search of a folder reads all documents, and a page does not
 * wait that long. The search then continues, and later searches find a complete index.
 */
export class PageSearches {
  readonly #clock: Clock;
  readonly #jobs: Jobs;
  readonly #running = new Map<string, Promise<void>>();

  constructor({ clock, jobs }: { readonly clock: Clock; readonly jobs: Jobs }) {
    this.#clock = clock;
    this.#jobs = jobs;
  }

  /** Returns the result of a search; null if the search takes longer than a page waits. */
  async answer<T>(root: string, search: () => Promise<T>): Promise<T | null> {
    const answerController = new AbortController();
    const timeout = this.#clock.sleep(SEARCH_WAIT_MS, answerController.signal).then(() => null);
    try {
      const runningSearch = this.#running.get(root);
      if (runningSearch !== undefined && (await Promise.race([runningSearch, timeout])) === null) return null;
      const searchResult = search();
      this.#keep(root, searchResult);
      return await Promise.race([searchResult, timeout]);
    } finally {
      answerController.abort();
    }
  }

  #keep(root: string, found: Promise<unknown>): void {
    const searchEnd = found.then(
      () => undefined,
      () => undefined,
    );
    this.#running.set(root, searchEnd);
    this.#jobs.track(
      searchEnd.then(() => {
        if (this.#running.get(root) === searchEnd) this.#running.delete(root);
      }),
    );
  }
}
