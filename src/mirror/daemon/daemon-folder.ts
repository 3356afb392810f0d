/** A linked folder of the daemon, which opens, syncs and lends the folder. */

import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { type ControlCall, type StopListening, listenControl } from "./control/listen.ts";
import { askDaemon, NO_DAEMON } from "./control/ask.ts";
import { chooseSocketPath, removeSocketPath, writeSocketPath } from "./control/socket-path.ts";
import type { ControlRequest, DaemonStatus } from "./control/protocol.ts";
import { waitForAbort } from "../../common/clock.ts";
import {
  closeIfKeyChanged,
  computeRetryMs,
  type DaemonSetup,
  describeErrorCode,
  findFolderEnd,
  type FolderEnd,
  makeFolderStatus,
  openDaemon,
  type OpenedDaemon,
  performRequest,
  refuseClosedFolder,
  refuseEndingDaemon,
  refuseLentFolder,
} from "./open-daemon.ts";
import { ActiveEffects } from "./traffic.ts";
import { type FolderEvent, logEvent, type OnFolderEvent } from "./folder-events.ts";
import { ExchangeTally } from "../remote/tally.ts";
import { checkFolderExists } from "../folder/trouble.ts";
import { errnoClause, readErrorCode, ok, type Result, type Trouble, trouble } from "../../common/trouble.ts";
import type { DaemonEvent } from "../engine/daemon/interface.ts";
import { storeRunFacts, readStopLimit, pruneDaily } from "../folder/run.ts";
import { readRootMarker } from "../trust/gate.ts";

export type FolderOptions = DaemonSetup & { readonly onEvent: OnFolderEvent };

/**
 * LIMIT: milliseconds without progress after which the daemon's loop counts as hanging. The limit
 * is long, because a request to the service may take some time.
 */
export const MAX_STILL_MS = 240_000;
/**
 * LIMIT: milliseconds that a request waits while the folder is lent, so that a command does not
 * wait forever. The request then fails, and the error names the borrower.
 */
const MAX_LOAN_MS = 30_000;
/** Milliseconds between two signs of life of the daemon to a command that waits. */
const HEARTBEAT_MS = 2_000;

/**
 * Loan of the folder to a command.
 * - `gone`: signal that aborts when the command has ended
 * - `free`: tells the command that the daemon has closed all files of the folder
 */
type FolderLoan = {
  readonly what: string;
  readonly since: number;
  readonly gone: AbortSignal;
  readonly free: () => void;
};

type CountingOptions = FolderOptions & { readonly tally: ExchangeTally; readonly progress: ActiveEffects };

export class DaemonFolder {
  /** Real path of the linked folder. */
  readonly root: string;
  readonly #options: CountingOptions;
  readonly #since: number;
  #open: OpenedDaemon | null = null;
  #stopListening: StopListening | null = null;
  /** Loan to a command; null if no command uses the folder or waits for it. */
  #loan: FolderLoan | null = null;
  #closedBy: Trouble | null = null;
  /** Resolves when the current attempt to open the folder again ends; null without an attempt. */
  #opening: PromiseWithResolvers<void> | null = null;
  /** Id in the folder's marker when the daemon first opened the folder; null without a marker. */
  #marker: string | null = null;

  /** @param root real path of a folder that has `.mdmirror/` */
  constructor(root: string, options: FolderOptions) {
    this.root = root;
    this.#options = { ...options, tally: new ExchangeTally(), progress: new ActiveEffects() };
    this.#since = options.clock.now();
  }

  /**
   * Opens the folder and takes the folder's lock, so that the caller learns of a failure before
   * `run`.
   * @param dir path of a folder that has `.mdmirror/`
   */
  static async open(dir: string, options: FolderOptions): Promise<Result<DaemonFolder>> {
    const folder = new DaemonFolder(existsSync(dir) ? realpathSync(dir) : dir, options);
    const openResult = await folder.#openAgain();
    return openResult.kind === "trouble" ? openResult : ok(folder);
  }

  /** Closes the folder if the daemon ends before it calls `run`. */
  async close(): Promise<void> {
    const openedDaemon = this.#open;
    this.#open = null;
    await openedDaemon?.mirror.close();
  }

