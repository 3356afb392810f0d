import { describe, expect, test } from "vitest";
import type { ChangeId } from "../../src/contract/ids.ts";
import { type Fixture, openFixture, putId, settle, workspaceOf } from "../promises/fixture.ts";

/**
 * A text is in review, and its document is edited locally again before somebody decides: what was
 * written since must reach the service, or be shown.
 */

const START = "first line\n\nmiddle line\n\nlast line\n";
const SENT = "first line, edited locally\n\nmiddle line\n\nlast line\n";
const SAME = "first line, edited locally and better\n\nmiddle line\n\nlast line\n";
const APART = "first line, edited locally\n\nmiddle line, later\n\nlast line\n";
const LATEST = "first line, edited locally\n\nmiddle line, later and latest\n\nlast line\n";
const REWRITTEN = "nothing\n\nof what\n\nwas there\n";
const OTHER = "first line\n\nmiddle line\n\nlast line, edited there\n";
const OTHER_SENT = "first line, edited locally\n\nmiddle line\n\nlast line, edited there\n";
const OTHER_APART = "first line, edited locally\n\nmiddle line, later\n\nlast line, edited there\n";

type Scene = { readonly fixture: Fixture; path: string };
type Event = readonly [name: string, happen: (scene: Scene) => void];

const edit = (text: string, name: string): Event => [name, ({ fixture: { mirror }, path }) => mirror.write(path, text)];
const accept: Event = ["accepted", ({ fixture }) => decide(fixture, "accept")];
const reject: Event = ["rejected", ({ fixture }) => decide(fixture, "reject")];
const live = (text: string): Event => [
  "edited live by another",
  ({ fixture: { rig } }) => {
    const path = livePath(rig);
    rig.app.protect(path, false);
    rig.app.edit(path, text);
    rig.app.protect(path, true);
  },
];
const unprotect: Event = ["no longer protected", ({ fixture: { rig } }) => rig.app.protect(livePath(rig), false)];
const rename: Event = [
  "renamed locally",
  (scene) => {
    const { mirror } = scene.fixture;
    mirror.disk.user.rename(mirror.path(scene.path), mirror.path("d/renamed.md"));
    scene.path = "d/renamed.md";
  },
];
const remove: Event = [
  "deleted locally",
  ({ fixture: { mirror }, path }) => mirror.disk.user.remove(mirror.path(path)),
];

const same = edit(SAME, "edited in the same line");
const apart = edit(APART, "edited elsewhere");
const latest = edit(LATEST, "edited once more");
const back = edit(START, "edited back");
const rewritten = edit(REWRITTEN, "rewritten");

type Row = {
  readonly events: readonly Event[];
  readonly local: string;
  readonly live: string;
  /** What waits in the end, of what this mirror sent. */
  readonly reviews?: readonly string[];
  readonly holds?: readonly string[];
};

/**
 * Without a look between the events: a mirror that was stopped, or a text that has not rested yet.
 */
const UNSEEN: readonly Row[] = [
  { events: [apart, accept], local: APART, live: SENT, reviews: [APART], holds: ["in-review"] },
  { events: [accept, apart], local: APART, live: SENT, reviews: [APART], holds: ["in-review"] },
  { events: [same, accept], local: SAME, live: SENT, reviews: [SAME], holds: ["in-review"] },
  { events: [apart, latest, accept], local: LATEST, live: SENT, reviews: [LATEST], holds: ["in-review"] },
  { events: [rewritten, accept], local: REWRITTEN, live: SENT, reviews: [REWRITTEN], holds: ["in-review"] },
  { events: [back, accept], local: START, live: SENT, reviews: [START], holds: ["in-review"] },
  { events: [apart, reject], local: APART, live: START, reviews: [APART], holds: ["in-review"] },
  { events: [back, reject], local: START, live: START },
  { events: [apart, live(OTHER)], local: OTHER_APART, live: OTHER, reviews: [SENT, OTHER_APART], holds: ["in-review"] },
  { events: [back, live(OTHER)], local: OTHER, live: OTHER, reviews: [SENT] },
  {
    events: [apart, live(OTHER), accept],
    local: OTHER_APART,
    live: OTHER_SENT,
    reviews: [OTHER_APART],
    holds: ["in-review"],
  },
  { events: [apart, accept, unprotect], local: APART, live: APART },
  { events: [apart, unprotect], local: APART, live: START, reviews: [SENT], holds: ["review-unknown"] },
  { events: [apart, unprotect, accept], local: APART, live: APART },
  { events: [rename, apart, accept], local: APART, live: SENT, reviews: [APART], holds: ["in-review"] },
  { events: [apart, rename, accept], local: APART, live: SENT, reviews: [APART], holds: ["in-review"] },
  { events: [remove, accept], local: SENT, live: SENT },
  { events: [apart, remove, accept], local: SENT, live: SENT },
];

