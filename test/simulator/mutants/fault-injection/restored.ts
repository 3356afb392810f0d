import { runSimulation } from "../../runs/run.ts";
import type { Script, Step, SyncStep } from "../../runs/script.ts";
import type { FaultTest } from "./stage.ts";

/**
 * A service that was restored from a backup shows versions that it had superseded. A simulation
 * run, because its service can be restored.
 */

const SYNC: SyncStep = {
  do: "sync",
  mirror: 0,
  seed: 0,
  retry: true,
  kill: null,
  storm: null,
  trouble: null,
  interventions: [],
};
const EDITS: readonly Step[] = [1, 2, 3, 4].map((seed) => ({ do: "there", act: "edit", seed }));

export const RESTORED: readonly FaultTest[] = [1, 6, 14].map((documents) => ({
  name: `a service of ${documents} documents is restored from a backup`,
  async run() {
    const script: Script = {
      seed: 3,
      setup: {
        mirrors: [{ prefix: "", level: "full", disk: {}, conflicts: "conflict-copy" }],
        variant: {},
        combines: true,
        documents,
        clockOff: 0,
      },
      steps: [SYNC, { do: "backup" }, ...EDITS, SYNC, { do: "restore-backup" }, SYNC],
    };
    return (await runSimulation(script)).failures;
  },
}));
