import type { Clock } from "../../src/common/clock.ts";
import type { CommandResult, Rig } from "./rig.ts";

/** A clock that presses Ctrl-C once a condition is true, when the time is read or a sleep ends. */
class StoppingClock implements Clock {
  readonly stop = new AbortController();
  readonly #rig: Rig;
  readonly #isSo: () => boolean;

  constructor(rig: Rig, isSo: () => boolean) {
    this.#rig = rig;
    this.#isSo = isSo;
  }

  now(): number {
    this.#press();
    return this.#rig.clock.now();
  }

  monotonic(): number {
    return this.#rig.clock.monotonic();
  }

  sleep(ms: number): Promise<void> {
    return this.#rig.clock.sleep(ms);
  }

  readonly turn = async (): Promise<void> => this.#press();

  #press(): void {
    if (!this.stop.signal.aborted && this.#isSo()) this.stop.abort();
  }
}

export function stopWhen(rig: Rig, isSo: () => boolean, ...argv: string[]): Promise<CommandResult> {
  const clock = new StoppingClock(rig, isSo);
  return rig.run(argv, { cwd: rig.root, clock, stop: clock.stop.signal });
}
