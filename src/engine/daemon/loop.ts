import type { Watcher } from "../../ports/watch.ts";
import type { RunReport } from "../run/report.ts";
import type { World } from "../run/world.ts";
import { createAskQueue } from "./asked.ts";
import type { Daemon, DaemonOptions } from "./daemon.ts";
import { createSleeper } from "./sleeper.ts";
import { Runner } from "./runner.ts";
import { tapState } from "./state-tap.ts";
import { createEventPublisher } from "./publish-events.ts";
import type { DaemonTiming } from "./timing.ts";

/**
 * The loop: sleeps until something is due, does it, and sleeps again. All time is the world's
 * clock's.
 */
export function startLoop(given: World, watcher: Watcher, options: DaemonOptions, timing: DaemonTiming): Daemon {
  const { settings, onLetGo } = options;
  const { clock } = given;
  let turnedAt = clock.monotonic();
  const turned = () => {
    turnedAt = clock.monotonic();
  };
  const publisher = createEventPublisher(() => clock.now(), given.state);
  const tap = tapState(given.state, (event) => {
    turned();
    publisher.record(event);
  });
  const world: World = {
    ...given,
    state: tap.state,
    progress: {
      report(phase, done, total) {
        turned();
        if (phase === "apply") runner.applying();
        given.progress.report(phase, done, total);
      },
    },
  };
  const letGo = () => {
    tap.forget();
    onLetGo?.();
  };
  const sleeper = createSleeper(clock, timing);
  const asked = createAskQueue(sleeper.wake);
  const runner = new Runner({ world, watcher, settings, timing, publisher, wakeBy: sleeper.wakeBy, letGo });
  let started = false;

  /** @returns what is still to be answered with the report of the next whole run */
  async function answer(): Promise<void> {
    const waiting: ((report: RunReport) => void)[] = [];
    let retryRefused = false;
    for (const one of asked.take()) {
      if (one.kind === "exclusive") {
        await one.work(world);
        // It may have written through the state that was given, beneath this one.
        tap.forget();
        runner.lookAtAll();
        continue;
      }
      if (one.kind === "pause") {
        runner.pause();
        one.resolve(runner.lastReport());
        continue;
      }
      if (one.kind === "resume") runner.resume();
      retryRefused ||= one.kind === "sync";
      waiting.push(one.resolve);
    }
    if (waiting.length === 0) return;
    const report = await runner.runWhole(retryRefused);
    for (const resolve of waiting) resolve(report);
  }

  async function run(signal: AbortSignal): Promise<void> {
    if (started) throw new Error("a daemon runs once");
    started = true;
    try {
      while (!signal.aborted) {
        turned();
        const slept = sleeper.jumped();
        if (slept !== null) runner.woke(slept);
        if (!asked.isEmpty()) await answer();
        else if (!(await runner.turn())) await sleeper.sleep(runner.dueAt(), signal);
      }
    } finally {
      asked.end("the daemon has stopped");
      await runner.stop();
    }
  }

  return {
    run,
    request: asked.request,
    exclusive: asked.exclusive,
    status: () => runner.status(),
    onEvent: publisher.listen,
    alive: () => turnedAt,
  };
}
