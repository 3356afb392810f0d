import type { Daemon } from "../engine/daemon/daemon.ts";
import type { Clock } from "../../common/clock.ts";
import type { Call, Handled } from "./control/listen.ts";
import { boundReport, type ControlRequest, type DaemonStatus } from "./control/protocol.ts";
import { codeOf, errnoClause, type Trouble, trouble } from "../../common/trouble.ts";
import { forgetBudgetOfHalt } from "../folder/run.ts";
import type { OpenedDaemon } from "./open-daemon.ts";
import { isPaused, syncNow } from "./sync-now.ts";
import { waitAsked } from "./wait-asked.ts";

/** What the daemon of a folder answers to the commands that ask it. */

const BEAT_MS = 2_000;
/** A `sync` waits so long for what is held back; the grace of a deletion is the longest of it. */
const HELD_BACK_MS = 45_000;

/** What is told of a folder; `daemon` null: it is closed. */
export function statusOf(
  common: Pick<DaemonStatus, "pid" | "since" | "stillMs" | "requests" | "traffic">,
  daemon: Daemon | null,
  { lentTo, closedBy }: { readonly lentTo: string | null; readonly closedBy: string },
): DaemonStatus {
  const seen = daemon?.status() ?? null;
  const told = { ...common, inSyncAsOf: seen?.inSyncAsOf ?? null, ...(seen === null ? {} : { news: seen.news }) };
  if (lentTo !== null) return { ...told, phase: "lent", detail: `to mdmirror ${lentTo}`, paused: false };
  if (daemon === null || seen === null) return { ...told, phase: "closed", detail: closedBy, paused: false };
  const { phase } = seen;
  return { ...told, phase: phase.kind, detail: "detail" in phase ? phase.detail : "", paused: isPaused(daemon) };
}

type Folder = {
  readonly root: string;
  /** The command that has had the folder for too long; null: none. */
  readonly lentTo: () => string | null;
  /** The loop moves on. */
  readonly moves: () => boolean;
};

/** Tells the caller that the work goes on, until it is done or a command keeps the folder. */
export async function beatDuring(work: Promise<Handled>, call: Call, folder: Folder): Promise<Handled> {
  const busy = Promise.withResolvers<Handled>();
  const beating = setInterval(() => {
    const what = folder.lentTo();
    if (what !== null) busy.resolve(refusedFor(folder.root, what));
    else if (folder.moves()) call.beat();
  }, BEAT_MS);
  try {
    return await Promise.race([work, busy.promise]);
  } finally {
    clearInterval(beating);
  }
}

function refusedFor(root: string, what: string): Handled {
  const busy = trouble(
    "locked",
    `${root} is in use by mdmirror ${what}`,
    "wait for that command or end it, then try again",
  );
  return { kind: "refused", trouble: busy.trouble };
}

export async function doAsked(
  { mirror, daemon }: OpenedDaemon,
  request: Extract<ControlRequest, { do: "sync" | "wait" | "pause" | "resume" }>,
  call: Call,
  clock: Clock,
): Promise<Handled> {
  if (request.do === "wait") return { kind: "done", value: await waitAsked(daemon, request, call.gone) };
  const { do: verb } = request;
  if (verb === "sync") {
    forgetBudgetOfHalt(mirror);
    const report = await syncNow(daemon, { mostMs: HELD_BACK_MS, clock, gone: call.gone, onHeldBack: call.beat });
    return { kind: "done", value: { report: boundReport(report) } };
  }
  const changed = isPaused(daemon) === (verb === "resume");
  // A resume is followed by a run, which is the daemon's own matter; a pause waits for the one
  // under way.
  if (verb === "pause") await daemon.request("pause");
  else if (changed) daemon.request("resume").catch(() => undefined);
  return { kind: "done", value: { changed } };
}

export function endingTrouble(root: string): Trouble {
  return trouble("fault", `the daemon of ${root} is ending`, "run the command again").trouble;
}

export function codeClause(error: unknown): string {
  const code = codeOf(error);
  return code === null ? " by an error in mdmirror itself" : `: ${errnoClause(error)} (${code})`;
}

/** @param by why it is closed; null: it is ending */
export function refusedClosed(root: string, by: Trouble | null): Handled {
  const { what, next } = by ?? endingTrouble(root);
  return { kind: "refused", trouble: { kind: "fault", what, next } };
}

const RETRY_MS = { first: 2_000, most: 300_000 } as const;

/** How long to wait before what broke so often in a row is opened again, in milliseconds. */
export function retryMsAfter(failures: number): number {
  return Math.min(RETRY_MS.most, RETRY_MS.first * 2 ** Math.min(failures, 16));
}
