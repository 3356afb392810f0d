import type { Mirror, MirrorCopy, MirrorOptions } from "./mirror.ts";
import { createRig, type Deployment, type Rig, type RigCopy } from "./rig.ts";

/** A service and one of its mirrors. */
export type Pair = { readonly rig: Rig; readonly mirror: Mirror };

/**
 * A copy of everything that outlives a process, on both sides. Tests that kill at each call start
 * each attempt from it. Time and random numbers continue as without the copy. Not included: open
 * handles, faults of the disk, and the deployment's `fault`.
 */
export class Moment {
  readonly rig: RigCopy;
  readonly mirror: MirrorCopy;

  constructor({ rig, mirror }: Pair) {
    this.rig = rig.copy();
    this.mirror = mirror.copy();
  }

  /**
   * Opens both sides as they were at this moment, any number of times.
   * @param deployment of the copied rig
   * @param options of the copied mirror
   */
  open(deployment: Deployment = {}, options: MirrorOptions = {}): Pair {
    const rig = createRig(0, deployment, undefined, this.rig);
    return { rig, mirror: rig.mirror(options, this.mirror) };
  }

  /** Returns true if both moments have the same bytes, also after a power cut. */
  equals(other: Moment): boolean {
    const [one, two] = [bytesOf(this), bytesOf(other)];
    return one.every((bytes, n) => Buffer.compare(bytes, two[n]!) === 0);
  }
}

function bytesOf({ rig, mirror: { disk, rows, texts, safe } }: Moment): Uint8Array[] {
  return [rig.database, disk, rows, texts, safe?.rows ?? rows, safe?.texts ?? texts];
}

type Kills<P extends Pair> = {
  /**
   * Opens a copy of both sides: at the beginning, and after each kill. By default a plain rig and
   * mirror.
   */
  readonly open?: (moment: Moment) => P;
  /** The work that is killed; by default a sync. */
  readonly work?: (pair: P) => Promise<unknown>;
  /** Returns true when the work has reached the part that the test does not kill. */
  readonly until?: (pair: P) => boolean;
  /**
   * Checks both sides after each kill, and once after the work without a kill; `lived` is then
   * true.
   */
  readonly judge: (pair: P, call: number, lived: boolean) => Promise<void> | void;
};

/**
 * Simulates a kill of the work at each of its port calls. The work is done once: both sides are
 * copied at a call, and each copy is what a kill at that call leaves. Calls without a change since
 * the last copy are skipped, because they would leave the same.
 * @returns number of kills
 */
export async function killAtEachCall<P extends Pair = Pair>(start: Pair, kills: Kills<P>): Promise<number> {
  const { open = (moment) => moment.open() as P, work = ({ mirror }) => mirror.sync() } = kills;
  const whole = open(new Moment(start));
  const killed = await copyAtCalls(whole, work);
  for (const [n, { call, moment }] of killed.entries()) {
    const pair = open(moment);
    // Like the end of `Mirror.sync`.
    if (kills.work === undefined) pair.mirror.disk.advance(10);
    if (kills.until?.(pair) === true) return n;
    await kills.judge(pair, call, false);
  }
  await kills.judge(whole, Number.POSITIVE_INFINITY, true);
  return killed.length;
}

/** Does the work. Copies both sides at the first call after each change. */
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
