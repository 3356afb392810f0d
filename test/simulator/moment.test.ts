import { describe, expect, it } from "vitest";
import { Moment, type Pair } from "./moment.ts";
import { createRig, type Deployment } from "./rig.ts";

/**
 * Both sides have something to do, and open ends lie about: a conflict, a file that was taken
 * aside.
 */
async function busy(deployment: Deployment): Promise<Pair> {
  const rig = createRig(5, deployment);
  for (const n of [1, 2, 3, 4]) rig.app.create(`d/n${n}.md`, `text ${n}\n`);
  const mirror = rig.mirror();
  await mirror.sync();
  rig.app.edit("d/n1.md", "there\n");
  mirror.write("d/n1.md", "here\n");
  rig.app.edit("d/n2.md", "newer\n");
  mirror.killAt(150);
  await mirror.sync();
  await mirror.sync();
  mirror.disk.user.rename(mirror.path("d/n3.md"), mirror.path("moved.md"));
  mirror.disk.user.remove(mirror.path("d/n4.md"));
  mirror.write("new.md", "new\n");
  rig.app.rename("d/n2.md", "n2-renamed.md");
  rig.app.makeFolder("empty");
  return { rig, mirror };
}

/** What may draw dice, take ids and inodes, and tell the time. */
async function goOn({ rig, mirror }: Pair): Promise<Moment> {
  mirror.killAt(60);
  await mirror.sync();
  for (let n = 0; n < 3; n++) await mirror.sync();
  rig.app.create("late.md", "late\n");
  await mirror.sync();
  return new Moment({ rig, mirror });
}

describe.each<[string, Deployment]>([
  ["the service as it is", {}],
  ["a service with change ids that move", { changeIdMovesOnRename: true, maxPageSize: 2 }],
])("I32 a copy of a rig, %s", (_, deployment) => {
  it("goes on, byte for byte, as what it was copied from does; and again from the same copy", async () => {
    const pair = await busy(deployment);
    const moment = new Moment(pair);
    const ends = [await goOn(moment.open(deployment)), await goOn(pair), await goOn(moment.open(deployment))];
    for (const end of ends) expect(end.equals(ends[1]!)).toBe(true);
    expect(new Moment(moment.open(deployment)).equals(moment)).toBe(true);
  });

  it("is another one after a save, a request or a moment of waiting", async () => {
    const moment = new Moment(await busy(deployment));
    const acts: ((pair: Pair) => unknown)[] = [
      ({ mirror }) => mirror.disk.user.write(mirror.path("new.md"), "new\n"),
      ({ mirror }) => mirror.state.setMeta("x", "y"),
      ({ rig }) => rig.app.call("GET", "/v1/files"),
      ({ rig }) => rig.clock.sleep(1),
      ({ mirror }) => mirror.requests.push("GET /"),
    ];
    for (const act of acts) {
      const pair = moment.open(deployment);
      await act(pair);
      expect(new Moment(pair).equals(moment), String(act)).toBe(false);
    }
  });
});
