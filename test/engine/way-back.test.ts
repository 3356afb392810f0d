import { describe, expect, test } from "vitest";
import { goOnFrom, openFixture, remoteTexts, settle, type Fixture } from "../promises/fixture.ts";
import { Leftovers, Moment } from "../simulator/moment.ts";

/** In sync; then `d/a.md` is edited there. */
async function edited(): Promise<Moment> {
  const { rig, mirror } = openFixture(41);
  for (const name of ["a", "b"]) rig.app.create(`d/${name}.md`, `${name}\n\nas it was\n`);
  rig.app.create("k.md", "k\n");
  await settle(mirror);
  rig.app.edit("d/a.md", "a\n\nedited there\n");
  return new Moment({ rig, mirror });
}

/** The process that brings it here dies at a call. null: it came to its end before. */
async function killedWhile(beginning: Moment, call: number): Promise<Fixture | null> {
  const fixture = goOnFrom(beginning);
  const { mirror } = fixture;
  mirror.killAt(call);
  const report = await mirror.sync();
  mirror.killAt(null);
  return report === null ? fixture : null;
}

/** Each moment to die that leaves something open. */
async function eachMoment(then: (fixture: Fixture) => Promise<void>): Promise<void> {
  let aside = 0;
  const beginning = await edited();
  const leftovers = new Leftovers();
  for (let call = 1; ; call++) {
    const fixture = await killedWhile(beginning, call);
    if (fixture === null) break;
    const { mirror } = fixture;
    if (mirror.state.intents().length === 0) continue;
    if (asideOf(fixture).length > 0) aside++;
    if (leftovers.areAgain(fixture)) continue;
    await then(fixture);
    expect({ call, open: mirror.state.intents() }).toEqual({ call, open: [] });
    expect([...mirror.texts()].toSorted()).toEqual([...remoteTexts(fixture.rig)].toSorted());
  }
  expect(aside).toBeGreaterThan(3);
}

describe("I13 I14 what was taken aside finds its folder again, which was moved after the process died", () => {
  test.each([
    ["renamed", "e"],
    ["moved into another", "box/d"],
  ])("%s", async (_how, to) => {
    await eachMoment(async ({ rig, mirror, seen }) => {
      const ids = new Set(rig.app.files().keys());
      const id = rig.app.files().get("d/a.md")!.id;
      if (to.includes("/")) mirror.disk.user.makeFolder(mirror.path("box"));
      mirror.disk.user.rename(mirror.path("d"), mirror.path(to));
      seen.length = 0;
      await settle(mirror);
      expect(rig.app.files().get(`${to}/a.md`)).toMatchObject({ id, text: "a\n\nedited there\n" });
      expect(rig.app.files().size).toBe(ids.size);
      expect(
        seen.filter(({ method, path }) => method === "DELETE" || (method === "POST" && path === "/v1/files")),
      ).toEqual([]);
    });
  });

  test("and its document, which has been deleted there since, leaves nothing open", async () => {
    await eachMoment(async ({ rig, mirror }) => {
      mirror.disk.user.rename(mirror.path("d"), mirror.path("e"));
      rig.app.remove("d/a.md");
      await settle(mirror);
      expect([...remoteTexts(rig).keys()]).toEqual(expect.arrayContaining(["e/b.md", "k.md"]));
    });
  });

  test("and where it was deleted, it is made anew for what comes back", async () => {
    await eachMoment(async ({ rig, mirror }) => {
      mirror.disk.user.remove(mirror.path("d"));
      await settle(mirror);
      expect([...remoteTexts(rig).keys()]).not.toContain("d/b.md");
    });
  });
});

function asideOf({ mirror }: Fixture): string[] {
  return [...mirror.disk.user.texts(mirror.path(".mdmirror/tmp"), true).keys()].filter((path) =>
    path.startsWith("park-"),
  );
}
