import { describe, expect, test } from "vitest";
import { continueFrom, openFixture, settle } from "../promises/fixture.ts";
import { killAtEachCall } from "../simulator/moment.ts";

/** Moves of a file or a folder, and the number of PATCH requests of each. */
const MOVES = [
  ["a.md", "b.md", 1],
  ["a.md", "d/a.md", 1],
  ["a.md", "d/b.md", 2],
  ["f", "g", 1],
  ["f", "d/f", 1],
  ["f", "d/g", 2],
] as const;

const CASES = MOVES.flatMap(([from, to, patches]) =>
  Array.from({ length: patches }, (_, index) =>
    (["drop-before", "drop-after"] as const).map((fault) => [from, to, index + 1, fault] as const),
  ).flat(),
);

/**
 * Kills mdmirror in the nth PATCH of a move.
 * @param fault whether the service executed that PATCH
 */
async function diedInMove(from: string, to: string, nth: number, fault: "drop-before" | "drop-after") {
  const fixture = openFixture(61);
  const { rig, mirror } = fixture;
  for (const path of ["a.md", "d/stays.md", "f/x.md"]) rig.app.create(path, `${path}\n`);
  await settle(mirror);
  const before = rig.app.texts();
  mirror.rename(from, to);
  let patches = 0;
  fixture.onRequest = ({ method }) => {
    if (method === "PATCH" && ++patches === nth) mirror.killAt(1);
  };
  fixture.fault = ({ method }) => (method === "PATCH" && patches === nth ? fault : null);
  expect(await mirror.sync()).toBeNull();
  expect(patches).toBe(nth);
  fixture.fault = () => null;
  fixture.onRequest = () => undefined;
  return { rig, mirror, before };
}

describe.each(CASES)("%s moved to %s, the process killed in PATCH %i (%s)", (from, to, nth, fault) => {
  test("I09 I13 what its user moves back is back on the service, too", async () => {
    const { rig, mirror, before } = await diedInMove(from, to, nth, fault);
    mirror.rename(to, from);
    await settle(mirror);
    expect(mirror.texts()).toEqual(before);
    expect(rig.app.texts()).toEqual(before);
    expect(mirror.requests.filter((request) => /^(?:POST|DELETE)/.test(request))).toEqual([]);
  });
  test("I09 I13 the same where something new is at the place that was given up", async () => {
    const { rig, mirror, before } = await diedInMove(from, to, nth, fault);
    mirror.rename(to, from);
    const added = from.endsWith(".md") ? to : `${to}/new.md`;
    if (added !== to) mirror.disk.user.makeFolder(mirror.path(to));
    mirror.disk.user.write(mirror.path(added), "new\n");
    await settle(mirror);
    const after = [...before, [added, "new\n"]] as const;
    expect(rig.app.texts()).toEqual(new Map(after.toSorted(([a], [b]) => (a < b ? -1 : 1))));
    expect(mirror.texts()).toEqual(rig.app.texts());
    expect(mirror.writes("DELETE")).toEqual([]);
  });
});

describe.each([
  ["a file", "a.md", "b.md"],
  ["a folder", "f", "g"],
])("%s is moved on the service, mdmirror is killed after the same local move", (_what, from, to) => {
  test("I09 I13 the user's later move goes to the service", async () => {
    const { rig, mirror } = openFixture(62);
    for (const path of ["a.md", "f/x.md", "f/y.md", "stays.md"]) rig.app.create(path, `${path}\n`);
    await settle(mirror);
    const ids = [...rig.app.files().values()].map(({ id }) => id).toSorted();
    if (from === "f") rig.app.renameFolder("f", "g");
    else rig.app.rename(from, to);
    if (from === "f") rig.app.rename("g/x.md", "z.md");
    rig.app.edit("stays.md", "edited\n");
    let moved = 0;
    await killAtEachCall(
      { rig, mirror },
      {
        open: continueFrom,
        async judge({ rig, mirror }) {
          const isAt = (at: string): boolean => [...mirror.texts().keys()].some((path) => path.startsWith(at));
          // The journal still has the move. Without its end, nobody can know which of two moves
          // came first.
          const isOpen = mirror.state.intents().some(({ intent }) => intent.kind.startsWith("move"));
          if (isOpen || isAt(from) || !isAt(to)) return;
          moved++;
          const later = to === "g" ? "later" : "later.md";
          mirror.rename(to, later);
          await mirror.sync();
          // The first sync records all paths, so the next sync finds no difference from base.
          const records = [...mirror.state.load().records.values()];
          expect(records.map(({ localPath }) => localPath).toSorted()).toEqual([...mirror.texts().keys()].toSorted());
          await settle(mirror);
          const paths = [...rig.app.texts().keys()];
          expect(paths.filter((path) => path.startsWith(later))).not.toEqual([]);
          expect(paths.filter((path) => path.startsWith(to))).toEqual([]);
          expect([...mirror.texts().keys()].toSorted()).toEqual(paths.toSorted());
          expect([...rig.app.files().values()].map(({ id }) => id).toSorted()).toEqual(ids);
        },
      },
    );
    expect(moved).toBeGreaterThan(2);
  });
});
