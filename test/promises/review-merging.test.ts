import { describe, expect, test } from "vitest";
import { createRig, type Rig } from "../simulator/rig.ts";
import { settle } from "./fixture.ts";
import {
  accept,
  APART,
  APART_MORE,
  BOTH,
  BOTH_MORE,
  BOTH_THERE,
  CLASHES,
  edit,
  editThere,
  IN_CONFLICT,
  inReview,
  judge,
  MORE,
  move,
  moveThere,
  NEIGHBOURS,
  others,
  OTHERWISE,
  reject,
  remove,
  removeFolder,
  removeThere,
  reviewsOf,
  type Row,
  SENT,
  STANDS,
  START,
  unprotect,
} from "./in-review.ts";

/** The two edits merge here; the service, which combines nothing, took the text into review. */
const MERGING: readonly Row[] = [
  { events: "nothing", happen: [], local: { "d/p.md": BOTH }, live: { "d/p.md": APART }, holds: STANDS },
  {
    events: "edited locally: goes up on the other edit, and the review is left",
    happen: [edit(BOTH_MORE)],
    local: { "d/p.md": BOTH_MORE },
    live: { "d/p.md": BOTH_MORE },
    holds: [],
    sent: ["PUT"],
  },
  {
    events: "edited there again",
    happen: [editThere(APART_MORE)],
    local: { "d/p.md": BOTH_THERE },
    live: { "d/p.md": APART_MORE },
    holds: STANDS,
  },
  {
    events: "deleted locally: waits",
    happen: [remove],
    local: {},
    live: { "d/p.md": APART },
    holds: ["delete-pending"],
    sent: ["DELETE"],
  },
  {
    events: "deleted locally, rejected: is deleted there",
    happen: [remove, reject],
    local: {},
    live: {},
    holds: [],
    reviews: 0,
    sent: ["DELETE", "DELETE"],
  },
  {
    events: "deleted locally, accepted: comes back",
    happen: [remove, accept()],
    local: { "d/p.md": SENT },
    live: { "d/p.md": SENT },
    holds: [],
    reviews: 0,
    sent: ["DELETE"],
  },
  {
    events: "deleted locally, edited there: comes back",
    happen: [remove, editThere(APART_MORE)],
    local: { "d/p.md": APART_MORE },
    live: { "d/p.md": APART_MORE },
    holds: [],
    sent: ["DELETE"],
  },
  {
    events: "rejected, deleted there",
    happen: [reject, removeThere],
    local: { "d/p.md": BOTH },
    live: {},
    holds: ["gone-or-unreadable"],
    reviews: 0,
  },
  {
    events: "moved locally",
    happen: [move],
    local: { "q.md": BOTH },
    live: { "q.md": APART },
    holds: STANDS,
    sent: ["PATCH", "PATCH"],
  },
  { events: "moved there", happen: [moveThere], local: { "d/q.md": BOTH }, live: { "d/q.md": APART }, holds: STANDS },
  {
    events: "accepted, in place of the other edit",
    happen: [accept()],
    local: { "d/p.md": SENT },
    live: { "d/p.md": SENT },
    holds: [],
    reviews: 0,
  },
  {
    events: "rejected, which nothing shows",
    happen: [reject],
    local: { "d/p.md": BOTH },
    live: { "d/p.md": APART },
    holds: STANDS,
    reviews: 0,
  },
  {
    events: "accepted as somebody wrote it of both",
    happen: [accept(BOTH)],
    local: { "d/p.md": BOTH },
    live: { "d/p.md": BOTH },
    holds: [],
    reviews: 0,
  },
];

/** What of a protected document is not in `review-stable` and `review-later-edits`. */
const PROTECTED: readonly Row[] = [
  {
    events: "deleted locally: it is protected, so it comes back",
    happen: [remove],
    local: { "d/p.md": START },
    live: { "d/p.md": START },
    holds: [],
  },
  {
    events: "no longer protected, deleted locally: waits",
    happen: [unprotect, remove],
    local: {},
    live: { "d/p.md": START },
    holds: ["delete-pending"],
    sent: ["DELETE"],
  },
  {
    events: "moved locally",
    happen: [move],
    local: { "q.md": SENT },
    live: { "q.md": START },
    holds: ["in-review"],
    sent: ["PATCH", "PATCH"],
  },
  {
    events: "accepted as somebody wrote it further",
    happen: [accept(MORE)],
    local: { "d/p.md": MORE },
    live: { "d/p.md": MORE },
    holds: [],
    reviews: 0,
  },
  {
    events: "accepted as something else, which is another edit there",
    happen: [accept(OTHERWISE)],
    local: { "d/p.md": SENT, "d/p (theirs).md": OTHERWISE },
    live: { "d/p.md": OTHERWISE },
    holds: ["conflict"],
    reviews: 0,
  },
];

describe.each([
  ["because it met an edit, which merges here", APART, MERGING],
  ["because its document is protected", null, PROTECTED],
] as const)("I31 in review %s, and then", (_, met, rows) => {
  test.each(rows.map((row) => [row.events, row] as const))("%s", (_, row) => judge(met, row));
});

test("I31 a folder with a document that a review pins stays there until that is decided, and others go", async () => {
  const scene = await inReview(APART);
  const { rig, mirror } = scene;
  removeFolder(scene);
  await settle(mirror);
  expect([...mirror.texts().keys()]).toEqual(["k.md"]);
  expect([...rig.app.files().keys()].toSorted()).toEqual(["d/p.md", "k.md"]);
  expect(rig.app.folders()).toEqual(["d"]);
  reject(scene);
  await settle(mirror);
  expect([[...rig.app.files().keys()], rig.app.folders()]).toEqual([["k.md"], []]);
});

test("I31 I08 the answer that it is in review for a conflict is lost: it is a conflict, and goes up once it is decided", async () => {
  let lost = 0;
  const rig: Rig = createRig(31, {
    fault({ method }) {
      if (method !== "PUT" || lost++ > 0) return null;
      rig.app.edit("d/p.md", CLASHES);
      return "drop-after";
    },
  });
  rig.app.create("d/p.md", START);
  for (const one of NEIGHBOURS) rig.app.create(one, "n\n");
  const mirror = rig.mirror();
  await settle(mirror);
  mirror.write("d/p.md", SENT);
  await settle(mirror);
  expect(others(mirror.texts())).toEqual(IN_CONFLICT);
  expect([...mirror.state.load().holds.values()].map(({ reason }) => reason)).toEqual(["conflict"]);
  expect([reviewsOf(rig).length, lost]).toEqual([1, 1]);
  // Nothing here knows of the review; its acceptance ends the conflict all the same.
  accept()({ rig, mirror });
  await settle(mirror);
  expect(others(mirror.texts())).toEqual({ "d/p.md": SENT });
  expect(lost).toBe(1);
});
