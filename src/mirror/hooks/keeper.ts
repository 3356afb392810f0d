import type { Clock } from "../../common/clock.ts";
import type { Log } from "../ports/world.ts";
import type { Random } from "../../common/random.ts";
import { shellWord } from "../model/shell-word.ts";
import type { FolderEvent } from "../daemon/folder-events.ts";
import { GlanceCache } from "../folder/glances.ts";
import { errnoClause } from "../../common/trouble.ts";
import { hookMemoryOf, hooksFileOf } from "../trust/gate.ts";
import { failureClause, keepEnd, logEnd } from "./deliver.ts";
import { type Due, reportEvent } from "./due.ts";
import { pendingEventsOf, hooksFor, mirrorName } from "./pending-events.ts";
import { type Facts, factsOf, type Changes, type Offline, type Seen } from "./facts.ts";
import type { Env, Hook } from "./hook.ts";
import { readMemory, type ReportedStates } from "./memory.ts";
import { messageOf } from "./message.ts";
import { readHooks } from "./read-hooks.ts";
import { runCommand } from "./run-command.ts";
import { PendingSince } from "./waits.ts";
import { type WaitReason, waitReasonOf } from "../engine/daemon/phase.ts";

/** State of one folder of a daemon, by its events. */
class Standing {
  log: Log | null = null;
  /** The last run that reported itself; null if none has ended yet. */
  #seen: Seen | null = null;
  /** `since` by the monotonic clock. */
  #offline: { readonly code: WaitReason; readonly since: number } | null = null;
  /** Changes synced by all its runs. */
  #carried: Changes = {};
  /** Changes that each hook had counted when it last ran for `in-sync`. */
  readonly #toldAt = new Map<string, Changes>();

  /** Returns true if the state may have changed. */
  take(event: FolderEvent, now: number): boolean {
    if (event.kind === "run") {
      const { state, attention, safetyStop, fault, counts } = event.report;
      this.#seen = { state, attention, safetyStop };
      this.#setOffline(state === "offline" ? waitReasonOf(fault) : null, now);
      const { blocked: _blocked, ...carried } = counts;
      this.#carried = sum(this.#carried, carried, 1);
      return true;
    }
    if (event.kind !== "phase") return false;
    const { phase } = event;
    // During a scan the last state remains.
    if (phase.kind === "waiting" && phase.why !== "paused") this.#setOffline(phase.why, now);
    else if (phase.kind === "idle" || phase.kind === "stopped") this.#setOffline(null, now);
    return true;
  }

  #setOffline(code: WaitReason | null, now: number): void {
    this.#offline = code === null ? null : { code, since: this.#offline?.since ?? now };
  }

  seen(): Seen | null {
    return this.#seen;
  }

  offline(now: number): Offline | null {
    return this.#offline === null ? null : { code: this.#offline.code, ms: now - this.#offline.since };
  }

  /** Returns changes synced since the hook ran for `in-sync`. */
  carriedFor(hook: string): Changes {
    return sum(this.#carried, this.#toldAt.get(hook) ?? {}, -1);
  }

  /** @param told changes that were reported */
  toldInSync(hook: string, told: Changes): void {
    this.#toldAt.set(hook, sum(this.#toldAt.get(hook) ?? {}, told, 1));
  }
}

function sum(a: Changes, b: Changes, sign: 1 | -1): Record<string, number> {
  const total: Record<string, number> = { ...a };
  for (const [name, count] of Object.entries(b)) total[name] = (total[name] ?? 0) + sign * count;
  return total;
}

type KeeperOptions = {
  readonly env: Env;
  readonly clock: Clock;
  readonly random: Random;
  /** Called for problems with hooks, for whoever started the daemon. */
  readonly onNote: (note: string) => void;
};

/** LIMIT: milliseconds between two checks of the hooks; a busy daemon has many runs a second. */
const REST_MS = 500;
/** LIMIT: milliseconds to the next check of the hooks without an event: their file may change. */
const IDLE_MS = 60_000;
/** LIMIT: milliseconds that active hooks have when the daemon ends. */
const LEAVE_MS = 5_000;

/**
 * Runs hooks for the folders of a daemon. It compares each state with the states that each hook was
 * run for, so nothing is queued, and nothing is lost in a crash. Syncing never waits for it; each
 * hook runs once at a time.
 */
