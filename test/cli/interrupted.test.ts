import type { Clock } from "../../src/common/clock.ts";
import { type CommandResult, type Rig, useRig } from "./rig.ts";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { once } from "node:events";
import { createProcessIo } from "../../src/cli/process-io.ts";

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

function stopWhen(rig: Rig, isSo: () => boolean, ...argv: string[]): Promise<CommandResult> {
  const clock = new StoppingClock(rig, isSo);
  return rig.run(argv, { cwd: rig.root, clock, stop: clock.stop.signal });
}

/** More documents than one sync downloads at the same time. */
const COUNT = 60;
const PATHS = Array.from({ length: COUNT }, (_, n) => `n${100 + n}.md`);

const rig = useRig();

const run = (...argv: string[]) => rig.run(argv, { cwd: rig.root });
const here = () => PATHS.filter((name) => rig.exists(name));
const there = () => PATHS.filter((name) => rig.remote(name) !== null);
const isOneThere = () => PATHS.some((name) => rig.remote(name) !== null);
const stopLines = (left: number) => [
  `unfinished: the run was stopped before it made ${left} more changes`,
  "  next: mdmirror sync",
];

function createOnService(): void {
  for (const path of PATHS) rig.createRemotely(path, `# ${path}\n\ntext\n`);
}

async function editAndGoOn(): Promise<void> {
  const came = here();
  for (const name of came) rig.write(name, `# ${name}\n\ntext\n\nedited locally\n`);
  rig.pass(60_000);
  expect(await rig.syncCounts()).toEqual({ uploaded: came.length, createdLocal: COUNT - came.length });
  for (const name of came) expect(rig.remote(name)!.content).toContain("edited locally");
}

describe("a sync that is stopped", () => {
  test("as it brings many documents knows those that came", async () => {
    await rig.init();
    createOnService();
    const { code, err } = await stopWhen(rig, () => here().length > 0, "sync");
    const left = COUNT - here().length;
    expect(left).toBeGreaterThan(0);
    expect([code, err]).toEqual([3, stopLines(left)]);
    expect((await run("status")).code).toBe(3);
    await editAndGoOn();
  });

  test("as it sends many has sent whole ones, and the next sends the rest, each once", async () => {
    await rig.init();
    for (const name of PATHS) rig.write(name, `# ${name}\n\nnew\n`);
    const { code, out } = await stopWhen(rig, isOneThere, "sync", "--json", "--wait-for", PATHS.at(-1)!);
    const sent = there().length;
    expect(sent).toBeLessThan(COUNT);
    expect(code).toBe(3);
    expect(JSON.parse(out[0]!)).toMatchObject({ state: "attention", counts: { createdRemote: sent } });
    expect(await rig.syncCounts()).toEqual({ createdRemote: COUNT - sent });
    expect(there()).toEqual(PATHS);
  });
});

/**
 * A command that its user interrupts reports what it did. No sync follows, and the change can be
 * undone.
 */

const EDITED = Array.from({ length: 40 }, (_, n) => `n${10 + n}.md`);
const FLOUR = (name: string) => `# ${name}\n\nflour\n`;

test("an undo that is stopped names the command that continues, and that command does", async () => {
  for (const path of EDITED) rig.createRemotely(path, FLOUR(path));
  await rig.init();
  const run = (...argv: string[]) => rig.run(argv, { cwd: rig.root });
  const here = () => EDITED.filter((name) => rig.read(name).includes("flour"));
  const there = () => EDITED.filter((name) => rig.remote(name)!.content.includes("flour"));
  for (const name of EDITED) rig.write(name, FLOUR(name).replace("flour", "oats"));
  const { run: number } = await rig.json<{ readonly run: number }>(["sync"], { cwd: rig.root });
  const changed = String(number);
  const ran = await stopWhen(rig, () => here().length === 5, "undo", changed, "--yes");
  expect([ran.code, ran.out.at(-2)]).toEqual([3, "5 undone, 35 not done"]);
  const back = /mdmirror undo (\d+)$/.exec(ran.err.at(-1)!)![1];
  expect(ran.err).toEqual([
    "mdmirror: stopped; no sync followed",
    `  next: upload the changes: mdmirror sync; continue: mdmirror undo ${changed}; undo it: mdmirror undo ${back}`,
  ]);
  expect([here().length, there()]).toEqual([5, []]);
  await run("undo", changed, "--yes");
  expect([here(), there()]).toEqual([EDITED, EDITED]);
});

describe("of the process", () => {
  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "the first %s is heard, and nobody listens for the second, which ends it",
    async (signal) => {
      const before = process.listenerCount(signal);
      const { value, isStopped } = await createProcessIo().stoppable(async (stop) => {
        expect(process.listenerCount(signal)).toBe(before + 1);
        const heard = once(stop, "abort");
        // Calls the newest listener of the signal only: the others belong to the test runner.
        (process.rawListeners(signal).at(-1) as () => void)();
        await heard;
        expect(process.listenerCount(signal)).toBe(before);
        return "what was done";
      });
      expect([value, isStopped, process.listenerCount(signal)]).toEqual(["what was done", true, before]);
    },
  );

  test("what does not end for a second says that it stops, and how to end it immediately", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    onTestFinished(() => {
      vi.useRealTimers();
      written.mockRestore();
    });
    await createProcessIo().stoppable(async () => {
      (process.rawListeners("SIGINT").at(-1) as () => void)();
      vi.advanceTimersByTime(999);
      expect(written).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1);
    });
    const line = "mdmirror: stopping after the current operation; press again to stop immediately\n";
    expect(written.mock.calls).toEqual([[line]]);
  });
});
