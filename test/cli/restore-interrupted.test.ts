import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { processIo } from "../../src/cli/process-io.ts";
import { type Ran, useRig } from "./rig.ts";
import { stopWhen as stopRigWhen } from "./stopping-clock.ts";

/** What a person stops says what it did, is not followed by a sync, and can be taken back. */

const NAMES = Array.from({ length: 40 }, (_, n) => `n${10 + n}.md`);
const FLOUR = (name: string) => `# ${name}\n\nflour\n`;

const rig = useRig();
beforeEach(async () => {
  for (const path of NAMES) rig.createRemotely(path, FLOUR(path));
  await rig.init();
});

const read = (name: string) => readFileSync(join(rig.root, name), "utf8");
const here = (word: string) => NAMES.filter((name) => read(name).includes(word));
const there = (word: string) => NAMES.filter((name) => rig.remote(name)!.content.includes(word));
const run = (...argv: string[]) => rig.run(argv, { cwd: rig.root });

/** Writes other texts locally and sends them. @returns the run */
async function changeAll(): Promise<string> {
  for (const name of NAMES) rig.write(name, FLOUR(name).replace("flour", "oats"));
  expect((await run("sync")).code).toBe(0);
  const { out } = await run("undo", "--dry-run", "--json");
  return String((JSON.parse(out[0]!) as { runs: number[] }).runs[0]);
}

const stopWhen = (isSo: () => boolean, ...argv: string[]) => stopRigWhen(rig, isSo, ...argv);

const stopped = (back: number, again = "the same command again") => [
  "mdmirror: stopped; no sync followed",
  `  next: upload the changes: mdmirror sync; continue: ${again}; undo it: mdmirror undo ${back}`,
];
const numberOf = ({ err }: Ran) => Number(/mdmirror undo (\d+)$/.exec(err.at(-1)!)![1]);

describe("stopped", () => {
  test("undo has taken some back, names the command that continues, and that command does", async () => {
    const changed = await changeAll();
    const ran = await stopWhen(() => here("flour").length === 5, "undo", changed, "--yes");
    expect(ran.code).toBe(3);
    expect(ran.out.at(-2)).toBe("5 undone, 35 not done");
    expect(ran.err).toEqual(stopped(numberOf(ran), `mdmirror undo ${changed}`));
    expect([here("flour").length, there("flour")]).toEqual([5, []]);
    await run("undo", changed, "--yes");
    expect([here("flour"), there("flour")]).toEqual([NAMES, NAMES]);
  });
});

describe("of the process", () => {
  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "the first %s is heard, and nobody listens for the second, which ends it",
    async (signal) => {
      const before = process.listenerCount(signal);
      const { value, isStopped } = await processIo().stoppable(async (stop) => {
        expect(process.listenerCount(signal)).toBe(before + 1);
        const heard = once(stop, "abort");
        // As Node does where a signal comes: the process's other listeners are not this test's.
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
    await processIo().stoppable(async () => {
      (process.rawListeners("SIGINT").at(-1) as () => void)();
      vi.advanceTimersByTime(999);
      expect(written).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1);
    });
    const line = "mdmirror: stopping after the current operation; press again to stop immediately\n";
    expect(written.mock.calls).toEqual([[line]]);
  });
});
