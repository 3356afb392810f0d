import { expect, it } from "vitest";
import { syncToConvergence } from "../../src/mirror/engine/run/converge.ts";
import type { RunReport } from "../../src/mirror/engine/run/report.ts";
import { type Mirror, SETTINGS } from "./mirror.ts";
import { Moment, type Pair } from "./moment.ts";
import { createRig } from "./rig.ts";

/**
 * A user interrupts a sync at each disk call. The next syncs must end like one uninterrupted sync.
 */

const LINES = "a line that stays as it is\n".repeat(5);

/**
 * Returns a moment with edits on both sides, a swap of names, a renamed folder, and new and deleted
 * documents on both sides.
 */
async function begin(): Promise<Moment> {
  const rig = createRig(7);
  for (const path of ["a.md", "b.md", "c.md", "d.md", "gone.md", "in/x.md", "in/y.md", "out/z.md"])
    rig.app.create(path, `# ${path}\n\n${LINES}`);
  const mirror = rig.mirror();
  await mirror.sync();
  mirror.rename("a.md", "spare.md");
  mirror.rename("b.md", "a.md");
  mirror.rename("spare.md", "b.md");
  mirror.rename("in", "within");
  mirror.remove("gone.md");
  mirror.write("c.md", `# c.md\n\n${LINES}mine\n`);
  mirror.write("d.md", `# d.md, edited locally\n\n${LINES}`);
  mirror.write("new/here.md", "created locally\n");
  rig.app.edit("c.md", `# c.md\n\n${LINES}theirs\n`);
  rig.app.edit("d.md", `# d.md\n\n${LINES}and there\n`);
  rig.app.create("new/there.md", "new there\n");
  mirror.disk.advance(60_000);
  return new Moment({ rig, mirror });
}

/**
 * Runs one sync that a user interrupts at disk call number `at`, counted while its plans are
 * applied.
 * @param changed gets the numbers of the calls before which something changed; an interruption at
 * another call has the same result
 */
async function syncStopped(mirror: Mirror, at: number | null, changed: number[] = []): Promise<RunReport> {
  const stopping = new AbortController();
  const world = mirror.world();
  let calls = 0;
  let before = -1;
  let isApplying = false;
  mirror.disk.beforeCall = () => {
    if (!isApplying) return;
    if (++calls === at) stopping.abort();
    const changes = mirror.changes();
    if (changes !== before) changed.push(calls);
    before = changes;
  };
  const settings = { settings: SETTINGS, retryRefused: true, kind: "sync" };
  const end = await syncToConvergence(
    {
      ...world,
      progress: {
        report: (phase) => {
          isApplying = phase === "apply";
        },
      },
      stoppable: async (work) => ({ value: await work(stopping.signal), isStopped: stopping.signal.aborted }),
    },
    settings,
  );
  mirror.disk.beforeCall = null;
  mirror.disk.advance(10);
  return end;
}

async function settled({ rig, mirror }: Pair): Promise<object> {
  await mirror.syncTimes(3);
  const files = [...rig.app.texts()];
  return { here: [...mirror.texts()], there: files.toSorted(), conflicts: mirror.state.load().conflicts.size };
}

it("I13 a run that is stopped at each call of the disk ends as one that is not", async () => {
  const beginning = await begin();
  const whole = await settled(beginning.open());
  const calls: number[] = [];
  await syncStopped(beginning.open().mirror, null, calls);
  expect(calls.length).toBeGreaterThan(20);
  for (const at of calls) {
    const pair = beginning.open();
    const report = await syncStopped(pair.mirror, at);
    expect({ at, isStopped: report.isStopped, state: report.state }).toEqual({
      at,
      isStopped: true,
      state: "attention",
    });
    expect(report.attention.map(({ kind }) => kind)).toContain("unfinished");
    expect({ at, ...(await settled(pair)) }).toEqual({ at, ...whole });
  }
});
