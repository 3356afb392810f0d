import { describe, expect, test } from "vitest";
import { type Fixture, openFixture, problem, remoteTexts, settle } from "../promises/fixture.ts";
import type { Mirror } from "../simulator/mirror.ts";
import type { Rig } from "../simulator/rig.ts";

/** The name of a conflict copy belongs to one version, and a choice refers to that version. */

const text = (first: string, last = "end") => `${first}\n\nmiddle\n\nof it\n\n${last}\n`;
const [MINE, V1, V3] = [text("mine"), text("theirs 1"), text("theirs 3")];

/** A conflict whose copy `note (theirs).md` shows V1. */
class Opened {
  readonly rig: Rig;
  readonly mirror: Mirror;

  constructor({ rig, mirror }: Fixture) {
    this.rig = rig;
    this.mirror = mirror;
  }

  remove(name: string): void {
    this.mirror.disk.user.remove(this.mirror.path(name));
  }

  move(name: string, to: string): void {
    this.mirror.disk.user.rename(this.mirror.path(name), this.mirror.path(to));
  }

  local(): object {
    return Object.fromEntries([...this.mirror.texts()].filter(([path]) => path !== "n.md"));
  }

  live(path = "note.md"): string | undefined {
    return remoteTexts(this.rig).get(path);
  }
}

async function inConflict(seed: number | Fixture): Promise<Opened> {
  const fixture = typeof seed === "number" ? openFixture(seed) : seed;
  const { rig, mirror } = fixture;
  rig.app.create("note.md", text("one"));
  rig.app.create("n.md", "n\n");
  await settle(mirror);
  mirror.write("note.md", MINE);
  rig.app.edit("note.md", V1);
  await settle(mirror);
  const opened = new Opened(fixture);
  expect(opened.local()).toEqual({ "note.md": MINE, "note (theirs).md": V1 });
  return opened;
}

test("I27 a newer version has a copy with a name of its own, and the copy before goes", async () => {
  const one = await inConflict(901);
  one.rig.app.edit("note.md", V3);
  await settle(one.mirror);
  expect(one.local()).toEqual({ "note.md": MINE, "note (theirs 2).md": V3 });
  one.rig.app.edit("note.md", text("theirs 4"));
  await settle(one.mirror);
  expect(one.local()).toEqual({ "note.md": MINE, "note (theirs 3).md": text("theirs 4") });
});

test("I27 a copy that is removed as soon as it was renewed ends the conflict", async () => {
  const one = await inConflict(902);
  one.rig.app.edit("note.md", V3);
  await settle(one.mirror);
  one.remove("note (theirs 2).md");
  await settle(one.mirror);
  expect([one.local(), one.live()]).toEqual([{ "note.md": MINE }, MINE]);
});

/** The time that passes between what its user does and the next sync, and between two syncs. */
const MILLISECONDS = [0, 61_000, 86_400_000];

describe.each(MILLISECONDS)("with %d ms between the syncs", (ms) => {
  test("I06 I29 removing the copy of a version does not decide about a later one, which nobody saw", async () => {
    const one = await inConflict(903);
    await one.rig.clock.sleep(ms);
    one.remove("note (theirs).md");
    one.rig.app.edit("note.md", V3);
    await one.rig.clock.sleep(ms);
    await settle(one.mirror);
    expect([one.local(), one.live()]).toEqual([{ "note.md": MINE, "note (theirs 2).md": V3 }, V3]);
    one.remove("note (theirs 2).md");
    await one.rig.clock.sleep(ms);
    await settle(one.mirror);
    expect([one.local(), one.live()]).toEqual([{ "note.md": MINE }, MINE]);
  });

  test("I06 I29 what a later version has elsewhere is merged with the text that was chosen over an earlier one", async () => {
    const one = await inConflict(904);
    one.remove("note (theirs).md");
    one.rig.app.edit("note.md", text("theirs 1", "end, edited there"));
    await one.rig.clock.sleep(ms);
    await settle(one.mirror);
    const merged = text("mine", "end, edited there");
    expect([one.local(), one.live()]).toEqual([{ "note.md": merged }, merged]);
  });
});