  /**
   * Keeps the folder in sync until `stop` aborts, or a command moves or unlinks the folder. After a
   * failure, waits and opens the folder again. When the promise resolves, all work has ended, the
   * lock is free, and the socket is removed.
   */
  async run(stop: AbortSignal): Promise<FolderEnd> {
    for (let failures = 0; !stop.aborted; ) {
      const folderEnd = await this.#openAndRun(stop)
        .finally(() => this.close())
        .catch((error: unknown) => describeFolderError(this.root, error));
      if (folderEnd === null) failures = 0;
      else if ("what" in folderEnd) await this.#waitAfter(folderEnd, failures++, stop);
      else return this.#end(folderEnd);
    }
    return this.#end({ kind: "stopped" });
  }

  async #end(end: FolderEnd): Promise<FolderEnd> {
    this.#endOpening();
    try {
      await this.#stopListening?.();
      if (this.#stopListening !== null) removeSocketPath(join(this.root, MIRROR_FOLDER));
      await this.close();
    } catch (error) {
      // If the folder's disk is unmounted, the file with the socket's path cannot be removed. A
      // command that reads this file later finds that no process listens.
      this.#logFault("control-failed", error);
    }
    return end;
  }

  status(): DaemonStatus {
    const daemon = this.#open?.daemon ?? null;
    const { tally, progress } = this.#options;
    const trafficFields = { requests: tally.counts(), traffic: progress.now() };
    const commonFields = { pid: process.pid, since: this.#since, stillMs: this.stillMs(), ...trafficFields };
    return makeFolderStatus(commonFields, daemon, {
      lentTo: this.#loan?.what ?? null,
      closedBy: this.#closedBy?.what ?? "",
    });
  }

  /** Returns the milliseconds since the loop last made progress; 0 for a lent or closed folder. */
  stillMs(): number {
    if (this.#open === null || this.#loan !== null) return 0;
    return Math.max(0, this.#options.clock.monotonic() - this.#open.daemon.alive());
  }

  /**
   * Opens the folder and runs the daemon's loop. Returns why the loop ended; null if the folder has
   * to be opened again immediately.
   */
  async #openAndRun(stop: AbortSignal): Promise<FolderEnd | Trouble | null> {
    const openResult = await this.#openToServe(stop);
    const loan = this.#endLoan();
    this.#endOpening();
    const failure =
      openResult.kind === "trouble" ? openResult.trouble : await this.#runOnce(openResult.value, loan, stop);
    if (failure === null) this.#opening ??= Promise.withResolvers();
    await this.close();
    if (this.#loan !== null) {
      // The folder stays closed until the command that borrows it has ended.
      this.#loan.free();
      await waitForAbort(AbortSignal.any([this.#loan.gone, stop]));
    }
    const movedOrUnlinked = failure === null || openResult.kind === "trouble" ? this.#endIfMovedOrUnlinked() : null;
    return movedOrUnlinked ?? failure;
  }

  /** Opens the folder. After the first opening, also begins to listen for requests of commands. */
  async #openToServe(stop: AbortSignal): Promise<Result<OpenedDaemon>> {
    const openResult = await this.#openAgain();
    if (openResult.kind === "trouble" || this.#stopListening !== null) return openResult;
    const socketPathResult = chooseSocketPath(this.root, this.#options);
    if (socketPathResult.kind === "trouble") return socketPathResult;
    const stopListening = await listenControl({
      socket: socketPathResult.value,
      root: this.root,
      handle: (request, call) => this.#handle(request, call, stop),
      onFault: (error) => this.#logFault("control-failed", error),
    });
    try {
      writeSocketPath(join(this.root, MIRROR_FOLDER), {
        socket: socketPathResult.value,
        pid: process.pid,
        since: this.#since,
      });
      this.#stopListening = stopListening;
    } finally {
      if (this.#stopListening === null) await stopListening();
    }
    return openResult;
  }

  async #openAgain(): Promise<Result<OpenedDaemon>> {
    if (this.#open !== null) return ok(this.#open);
    // While a daemon lends the folder, the borrower has the folder's lock. A second daemon can then
    // find the first daemon only by the socket.
    const runningDaemon = this.#stopListening === null ? await askDaemon(this.root, { do: "status" }) : NO_DAEMON;
    if (runningDaemon !== NO_DAEMON)
      return runningDaemon.kind === "trouble" ? runningDaemon : refuseSecondDaemon(this.root, runningDaemon.value);
    const openResult = await openDaemon(this.root, this.#options);
    if (openResult.kind === "trouble") return openResult;
    this.#open = openResult.value;
    this.#marker ??= readRootMarker(this.root);
    return openResult;
  }

  #endOpening(): void {
    this.#opening?.resolve();
    this.#opening = null;
  }

  /** Ends the current loan, and returns the loan. Returns null if the folder was not lent. */
  #endLoan(): FolderLoan | null {
    const loan = this.#loan;
    this.#loan = null;
    if (loan !== null) this.#publish({ kind: "returned", at: this.#options.clock.now(), what: loan.what });
    return loan;
  }

  #endIfMovedOrUnlinked(): ReturnType<typeof findFolderEnd> {
    const movedOrUnlinked = findFolderEnd(this.root, this.#marker, this.#options.env);
    if (movedOrUnlinked !== null)
      this.#publish({
        kind: "left",
        at: this.#options.clock.now(),
        to: movedOrUnlinked.kind === "moved" ? movedOrUnlinked.root : null,
      });
    return movedOrUnlinked;
  }

  /**
   * Runs the daemon's loop for an open folder. Returns why the loop failed; null if the loop ended
   * on request.
   * @param loan loan that has just ended; null if there was none
   */
  async #runOnce(open: OpenedDaemon, loan: FolderLoan | null, stop: AbortSignal): Promise<Trouble | null> {
    const { mirror, daemon, reopen } = open;
    const unsubscribe = daemon.onEvent((event) => {
      handleEvent(open, event);
      // For a loan, the loop ends and later starts again. The end of the loop is then not reported.
      const endsForLoan = this.#loan !== null && event.kind === "phase" && event.phase.kind === "ended";
      if (!endsForLoan) this.#publish(event);
    });
    this.#closedBy = null;
    const { url, notes } = mirror;
    if (loan === null || notes.length > 0) this.#publish({ kind: "opened", at: this.#options.clock.now(), url, notes });
    try {
      await daemon.run(AbortSignal.any([stop, reopen.signal]));
      return null;
    } catch (error) {
      this.#logFault("broken", error);
      const problem = `syncing ${this.root} ended${describeErrorCode(error)}`;
      return {
        kind: "fault",
        what: problem,
        next: "nothing is lost: mdmirror starts again by itself; details: mdmirror doctor",
      };
    } finally {
      unsubscribe();
    }
  }

  async #waitAfter(broken: Trouble, failures: number, stop: AbortSignal): Promise<void> {
    this.#closedBy = broken;
    const retryMs = computeRetryMs(failures);
    this.#publish({ kind: "broken", at: this.#options.clock.now(), trouble: broken, retryMs });
    await this.#options.clock.sleep(retryMs, stop);
  }

  /**
   * Handles a command's request, and sends signs of life to the command meanwhile. Refuses the
   * request if another command keeps the folder too long.
   */
  async #handle(request: ControlRequest, call: ControlCall, stop: AbortSignal): Promise<Result<object>> {
    if (request.do === "status") return ok(this.status());
    const { clock } = this.#options;
    const loanRefusal = Promise.withResolvers<Result<object>>();
    const answerController = new AbortController();
    const heartbeat = setInterval(() => {
      const loan = this.#loan;
      if (loan !== null && clock.monotonic() - loan.since > MAX_LOAN_MS) {
        loanRefusal.resolve(refuseLentFolder(this.root, loan.what));
        answerController.abort();
      } else if (this.stillMs() < MAX_STILL_MS) call.beat();
    }, HEARTBEAT_MS);
    const goneSignal = AbortSignal.any([call.gone, answerController.signal]);
    try {
      return await Promise.race([this.#answer(request, goneSignal, stop), loanRefusal.promise]);
    } finally {
      clearInterval(heartbeat);
    }
  }

  /** Waits while the folder is being opened again. Returns null if the folder stays closed. */
  async #openFolder(): Promise<OpenedDaemon | null> {
    const openedDaemon = this.#open;
    if (openedDaemon !== null && (openedDaemon.reopen.signal.aborted || closeIfKeyChanged(openedDaemon)))
      this.#opening ??= Promise.withResolvers();
    await this.#opening?.promise;
    return this.#open;
  }

  /**
   * Answers a request. If the folder was closed and opened again meanwhile, handles the request
   * again.
   * @param gone aborts when the command has disconnected or was refused; the request then has no
   * effect
   */
  async #answer(
    request: Exclude<ControlRequest, { do: "status" }>,
    gone: AbortSignal,
    stop: AbortSignal,
  ): Promise<Result<object>> {
    const { clock } = this.#options;
    const beganAt = clock.monotonic();
    for (;;) {
      const openedDaemon = await this.#openFolder();
      // The command has disconnected, so nobody reads this answer.
      if (gone.aborted) return ok({});
      if (openedDaemon === null && request.do === "lend") return ok({ lent: true });
      if (openedDaemon === null) return refuseClosedFolder(this.root, this.#closedBy);
      const { signal } = openedDaemon.reopen;
      const answerPromise =
        request.do === "lend"
          ? this.#lend(openedDaemon, request.what, gone)
          : performRequest(openedDaemon.daemon, shortenTimeout(request, clock.monotonic() - beganAt), gone);
      const answerOrNull = await answerPromise.catch((error: unknown) => {
        // The daemon rejects requests when it ends or closes the folder. Any other error is a bug.
        if (!stop.aborted && !signal.aborted) throw error;
        return null;
      });
      if (answerOrNull !== null) return answerOrNull;
      if (stop.aborted) return refuseEndingDaemon(this.root);
    }
  }

  /**
   * Lends the folder to a command. Answers when the folder is closed. The daemon opens the folder
   * again when the command has ended.
   */
  async #lend({ daemon, reopen }: OpenedDaemon, what: string, gone: AbortSignal): Promise<Result<object>> {
    const { clock } = this.#options;
    const freedPromise = Promise.withResolvers<void>();
    // ORDER: the daemon lends the folder between two runs, so that commands that wait for the
    // current run get their answers first.
    await daemon.callBetweenRuns(() => {
      // Another command has borrowed the folder, so this command has to try again later.
      if (reopen.signal.aborted) throw new Error("the folder is being closed");
      if (gone.aborted) return freedPromise.resolve();
      this.#loan = { what, since: clock.monotonic(), gone, free: freedPromise.resolve };
      this.#publish({ kind: "lent", at: clock.now(), what });
      reopen.abort();
    });
    await freedPromise.promise;
    return ok({ lent: true });
  }

  #publish(event: FolderEvent): void {
    const log = this.#open?.mirror.world.log ?? null;
    if (log !== null) logEvent(log, event);
    this.#options.onEvent(this.root, event, log);
  }

