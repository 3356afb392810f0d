import { describe, expect, it } from "vitest";
import { Moment, type Pair } from "./moment.ts";
import { createRig, type Deployment } from "./rig.ts";

/** Returns two sides with changes to sync and unfinished work: a conflict, a set-aside file. */
async function busy(deployment: Deployment): Promise<Pair> {
  const rig = createRig(5, deployment);
  for (const n of [1, 2, 3, 4]) rig.app.create(`d/n${n}.md`, `text ${n}\n`);
  const mirror = rig.mirror();
  await mirror.sync();
  rig.app.edit("d/n1.md", "there\n");
  mirror.write("d/n1.md", "here\n");
  rig.app.edit("d/n2.md", "newer\n");
  mirror.killAt(150);
  await mirror.syncTimes(2);
  mirror.rename("d/n3.md", "moved.md");
  mirror.remove("d/n4.md");
  mirror.write("new.md", "new\n");
  rig.app.rename("d/n2.md", "n2-renamed.md");
  rig.app.makeFolder("empty");
  return { rig, mirror };
}

/**
 * Continues with actions that draw random numbers, ids, inodes and times. Returns both sides at the
 * end.
 */
async function goOn({ rig, mirror }: Pair): Promise<object> {
  mirror.killAt(60);
  await mirror.sync();
  await mirror.syncTimes(3);
  rig.app.create("late.md", "late\n");
  await mirror.sync();
  return describePair({ rig, mirror });
}

function describePair({ rig, mirror }: Pair): object {
  return {
    files: [...rig.app.files().values()],
    texts: [...mirror.texts()],
    state: mirror.state.load(),
    events: mirror.state.events({ limit: 1_000 }),
    requests: mirror.requests,
    dice: rig.dice.seedNow(),
    elapsed: rig.clock.monotonic(),
  };
}

describe.each<[string, Deployment]>([
  ["the service as it is", {}],
  ["a service with change ids that move", { changeIdMovesOnRename: true, maxPageSize: 2 }],
])("I32 a copy of a rig, %s", (_, deployment) => {
  it("continues like its original, and again from the same copy", async () => {
    const pair = await busy(deployment);
    const moment = new Moment(pair);
    const [before, itself, after] = [moment.open(deployment), pair, moment.open(deployment)];
    const ends = [await goOn(before), await goOn(itself), await goOn(after)];
    expect(ends[0]).toEqual(ends[1]);
    expect(ends[2]).toEqual(ends[1]);
  });
});