export class HookKeeper {
  readonly #options: KeeperOptions;
  readonly #folders = new Map<string, { readonly standing: Standing; readonly waits: PendingSince }>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #under = new Set<AbortController>();
  readonly #glances = new GlanceCache();
  readonly #stop = new AbortController();
  readonly #kept: Promise<void>;
  #wake = new AbortController();
  /** Last message about the file: the same one is reported once. */
  #noted: string | null = null;

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#kept = this.#keep();
  }

  take(root: string, event: FolderEvent, log: Log | null): void {
    if (event.kind === "left") return void this.#folders.delete(root);
    const folder = this.#folders.get(root) ?? { standing: new Standing(), waits: new PendingSince() };
    this.#folders.set(root, folder);
    folder.standing.log = log ?? folder.standing.log;
    if (folder.standing.take(event, this.#options.clock.monotonic())) this.#wake.abort();
  }

  /** Resolves when no hook is active; long ones are ended, and run again later. */
  async end(): Promise<void> {
    this.#stop.abort();
    await this.#kept;
    const all = Promise.all(this.#running.values());
    const over = new AbortController();
    const late = this.#options.clock.sleep(LEAVE_MS, over.signal).then(() => {
      for (const controller of this.#under) controller.abort();
    });
    if (this.#running.size === 0) over.abort();
    await all;
    over.abort();
    await late;
  }

  async #keep(): Promise<void> {
    const { clock, onNote } = this.#options;
    const { signal: stop } = this.#stop;
    try {
      while (!stop.aborted) {
        const next = Math.min(clock.monotonic() + IDLE_MS, ...this.#lookAtAll());
        await clock.sleep(Math.max(0, next - clock.monotonic()), AbortSignal.any([stop, this.#wake.signal]));
        await clock.sleep(REST_MS, stop);
      }
    } catch (error) {
      // Syncing continues without them.
      onNote(`an error in mdmirror itself prevents further hooks: ${errnoClause(error)}`);
    }
  }

  /** Returns when to check each folder again. */
  #lookAtAll(): number[] {
    // ORDER: first, so that an event during the check wakes the next one.
    this.#wake = new AbortController();
    const hooks = this.#folders.size === 0 ? [] : this.#readHooks();
    if (hooks.length === 0) return [];
    return [...this.#folders.keys()].map((root) => this.#lookAt(root, hooks));
  }

  #readHooks(): readonly Hook[] {
    const { env, onNote } = this.#options;
    if (hooksFileOf(env) === null) return [];
    const read = readHooks(env);
    const note = read.kind === "ok" ? null : `${read.trouble.what}; next: ${read.trouble.next}`;
    if (note !== null && note !== this.#noted) onNote(note);
    this.#noted = note;
    return read.kind === "ok" ? read.value : [];
  }

  #lookAt(root: string, hooks: readonly Hook[]): number {
    const { env, clock } = this.#options;
    const { standing, waits } = this.#folders.get(root)!;
    const seen = standing.seen();
    const file = hookMemoryOf(root, env);
    if (seen === null || file === null) return Number.POSITIVE_INFINITY;
    const now = clock.monotonic();
    const stands = factsOf(root, seen, standing.offline(now), {}, this.#glances);
    let next = Number.POSITIVE_INFINITY;
    for (const hook of hooksFor(root, hooks, env)) {
      if (this.#running.has(hook.name)) continue;
      const facts = { ...stands, changes: standing.carriedFor(hook.name) };
      const { dues, told } = pendingEventsOf(hook, facts, readMemory(file), file);
      const at = waits.of(hook, dues, facts.offlineMs, now);
      const ripe = dues.find(({ event }) => at.get(event)! <= now);
      if (ripe !== undefined) this.#start(hook, ripe, { root, file, facts, told });
      else next = Math.min(next, ...at.values());
    }
    return next;
  }

  #start(hook: Hook, due: Due, about: About): void {
    const told = this.#tell(hook, due, about).catch((error: unknown) => {
      this.#options.onNote(
        `the hook "${hook.name}" will run again, because its result cannot be stored: ${errnoClause(error)}`,
      );
    });
    const over = told.finally(() => {
      this.#running.delete(hook.name);
      this.#wake.abort();
    });
    this.#running.set(hook.name, over);
  }

  async #tell(hook: Hook, due: Due, { root, file, facts, told }: About): Promise<void> {
    const { env, clock, random, onNote } = this.#options;
    const { standing, waits } = this.#folders.get(root)!;
    const mine = new AbortController();
    this.#under.add(mine);
    const [name, at, id] = [mirrorName(root, env), clock.now(), `msg_${random.hex(24)}`];
    const message = messageOf(due, facts, { name, root, at, id });
    const end = await runCommand(hook, message, { env, timeoutMs: hook.timeoutMs, stop: mine.signal });
    this.#under.delete(mine);
    waits.forget(hook, due.event, clock.monotonic());
    logEnd(standing.log, hook, due.event, end);
    if (due.event === "in-sync") standing.toldInSync(hook.name, facts.changes);
    if (end.kind === "failed")
      onNote(`the hook "${hook.name}" failed on ${due.event} of ${shellWord(root)}: ${failureClause(end)}`);
    // A hook that the end of the daemon interrupted is run again by the next one.
    keepEnd(file, hook, message, end, mine.signal.aborted ? null : reportEvent(due.event, facts, told));
  }
}

type About = { readonly root: string; readonly file: string; readonly facts: Facts; readonly told: ReportedStates };
