import { describe, expect, test } from "vitest";
import { goOnFrom, openFixture, remoteTexts, settle, type Fixture } from "../promises/fixture.ts";
import { killAtEachCall } from "../simulator/kill-at-each-call.ts";
import type { Pair } from "../simulator/moment.ts";

/** In sync; then `d/a.md` is edited on the service. */
async function edited(): Promise<Pair> {
  const { rig, mirror } = openFixture(41);
  for (const name of ["a", "b"]) rig.app.create(`d/${name}.md`, `${name}\n\nas it was\n`);
  rig.app.create("k.md", "k\n");
  await settle(mirror);
  rig.app.edit("d/a.md", "a\n\nedited there\n");
  return { rig, mirror };
}

/** Each moment to die that leaves something open. */
async function eachMoment(then: (fixture: Fixture) => Promise<void>): Promise<void> {
  let aside = 0;
  await killAtEachCall(await edited(), {
    open: goOnFrom,
    async judge(fixture, call, lived) {
      const { rig, mirror } = fixture;
      if (lived || mirror.state.intents().length === 0) return;
      if (asideOf(fixture).length > 0) aside++;
      await then(fixture);
      expect({ call, open: mirror.state.intents() }).toEqual({ call, open: [] });
      expect([...mirror.texts()].toSorted()).toEqual([...remoteTexts(rig)].toSorted());
    },
  });
  expect(aside).toBeGreaterThan(1);
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

  test("and its document, deleted on the service since, leaves nothing open", async () => {
    await eachMoment(async ({ rig, mirror }) => {
      mirror.disk.user.rename(mirror.path("d"), mirror.path("e"));
      rig.app.remove("d/a.md");
      await settle(mirror);
      expect([...remoteTexts(rig).keys()]).toEqual(expect.arrayContaining(["e/b.md", "k.md"]));
    });
  });

  test("and if the folder was deleted, it is created again for the restored file", async () => {
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
