import { describe, expect, test } from "vitest";
import { guardKey } from "../../src/core/verdict/guard-key.ts";
import { META } from "../../src/engine/meta.ts";
import type { RunReport } from "../../src/engine/report.ts";
import type { Settings } from "../../src/engine/world.ts";
import { type Ground, openGround, settle } from "./ground.ts";

const paths = Array.from({ length: 6 }, (_, n) => `d/n${n}.md`);

async function approveAndSync({ mirror }: Ground): Promise<void> {
  const { stopped } = (await mirror.sync())!;
  mirror.state.setMeta(META.approved, JSON.stringify(stopped.map(guardKey)));
  await settle(mirror);
}

describe("I21 I22 a halt by an emptied side stays until somebody approves, whatever the mirror brings there meanwhile", () => {
  async function inSync(seed: number): Promise<Ground> {
    const ground = openGround(seed);
    for (const path of paths) ground.rig.app.create(path, `${path}\n`);
    await settle(ground.mirror);
    return ground;
  }

  test("all documents removed here, and new ones there", async () => {
    const ground = await inSync(24);
    const { rig, mirror } = ground;
    for (const path of paths) mirror.disk.user.remove(mirror.path(path));
    rig.app.edit("d/n0.md", "edited there\n");
    rig.app.create("e/new.md", "new\n");
    for (let run = 0; run < 3; run++) expect(await mirror.sync()).toMatchObject({ state: "halted" });
    expect([...mirror.texts().keys()]).toEqual(["d/n0.md", "e/new.md"]);
    expect(rig.app.files().size).toBe(7);
    await approveAndSync(ground);
    expect(rig.app.files().size).toBe(2);
    expect(await mirror.sync()).toMatchObject({ state: "in-sync" });
  });

  test("all documents removed there, and new ones here", async () => {
    const ground = await inSync(25);
    const { rig, mirror } = ground;
    rig.app.create("k.md", "k\n");
    await settle(mirror);
    for (const path of [...paths, "k.md"]) rig.app.remove(path);
    for (const path of ["new.md", "new-2.md"]) mirror.write(path, `${path}\n`);
    expect(await mirror.sync()).toMatchObject({ state: "halted" });
    // It is the right workspace, and they may be gone; nobody has said yet that they may go here.
    mirror.state.setMeta(META.approved, JSON.stringify(["wrong-workspace"]));
    for (let run = 0; run < 3; run++) expect(await mirror.sync()).toMatchObject({ state: "halted" });
    expect(rig.app.files().size).toBe(2);
    expect(mirror.texts().size).toBe(9);
    await approveAndSync(ground);
    expect(mirror.texts().size).toBe(2);
    expect(await mirror.sync()).toMatchObject({ state: "in-sync" });
  });

  test("what is there again ends it by itself", async () => {
    const { rig, mirror } = await inSync(26);
    for (const path of paths) mirror.disk.user.remove(mirror.path(path));
    rig.app.create("e/new.md", "new\n");
    expect(await mirror.sync()).toMatchObject({ state: "halted" });
    for (const path of paths) mirror.write(path, `${path}\n`);
    expect(await mirror.sync()).toMatchObject({ state: "in-sync" });
    mirror.disk.user.remove(mirror.path("d/n1.md"));
    await settle(mirror);
    expect(rig.app.files().size).toBe(6);
  });
});

test("I21 what a process that died had aside, and comes back, is no sign that the others were meant to go", async () => {
  let times = 0;
  for (let call = 1; ; call++) {
    const { rig, mirror, seen } = openGround(33);
    for (const path of paths) rig.app.create(path, `${path}\n`);
    await settle(mirror);
    rig.app.edit(paths[0]!, "edited there\n");
    mirror.killAt(call);
    if ((await mirror.sync()) !== null) break;
    mirror.killAt(null);
    // The moment between its leaving and the new text's coming.
    if (mirror.texts().has(paths[0]!)) continue;
    times++;
    for (const path of paths.slice(1)) mirror.disk.user.remove(mirror.path(path));
    expect((await mirror.sync())?.halt?.reasons.map(({ reason }) => reason)).toEqual(["local-emptied"]);
    expect(seen.filter(({ method }) => method === "DELETE")).toEqual([]);
  }
  expect(times).toBeGreaterThan(0);
});

