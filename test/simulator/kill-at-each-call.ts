import { Moment, type Pair } from "./moment.ts";

type Kills<P extends Pair> = {
  /**
   * Opens a copy: the beginning, and both sides after each kill. Left out: a plain rig and mirror.
   */
  readonly open?: (moment: Moment) => P;
  /** Does what is killed; a sync unless given. */
  readonly work?: (pair: P) => Promise<unknown>;
  /** Ends the kills early: true once the killed work has done what the test is not about. */
  readonly until?: (pair: P) => boolean;
  /** Called after each kill, and once after the work that nothing killed. */
  readonly judge: (pair: P, call: number, lived: boolean) => Promise<void> | void;
};

/**
 * Kills the work at each of its calls of a port: at one of the calls between two changes, since a
 * kill at the others leaves the same. The work is done once. A kill leaves what both sides have at
 * its call, so each kill is a copy of them.
 * @returns number of kills
 */
export async function killAtEachCall<P extends Pair = Pair>(start: Pair, kills: Kills<P>): Promise<number> {
  const { open = (moment) => moment.open() as P, work = ({ mirror }) => mirror.sync() } = kills;
  const whole = open(new Moment(start));
  const killed = await copyAtCalls(whole, work);
  for (const [n, { call, moment }] of killed.entries()) {
    const pair = open(moment);
    // As at the end of `Mirror.sync`.
    if (kills.work === undefined) pair.mirror.disk.advance(10);
    if (kills.until?.(pair) === true) return n;
    await kills.judge(pair, call, false);
  }
  await kills.judge(whole, Number.POSITIVE_INFINITY, true);
  return killed.length;
}

/** Does the work, and copies both sides at the first of its calls that finds each change. */
async function copyAtCalls<P extends Pair>(pair: P, work: (pair: P) => Promise<unknown>) {
  const killed: { readonly call: number; readonly moment: Moment }[] = [];
  let [call, before] = [0, -1];
  pair.mirror.onCall = () => {
    call++;
    const changes = pair.mirror.changes();
    if (changes === before) return;
    before = changes;
    const moment = new Moment(pair);
    if (killed.at(-1)?.moment.equals(moment) !== true) killed.push({ call, moment });
  };
  await work(pair);
  pair.mirror.onCall = null;
  return killed;
}
