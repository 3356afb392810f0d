import type { BarrierEnd } from "../../../src/mirror/engine/daemon/daemon.ts";
import { ROOT } from "../../simulator/mirror.ts";
import { type DaemonRig, type DaemonRigOptions, withNotes } from "./rig.ts";

/** Programs that wait until a daemon has synced their files. */

export const OVERLOADED = { status: 503, headers: { "retry-after": "1" }, body: "" };

export const twentyNotes = (options: Partial<DaemonRigOptions> = {}): Promise<DaemonRig> =>
  withNotes(20, (n) => `notes/${n}.md`, options);

/** Saves a file of which the file watcher has not reported anything yet. */
export function saveUnreported(rig: DaemonRig, path: string, text: string): void {
  rig.mirrored.disk.user.write(`${ROOT}/${path}`, text);
  rig.mirrored.disk.advance(10);
}

/**
 * Waits in virtual time until a scope is synced. Returns the waiting time in ms, and the result.
 */
export async function waitForSync(
  rig: DaemonRig,
  scope: readonly string[],
  mostMs = 30_000,
): Promise<readonly [number, BarrierEnd]> {
  const began = rig.clock.monotonic();
  const over = new AbortController();
  const kept: { end: BarrierEnd | null } = { end: null };
  const asked = rig.daemon.whenSynced(scope, over.signal).then((end) => {
    kept.end = end;
  });
  while (kept.end === null && rig.clock.monotonic() - began < mostMs) await rig.pass(10);
  over.abort();
  await asked;
  return [rig.clock.monotonic() - began, kept.end!];
}

export function statesOf(end: BarrierEnd): Record<string, string> {
  if (end.kind === "outside") return Object.fromEntries(end.outside.map(({ path, why }) => [path, why]));
  return Object.fromEntries(end.paths.map(({ path, state }) => [path, state]));
}