describe("I22 an emptied service that was approved, and leaves the documents here as they are, halts no run more", () => {
  const reasons = (report: RunReport | null): unknown => report?.halt?.reasons.map(({ reason }) => reason);

  test.each(["a mirror that only pushes", "all of them edited here"])("%s", async (how) => {
    const { rig, mirror } = openGround(32);
    const settings: Partial<Settings> = how.includes("pushes") ? { direction: "push-only" } : {};
    for (const path of paths) rig.app.create(path, `${path}\n`);
    await settle(mirror);
    for (const path of paths) {
      rig.app.remove(path);
      if (settings.direction === undefined) mirror.write(path, `edited\n${path}\n`);
    }
    expect(reasons(await mirror.sync(settings))).toEqual(["wrong-workspace"]);
    mirror.state.setMeta(META.approved, JSON.stringify(["wrong-workspace"]));
    const texts = [...mirror.texts()];
    for (let run = 0; run < 3; run++) {
      const { state, attention } = (await mirror.sync(settings))!;
      expect({ state, held: attention.length }).toEqual({ state: "attention", held: paths.length });
    }
    expect([...mirror.texts()]).toEqual(texts);
    expect(rig.app.files().size).toBe(0);
    expect(mirror.state.meta(META.approved)).toBeNull();
    // Something known is visible again, which ends it: the next time somebody is asked.
    mirror.write("new.md", "new\n");
    expect(reasons(await mirror.sync(settings))).toBeUndefined();
    expect(rig.app.files().size).toBe(1);
    expect(reasons(await mirror.sync(settings))).toBeUndefined();
    rig.app.remove("new.md");
    expect(reasons(await mirror.sync(settings))).toEqual(["wrong-workspace"]);
    expect([...mirror.texts()]).toEqual([...texts, ["new.md", "new\n"]]);
  });
});

describe("I04 a mirror of a part of which nothing is left knows by what left it whether this is its workspace", () => {
  /** Six documents in `work`, one of which was moved out. */
  async function oneOutside(seed: number): Promise<Ground> {
    const ground = openGround(seed, {}, { prefix: "work" });
    const { rig, mirror } = ground;
    for (const path of paths) rig.app.create(`work/${path}`, `${path}\n`);
    await settle(mirror);
    rig.app.move("work/d/n0.md", null);
    await settle(mirror);
    expect(mirror.texts().size).toBe(5);
    return ground;
  }

  test("that is there: the others are gone, and go from here when somebody says so", async () => {
    const ground = await oneOutside(27);
    for (const path of paths.slice(1)) ground.rig.app.remove(`work/${path}`);
    expect((await ground.mirror.sync())?.halt?.reasons.map(({ reason }) => reason)).toEqual(["remote-emptied"]);
    expect(ground.mirror.texts().size).toBe(5);
    await approveAndSync(ground);
    expect(ground.mirror.texts().size).toBe(0);
  });

  test("that is not there either: nothing is proven, and somebody is asked", async () => {
    const { rig, mirror } = await oneOutside(28);
    for (const path of [...paths.slice(1).map((one) => `work/${one}`), "n0.md"]) rig.app.remove(path);
    expect((await mirror.sync())?.halt?.reasons.map(({ reason }) => reason)).toEqual(["wrong-workspace"]);
    expect(mirror.texts().size).toBe(5);
  });

  test("fewer than five are believed to be gone, however many had left before", async () => {
    const { rig, mirror } = await oneOutside(29);
    rig.app.move("work/d/n1.md", null);
    rig.app.move("work/d/n2.md", null);
    await settle(mirror);
    for (const path of [...paths.slice(3).map((one) => `work/${one}`), "n0.md", "n1.md", "n2.md"]) rig.app.remove(path);
    await settle(mirror);
    expect(mirror.texts().size).toBe(0);
    expect(await mirror.sync()).toMatchObject({ state: "in-sync" });
  });
});