/** With a look after each event: the later edit is a review of its own, or on its way to one. */
const SEEN: readonly Row[] = [
  { events: [apart, accept], local: APART, live: SENT, reviews: [APART], holds: ["in-review"] },
  { events: [apart, accept, accept], local: APART, live: APART },
  { events: [same, accept], local: SAME, live: SENT, reviews: [SAME], holds: ["in-review"] },
  { events: [apart, latest, accept, accept], local: LATEST, live: APART, reviews: [LATEST], holds: ["in-review"] },
  { events: [apart, reject, accept], local: APART, live: APART },
  { events: [apart, edit(SENT, "edited back to what was sent"), accept], local: SENT, live: SENT, reviews: [APART] },
  {
    events: [apart, edit(SENT, "edited back to what was sent"), accept, accept],
    local: SENT,
    live: APART,
    reviews: [SENT],
    holds: ["in-review"],
  },
  { events: [back, accept], local: START, live: SENT, reviews: [START], holds: ["in-review"] },
  { events: [back, reject], local: START, live: START },
  { events: [back, live(OTHER), accept], local: OTHER, live: OTHER_SENT, reviews: [OTHER], holds: ["in-review"] },
  {
    events: [apart, live(OTHER), accept],
    local: OTHER_APART,
    live: OTHER_SENT,
    reviews: [APART],
    holds: ["in-review"],
  },
  { events: [live(OTHER), apart], local: APART, live: OTHER, reviews: [SENT, APART], holds: ["in-review"] },
  { events: [unprotect, apart], local: APART, live: START, reviews: [SENT], holds: ["review-unknown"] },
  { events: [rename, apart, accept, accept], local: APART, live: APART },
  { events: [apart, rename, accept, accept], local: APART, live: APART },
];

describe.each([
  ["before the mirror looks", UNSEEN, false],
  ["with a look after each", SEEN, true],
] as const)("I31 I03 in review, and then %s", (_, rows, looks) => {
  test.each(rows.map((row) => [row.events.map(([name]) => name).join(", "), row] as const))("%s", async (_, row) => {
    const scene = await inReview();
    const { fixture } = scene;
    const { rig, mirror } = fixture;
    for (const [, happen] of row.events) {
      happen(scene);
      if (looks) await settle(mirror);
    }
    await settle(mirror);
    expect(Object.fromEntries(mirror.texts())).toEqual({ [scene.path]: row.local, "n.md": "n\n" });
    expect(rig.app.files().get(livePath(rig))!.text).toBe(row.live);
    expect(pending(fixture).map(({ content }) => content)).toEqual(row.reviews ?? []);
    expect(holdsOf(fixture)).toEqual(row.holds ?? []);
    // I02: all is said, and nothing is sent twice.
    fixture.seen.length = 0;
    await settle(mirror);
    expect(fixture.seen.filter((request) => putId(request) !== null)).toEqual([]);
  });
});

test("I31 a text that was accepted is counted as accepted, not as merged", async () => {
  const { fixture } = await inReview();
  decide(fixture, "accept");
  expect((await fixture.mirror.sync())?.counts).toMatchObject({ accepted: 1, merged: 0 });
});

test("I31 a later edit goes out once its text has rested, by a sync without a terminal", async () => {
  const { fixture } = await inReview();
  const { mirror } = fixture;
  const cron = { reviewAfterQuiet: true };
  mirror.write("d/p.md", APART);
  decide(fixture, "accept");
  await mirror.sync(cron);
  expect(holdsOf(fixture)).toEqual(["review-delayed"]);
  await mirror.sync(cron);
  expect(pending(fixture).map(({ content }) => content)).toEqual([APART]);
});

async function inReview(): Promise<Scene> {
  const fixture = openFixture(31);
  const { rig, mirror } = fixture;
  rig.app.create("d/p.md", START);
  rig.app.create("n.md", "n\n");
  rig.app.protect("d/p.md", true);
  await settle(mirror);
  mirror.write("d/p.md", SENT);
  await settle(mirror);
  expect(pending(fixture).map(({ content }) => content)).toEqual([SENT]);
  return { fixture, path: "d/p.md" };
}

/** The oldest review that waits. */
function decide(fixture: Fixture, how: "accept" | "reject"): void {
  const [first] = pending(fixture);
  const done = fixture.rig.service.admin.reviews[how](first!.id);
  expect(done).not.toHaveProperty("code");
}

function pending({ rig }: Fixture): { readonly id: ChangeId; readonly content: string }[] {
  const { reviews } = rig.service.admin;
  const all = reviews.list(workspaceOf(rig));
  if (!Array.isArray(all)) throw new Error("no list of reviews");
  return all.map(({ id }) => {
    const one = reviews.show(id);
    if (!("content" in one)) throw new Error(`no review ${id}`);
    return { id, content: one.content };
  });
}

function holdsOf({ mirror }: Fixture): string[] {
  return [...mirror.state.load().holds.values()].map(({ reason }) => reason);
}

function livePath(rig: Fixture["rig"]): string {
  return [...rig.app.files().keys()].find((path) => path !== "n.md")!;
}
