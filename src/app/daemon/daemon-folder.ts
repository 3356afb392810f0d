import { join } from "node:path";
import { MIRROR_FOLDER } from "../../model/mirror-folder.ts";
import { type Call, type Handled, listenControl } from "../control/listen.ts";
import { choosePlace, removePlace, writePlace } from "../control/place.ts";
import { boundReport, type ControlRequest, type DaemonStatus } from "../control/protocol.ts";
import { lendFolder } from "./lend.ts";
import { type DaemonSetup, openDaemon, type OpenedDaemon } from "./open-daemon.ts";
import { type FolderEvent, logEvent } from "./folder-events.ts";
import { noteReport } from "../mirror/run.ts";
import { pruneDaily } from "../mirror/upkeep.ts";
import { isPaused, syncNow } from "./sync-now.ts";
import { codeOf, errnoClause, ok, type Result, type Trouble, trouble } from "../mirror/trouble.ts";

/**
 * One mirrored folder of the daemon: opened, kept in sync, lent to commands, and opened again when
 * it broke.
 */

export type FolderOptions = DaemonSetup & { readonly onEvent: (root: string, event: FolderEvent) => void };

const BEAT_MS = 2_000;
/**
 * A loop that has not turned for so long hangs: its longest call of the service ends well before.
 */
export const HANG_MS = 240_000;
/** A command that waits for another one waits so long. */
const LENT_MS = 30_000;
/** A `sync` waits so long for what is held back; the grace of a deletion is the longest of it. */
const HELD_BACK_MS = 45_000;
const RETRY_MS = { first: 2_000, most: 300_000 } as const;

export class DaemonFolder {
  readonly root: string;
  readonly #options: FolderOptions;
  readonly #since: number;
  #open: OpenedDaemon | null;
  #lent: { readonly what: string; readonly at: number } | null = null;
  #closedBy: Trouble | null = null;

  private constructor(open: OpenedDaemon, options: FolderOptions) {
    this.#open = open;
    this.root = open.mirror.root;
    this.#options = options;
    this.#since = options.clock.now();
  }

  /** Takes the folder's lock. @param dir a folder that holds `.mdmirror/` */
  static async open(dir: string, options: FolderOptions): Promise<Result<DaemonFolder>> {
    const opened = await openDaemon(dir, options);
    return opened.kind === "trouble" ? opened : ok(new DaemonFolder(opened.value, options));
  }

  /** Of a start that went no further. */
  async close(): Promise<void> {
    await this.#open?.mirror.close();
    this.#open = null;
  }

