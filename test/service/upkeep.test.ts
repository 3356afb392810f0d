import { describe, expect, onTestFinished, test, vi } from "vitest";
import { startUpkeep } from "../../src/service/upkeep.ts";

function watched(steps: ("more" | "done" | Error)[]) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let write = () => undefined as unknown;
  const state = { served: 0, steps: 0, faults: [] as unknown[] };
  const stop = startUpkeep(
    {
      pruneStep: async () => "done",
      holdReserve: () => undefined,
      saveUses: async () => undefined,
      served: () => state.served,
      onWrite: (listener) => {
        write = listener;
      },
      indexStep: async () => {
        state.steps++;
        vi.advanceTimersByTime(5);
        const next = steps.shift() ?? "done";
        if (next instanceof Error) throw next;
        return next;
      },
    },
    (error) => state.faults.push(error),
  );
  return { state, stop, write: () => write() };
}

describe("indexing in steps", () => {
  test("follows a write within 50 ms, and many that come together once", async () => {
    const { state, stop, write } = watched([]);
    await vi.advanceTimersByTimeAsync(45);
    expect(state.steps).toBe(1);
    for (let n = 0; n < 10; n++) write();
    await vi.advanceTimersByTimeAsync(45);
    expect(state.steps).toBe(2);
    await vi.advanceTimersByTimeAsync(100_000);
    expect(state.steps).toBe(2);
    stop();
  });

  test("continues until all is done, and leaves time to requests while any come", async () => {
    const { state, stop } = watched(["more", "more", "more", "done"]);
    await vi.advanceTimersByTimeAsync(16);
    expect(state.steps).toBe(4);
    stop();
    const busy = watched(["more", "more"]);
    busy.state.served = 1;
    await vi.advanceTimersByTimeAsync(34);
    expect(busy.state.steps).toBe(1);
    await vi.advanceTimersByTimeAsync(2);
    expect(busy.state.steps).toBe(3);
    busy.stop();
  });

  test("reports a fault once and tries again a minute later; ends when stopped", async () => {
    const { state, stop } = watched([new Error("disk full"), "more"]);
    await vi.advanceTimersByTimeAsync(59_000);
    expect([state.steps, state.faults]).toEqual([1, [new Error("disk full")]]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(state.steps).toBe(3);
    stop();
  });
});
