import { Dice } from "../simulator/dice.ts";
import { audit, newWork, runClients, ServiceClient } from "./clients.ts";
import type { Cluster } from "./cluster.ts";
import type { Done } from "./operation.ts";
import { Recorder } from "./recorder.ts";

/** Something that is killed and started again while clients work. */
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
  /** How many times something is killed, each in its turn, spread over the operations. */
  readonly strikes: number;
};

export type Lived = { readonly history: readonly Done[]; readonly struck: readonly string[] };

/** Clients work in a workspace of their own, things are killed, and at the end all is read. */
export async function live({ cluster, strikes }: Scene, plan: Plan): Promise<Lived> {
  const recorder = new Recorder();
  const workspaceId = await cluster.newWorkspace(`histories ${plan.seed}`);
  const work = newWork({ recorder, connect: cluster.connect, isOver: () => recorder.count >= plan.operations });
  const working = runClients(work, plan.seed, plan.clients);
  const dice = new Dice(plan.seed);
  const struck: string[] = [];
  for (let n = 1; n <= plan.strikes; n++) {
    // A few operations more or less, so that not every kill meets the same moment.
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

/** Kills one of the processes, and starts it again at its address. */
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