  #logFault(event: string, error: unknown): void {
    const { log } = this.#open?.mirror.world ?? { log: null };
    log?.write("error", event, { code: readErrorCode(error), why: error instanceof Error ? error.message : null });
  }
}

function describeFolderError(root: string, error: unknown): Trouble {
  const problem = `${root} cannot be synced: ${errnoClause(error)}`;
  const nextStep = "nothing is lost: mdmirror tries again by itself; details: mdmirror doctor";
  return checkFolderExists(root)?.trouble ?? trouble("fault", problem, nextStep).trouble;
}

function refuseSecondDaemon(root: string, { pid }: Pick<DaemonStatus, "pid">): Result<never> {
  const problem = `a daemon already syncs ${root} (process ${pid})`;
  return trouble("locked", problem, "mdmirror status shows what it does; one daemon a folder is enough");
}

/** After a run, stores facts for later runs, and once a day deletes old contents. */
function handleEvent(open: OpenedDaemon, event: DaemonEvent): void {
  const { mirror } = open;
  if (event.kind === "phase") closeIfKeyChanged(open);
  if (event.kind !== "run") return;
  storeRunFacts(mirror, event.report, readStopLimit(mirror));
  // Without a run, the stored contents do not grow, so a day without a run needs no pruning.
  pruneDaily(mirror);
}

type EngineRequest = Exclude<ControlRequest, { do: "status" | "lend" }>;

/** Reduces the time limit of a request by the time that opening the folder took. */
function shortenTimeout(request: EngineRequest, passedMs: number): EngineRequest {
  if (request.do !== "wait") return request;
  return { ...request, timeoutMs: Math.max(0, request.timeoutMs - passedMs) };
}
