import { troubleOfError } from "./pages/trouble.ts";
import type { Trouble } from "../common/trouble.ts";
import { PHASE_WORDS } from "../mirror/operations/results/phases.ts";
import type { Notice } from "../page/layout.ts";
import type { Clock } from "../common/clock.ts";
import type { Progress } from "../mirror/ports/world.ts";
import type { Changes } from "./changes.ts";

/**
 * Work that a page started and that continues after its request. Each folder has one job at a time.
 */
export type JobView = {
  /** Name of the action, such as `sync`. */
  readonly what: string;
  readonly since: number;
  /** Phase in the words of the command line; null before any progress. */
  readonly phase: string | null;
  readonly done: number;
  /** Total for this phase, in the unit of `done`; null if not known yet. */
  readonly total: number | null;
  /** Result of the job; null while the job runs. */
  readonly end: (Notice & { readonly at: number }) | null;
};

type World = {
  readonly clock: Clock;
  readonly changes: Changes;
  readonly onFault: (error: unknown) => void;
};

/** LIMIT: milliseconds between two reports of progress to pages. */
const TELL_MS = 200;

export class Jobs {
  readonly #world: World;
  readonly #byRoot = new Map<string, JobView>();
  readonly #underWay = new Set<Promise<void>>();

  constructor(world: World) {
    this.#world = world;
  }

  of(root: string): JobView | null {
    return this.#byRoot.get(root) ?? null;
  }

  isBusy(root: string): boolean {
    const job = this.#byRoot.get(root);
    return job !== undefined && job.end === null;
  }

  /** Starts a job. Returns false if another job runs in this folder. */
  start(root: string, what: string, work: (progress: Progress) => Promise<Notice>): boolean {
    if (this.isBusy(root)) return false;
    const { clock, changes } = this.#world;
    const job = { what, since: clock.now(), phase: null, done: 0, total: null, end: null };
    this.#byRoot.set(root, job);
    changes.tell();
    const running = this.#run(root, job, work).finally(() => this.#underWay.delete(running));
    this.#underWay.add(running);
    return true;
  }

  /** Resolves when no job is active. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  async #run(root: string, job: JobView, work: (progress: Progress) => Promise<Notice>): Promise<void> {
    const { clock, changes, onFault } = this.#world;
    let toldAt = Number.NEGATIVE_INFINITY;
    const report: Progress["report"] = (phase, done, total) => {
      this.#byRoot.set(root, { ...job, phase: PHASE_WORDS[phase], done, total });
      if (clock.monotonic() - toldAt < TELL_MS) return;
      toldAt = clock.monotonic();
      changes.tell();
    };
    const end = await work({ report }).catch((error: unknown) => noticeOfError(troubleOfError(error, onFault)));
    this.#byRoot.set(root, { ...job, end: { ...end, at: clock.now() } });
    changes.tell();
  }
}

function noticeOfError({ what, code = null, next }: Trouble): Notice {
  return { tone: "bad", text: code === null ? what : `${what} (${code})`, next };
}