const EDITED = text("of both");

/** A conflict whose copy of V1 was edited before a later version came. */
async function edited(seed: number, later: string): Promise<Opened> {
  const opened = await inConflict(seed);
  opened.mirror.write("note (theirs).md", EDITED);
  opened.rig.app.edit("note.md", later);
  await settle(opened.mirror);
  expect(opened.local()).toEqual({ "note.md": MINE, "note (theirs).md": EDITED, "note (theirs 2).md": later });
  return opened;
}

describe("a copy that its user edited stays beside the copy of a newer version", () => {
  test("I27 moved over the document, it is a choice on the version that it was made of", async () => {
    const one = await edited(905, text("theirs 1", "end, edited there"));
    one.move("note (theirs).md", "note.md");
    await settle(one.mirror);
    const merged = text("of both", "end, edited there");
    expect([one.local(), one.live()]).toEqual([{ "note.md": merged }, merged]);
  });

  test("I06 I27 moved over the document, it does not decide about what does not merge with it", async () => {
    const one = await edited(906, V3);
    one.move("note (theirs).md", "note.md");
    await settle(one.mirror);
    expect([one.local(), one.live()]).toEqual([{ "note.md": EDITED, "note (theirs 2).md": V3 }, V3]);
  });

  const later = text("theirs 1", "end, edited there");
  const merged = text("mine", "end, edited there");
  test.each([
    ["does not merge", V3, { "note.md": MINE, "note (theirs 2).md": V3 }, V3],
    ["merges", later, { "note.md": merged }, merged],
  ])("I06 I27 removed, it does not decide about a newer version, which %s", async (_, newer, local, live) => {
    const one = await edited(907, newer);
    one.remove("note (theirs).md");
    await settle(one.mirror);
    expect([one.local(), one.live()]).toEqual([local, live]);
  });

  test("I27 both copies go with their document, and both end with the conflict", async () => {
    const one = await edited(908, V3);
    one.move("note.md", "moved.md");
    await settle(one.mirror);
    expect(one.local()).toEqual({ "moved.md": MINE, "moved (theirs).md": EDITED, "moved (theirs 2).md": V3 });
    one.remove("moved (theirs 2).md");
    await settle(one.mirror);
    expect([one.local(), one.live(), one.live("moved.md")]).toEqual([{ "moved.md": MINE }, undefined, MINE]);
  });
});

/** The new version of the document in conflict is read once the other conflict is open. */
test("I06 I27 a copy of another document at the same path does not take the place of this one", async () => {
  const fixture = openFixture(950);
  const one = await inConflict(fixture);
  const { rig, mirror } = one;
  one.move("note.md", "elsewhere.md");
  mirror.write("note.md", text("new, local"));
  const newer = text("theirs 1", "end, edited there");
  rig.app.edit("note.md", newer);
  rig.app.rename("note.md", "moved.md");
  rig.app.create("note.md", text("new, on the service"));
  const { id } = rig.app.files().get("moved.md")!;
  let waits = 20;
  fixture.fault = ({ method, path }) => {
    const isOpen = mirror.state.load().conflicts.size > 1;
    if (isOpen || method !== "GET" || path !== `/v1/files/${id}` || waits-- === 0) return null;
    return problem(503, "service_unavailable");
  };
  await settle(mirror);
  await settle(mirror);
  expect(mirror.state.load().conflicts.size).toBe(2);
  expect([one.live("moved.md"), one.live()]).toEqual([newer, text("new, on the service")]);
  expect(one.local()).toEqual({
    "moved.md": MINE,
    "moved (theirs 2).md": newer,
    "note.md": text("new, local"),
    "note (theirs 2).md": text("new, on the service"),
  });
});
