import type { Daemon } from "../engine/daemon/daemon.ts";
import { MOVES_ON, waitedOf, type WaitAnswer, type Waited } from "./control/waited.ts";
import { isPaused } from "./sync-now.ts";

type Asked = { readonly paths: readonly string[]; readonly timeoutMs: number };

/** LIMIT: what a timer of Node can wait for, in milliseconds. */
const MOST_MS = 2 ** 31 - 1;

/** What a daemon answers to `wait`: at once what is there, else when it is, or the time is over. */
export async function waitAsked(
  daemon: Pick<Daemon, "whenThere" | "status">,
  { paths, timeoutMs }: Asked,
  gone: AbortSignal,
): Promise<WaitAnswer> {
  const timeout = AbortSignal.timeout(Math.min(Math.ceil(timeoutMs), MOST_MS));
  const end = await daemon.whenThere(paths, AbortSignal.any([timeout, gone]));
  if (end.kind === "outside") return end;
  return { kind: "waited", ...waitedOf(end.paths, end.documents, standstillOf(daemon)) };
}

function standstillOf(daemon: Pick<Daemon, "status">): Waited["still"] {
  const { phase } = daemon.status();
  if (isPaused(daemon)) return { kind: "paused", detail: "the daemon is paused" };
  if (phase.kind === "stopped") return { kind: "stopped", detail: phase.detail };
  return phase.kind === "waiting" ? { kind: "offline", detail: phase.detail } : MOVES_ON;
}
