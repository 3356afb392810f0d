import type { DaemonEvent } from "../engine/daemon/daemon.ts";
import { noteReport, runThatHalted } from "../folder/run.ts";
import { pruneDaily } from "../folder/upkeep.ts";
import { dropsRefusedKey } from "./new-key.ts";
import type { OpenedDaemon } from "./open-daemon.ts";

/** What follows from an event of a folder's daemon, beside that it is told. */
export function noteEvent(open: OpenedDaemon, event: DaemonEvent): void {
  const { mirror } = open;
  if (event.kind === "phase") dropsRefusedKey(open);
  if (event.kind !== "run") return;
  noteReport(mirror, event.report, runThatHalted(mirror, true).maxDeletes);
  // Between two passes, once a day: a day without a run leaves nothing to prune.
  pruneDaily(mirror);
}