  /** Until `stop` aborts. What was under way is ended, the lock is free, the socket gone. */
  async run(stop: AbortSignal): Promise<Result<null>> {
    try {
      const place = choosePlace(this.root, this.#options);
      if (place.kind === "trouble") return place;
      await this.#serve(place.value, stop);
      return ok(null);
    } finally {
      await this.close();
    }
  }

  async #serve(socket: string, stop: AbortSignal): Promise<void> {
    const folder = join(this.root, MIRROR_FOLDER);
    const listening = await listenControl({
      socket,
      root: this.root,
      handle: (request, call) => this.#handle(request, call, stop),
      onFault: (error) => this.#logFault("control-failed", error),
    });
    try {
      writePlace(folder, { socket, pid: process.pid, since: this.#since });
      await this.#keep(stop);
    } finally {
      await listening.close();
      removePlace(folder);
    }
  }

  status(): DaemonStatus {
    const inSyncAsOf = this.#open?.daemon.status().inSyncAsOf ?? null;
    const common = { pid: process.pid, since: this.#since, inSyncAsOf, stillMs: this.stillMs() };
    if (this.#lent !== null)
      return { ...common, phase: "lent", detail: `to mdmirror ${this.#lent.what}`, paused: false };
    if (this.#open === null) return { ...common, phase: "closed", detail: this.#closedBy?.what ?? "", paused: false };
    const { phase } = this.#open.daemon.status();
    const detail = "detail" in phase ? phase.detail : "";
    return { ...common, phase: phase.kind, detail, paused: isPaused(this.#open.daemon) };
  }

  /**
   * Milliseconds since the loop was last seen to move. Lent or closed, there is no loop that could
   * stand still.
   */
  stillMs(): number {
    if (this.#open === null || this.#lent !== null) return 0;
    return Math.max(0, this.#options.clock.monotonic() - this.#open.daemon.alive());
  }

  /** Runs the loop; where it breaks, closes, and opens anew after a time. */
  async #keep(stop: AbortSignal): Promise<void> {
    for (let failures = 0; !stop.aborted; ) {
      if (this.#open === null) {
        const opened = await openDaemon(this.root, this.#options);
        if (opened.kind === "trouble") {
          await this.#waitAfter(opened.trouble, failures++, stop);
          continue;
        }
        this.#open = opened.value;
      }
      const ended = await this.#runOnce(this.#open, stop);
      if (ended === null) failures = 0;
      await this.close();
      if (ended !== null) await this.#waitAfter(ended, failures++, stop);
    }
  }

  /** @returns why it broke; null when it was asked to end */
  async #runOnce({ mirror, daemon, reopen }: OpenedDaemon, stop: AbortSignal): Promise<Trouble | null> {
    const off = daemon.onEvent((event) => {
      if (event.kind === "run") {
        noteReport(mirror, event.report);
        // Between two passes, and once a day: a day without a run leaves nothing to let go of.
        pruneDaily(mirror);
      }
      this.#publish(event);
    });
    this.#closedBy = null;
    this.#publish({ kind: "opened", at: this.#options.clock.now(), url: mirror.url, notes: mirror.notes });
    try {
      await daemon.run(AbortSignal.any([stop, reopen.signal]));
      return null;
    } catch (error) {
      this.#logFault("broken", error);
      const what = `the mirror of ${this.root} broke off${codeClause(error)}`;
      return {
        kind: "fault",
        what,
        next: "nothing is lost; it is opened again by itself; mdmirror doctor looks closer",
      };
    } finally {
      off();
    }
  }

  async #waitAfter(broken: Trouble, failures: number, stop: AbortSignal): Promise<void> {
    this.#closedBy = broken;
    const retryMs = Math.min(RETRY_MS.most, RETRY_MS.first * 2 ** Math.min(failures, 16));
    this.#publish({ kind: "broken", at: this.#options.clock.now(), trouble: broken, retryMs });
    await this.#options.clock.sleep(retryMs, stop);
  }

  async #handle(request: ControlRequest, call: Call, stop: AbortSignal): Promise<Handled> {
    const { clock } = this.#options;
    if (request.do === "status") return { kind: "done", value: this.status() };
    const open = this.#open;
    if (open === null) return { kind: "refused", trouble: this.#closedTrouble() };
    const busy = Promise.withResolvers<Handled>();
    const beating = setInterval(() => {
      if (this.#lent !== null && clock.monotonic() - this.#lent.at > LENT_MS) busy.resolve(this.#busy(this.#lent.what));
      else if (this.stillMs() < HANG_MS) call.beat();
    }, BEAT_MS);
    const { do: verb } = request;
    const work = verb === "lend" ? this.#lend(open, request.what, call, stop) : this.#do(open, verb, call);
    try {
      return await Promise.race([work, busy.promise]);
    } catch (error) {
      // The daemon rejects what it is asked for while it ends; a bug would have ended it.
      if (!stop.aborted && !open.reopen.signal.aborted) throw error;
      return { kind: "refused", trouble: endingTrouble(this.root) };
    } finally {
      clearInterval(beating);
    }
  }

  async #do({ daemon }: OpenedDaemon, verb: "sync" | "pause" | "resume", call: Call): Promise<Handled> {
    if (verb === "sync") {
      const { clock } = this.#options;
      const report = await syncNow(daemon, { mostMs: HELD_BACK_MS, clock, gone: call.gone });
      return { kind: "done", value: { report: boundReport(report) } };
    }
    const changed = isPaused(daemon) === (verb === "resume");
    // A resume is followed by a run, which is the daemon's own matter; a pause waits for the one
    // under way.
    if (verb === "pause") await daemon.request("pause");
    else if (changed) daemon.request("resume").catch(() => undefined);
    return { kind: "done", value: { changed } };
  }

  /** Answers as soon as the lock is free; has it again when the caller is gone. */
  async #lend({ mirror, daemon, reopen }: OpenedDaemon, what: string, call: Call, stop: AbortSignal): Promise<Handled> {
    await lendFolder({
      mirror,
      daemon,
      stop,
      gone: call.gone,
      onChange: (change) => {
        if (change === "replaced") reopen.abort();
        else this.#noteLent(change, what);
      },
    });
    return { kind: "done", value: { lent: true } };
  }

  #noteLent(kind: "lent" | "returned", what: string): void {
    const { clock } = this.#options;
    this.#lent = kind === "lent" ? { what, at: clock.monotonic() } : null;
    this.#publish({ kind, at: clock.now(), what });
  }

  #publish(event: FolderEvent): void {
    if (this.#open !== null) logEvent(this.#open.mirror.world.log, event);
    this.#options.onEvent(this.root, event);
  }

  #busy(what: string): Handled {
    const busy = trouble("locked", `${this.root} is in use by mdmirror ${what}`, "end that command, then try again");
    return { kind: "refused", trouble: busy.trouble };
  }

  #closedTrouble(): Trouble {
    const { what, next } = this.#closedBy ?? endingTrouble(this.root);
    return { kind: "fault", what, next };
  }

  #logFault(event: string, error: unknown): void {
    const { log } = this.#open?.mirror.world ?? { log: null };
    log?.write("error", event, { code: codeOf(error), why: error instanceof Error ? error.message : null });
  }
}

function endingTrouble(root: string): Trouble {
  return trouble("fault", `the daemon of ${root} is ending`, "run the command again").trouble;
}

function codeClause(error: unknown): string {
  const code = codeOf(error);
  return code === null ? " by a fault of mdmirror itself" : `: ${errnoClause(error)} (${code})`;
}
