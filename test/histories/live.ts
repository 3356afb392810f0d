import { Dice } from "../simulator/dice.ts";
import { audit, newWork, runClients, ServiceClient } from "./clients.ts";
import type { Cluster } from "./cluster.ts";
import type { ExecutedOperation } from "./operation.ts";
import { Recorder } from "./recorder.ts";

/** A fault: something is killed and started again while clients work. */
export type Strike = { readonly name: string; readonly run: (dice: Dice) => Promise<void> };

export type Scene = {
  readonly cluster: Cluster;
  readonly strikes: readonly Strike[];
  readonly end: () => Promise<void>;
};

export type Plan = {
  readonly seed: number;
  readonly clients: number;
  readonly operations: number;
  /** Number of kills, spread over the operations. The kinds of kills take turns. */
  readonly strikes: number;
};

export type RunResult = { readonly history: readonly ExecutedOperation[]; readonly struck: readonly string[] };

/** Runs clients in a new workspace, kills processes meanwhile, and reads everything at the end. */
export async function runScene({ cluster, strikes }: Scene, plan: Plan): Promise<RunResult> {
  const recorder = new Recorder();
  const workspaceId = await cluster.newWorkspace(`histories ${plan.seed}`);
  const work = newWork({ recorder, connect: cluster.connect, isOver: () => recorder.count >= plan.operations });
  const working = runClients(work, plan.seed, plan.clients);
  const dice = new Dice(plan.seed);
  const struck: string[] = [];
  for (let n = 1; n <= plan.strikes; n++) {
    // Varies the moment of the kill by some operations.
    await recorder.reached((plan.operations * n) / (plan.strikes + 1) + dice.below(50) - 25);
    const strike = strikes[(plan.seed + n) % strikes.length]!;
    struck.push(strike.name);
    await strike.run(dice);
  }
  await working;
  const last = new ServiceClient(work, plan.seed, plan.clients);
  const listReviews = await cluster.connect(plan.clients, dice);
  await audit(last, work, { listReviews, workspaceId });
  return { history: recorder.history, struck };
}

/** Returns a fault that kills one of the processes and starts it again at its address. */
export function killProcess({ processes }: Cluster): Strike {
  return {
    name: "process",
    run: async (dice) => {
      const process = dice.pick(processes);
      await process.end("SIGKILL");
      await process.start();
    },
  };
}
