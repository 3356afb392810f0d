import { Killed } from "./process.ts";
import { Moment, type Pair } from "./moment.ts";

type Kills<P extends Pair> = {
  /** Opens the copy from which an attempt starts; a plain rig and mirror unless given. */
  readonly open?: (beginning: Moment) => P;
  /** Does what is killed; a sync unless given. */
  readonly work?: (pair: P) => Promise<unknown>;
  /** Ends the kills early: true once the killed work has done what the test is not about. */
  readonly until?: (pair: P) => boolean;
  /** Called after each kill, and once after the work that nothing killed. */
  readonly judge: (pair: P, call: number, lived: boolean) => Promise<void> | void;
};

/**
 * Kills the work at each of its calls of a port: at one of the calls between two changes, since a
 * kill at the others leaves the same. Each attempt starts from a copy of the same pair.
 * @returns number of kills
 */
export async function killAtEachCall<P extends Pair = Pair>(start: Pair, kills: Kills<P>): Promise<number> {
  const { open = (beginning) => beginning.open() as P, work = ({ mirror }) => mirror.sync() } = kills;
  const beginning = new Moment(start);
  const whole = open(beginning);
  const calls = await findCalls(whole, work);
  for (const [n, call] of calls.entries()) {
    const pair = open(beginning);
    pair.mirror.killAt(call);
    await endByKill(() => work(pair));
    pair.mirror.killAt(null);
    if (kills.until?.(pair) === true) return n;
    await kills.judge(pair, call, false);
  }
  await kills.judge(whole, Number.POSITIVE_INFINITY, true);
  return calls.length;
}

/** Does the work, and returns the first of its calls that finds each change. */
async function findCalls<P extends Pair>(pair: P, work: (pair: P) => Promise<unknown>): Promise<number[]> {
  const calls: number[] = [];
  let [call, before] = [0, -1];
  pair.mirror.onCall = () => {
    call++;
    const changes = pair.mirror.changes();
    if (changes !== before) calls.push(call);
    before = changes;
  };
  await work(pair);
  pair.mirror.onCall = null;
  return calls;
}

async function endByKill(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
  }
}
