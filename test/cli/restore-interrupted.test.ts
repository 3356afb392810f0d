import { once } from "node:events";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createProcessIo } from "../../src/cli/process-io.ts";
import { useRig } from "./rig.ts";
import { stopWhen } from "./stopping-clock.ts";

/**
 * A command that its user interrupts reports what it did. No sync follows, and the change can be
 * undone.
 */

const EDITED = Array.from({ length: 40 }, (_, n) => `n${10 + n}.md`);
const FLOUR = (name: string) => `# ${name}\n\nflour\n`;

const rig = useRig();

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
