import { describe, expect, test } from "vitest";
import { createRig, type Rig } from "../simulator/rig.ts";
import { settle, openFixture, putId, openSynced } from "./fixture.ts";
import { act, blocksOf, checkRow, CONTENTS, inReview, reviewsOf, type Row } from "./in-review.ts";

/** The service merges nothing; the two edits merge locally. */
const MERGING: readonly Row[] = [
  ["", "d/p.md=BOTH", "d/p.md=APART", "review-conflict", "SENT", ""],
  // The next local edit is based on the other edit and is sent; the review stays open.
  ["edit BOTH_MORE", "d/p.md=BOTH_MORE", "d/p.md=BOTH_MORE", "", "SENT", "PUT"],
  ["edit-remote APART_MORE", "d/p.md=BOTH_THERE", "d/p.md=APART_MORE", "review-conflict", "SENT", ""],
  ["rm", "", "d/p.md=APART", "delete-pending", "SENT", "DELETE"],
  ["rm; reject", "", "", "", "", "DELETE DELETE"],
  ["rm; accept", "d/p.md=SENT", "d/p.md=SENT", "", "", "DELETE"],
  ["rm; edit-remote APART_MORE", "d/p.md=APART_MORE", "d/p.md=APART_MORE", "", "SENT", "DELETE"],
  ["reject; rm-remote", "d/p.md=BOTH", "", "gone-or-unreadable", "", ""],
  ["mv", "q.md=BOTH", "q.md=APART", "review-conflict", "SENT", "PATCH PATCH"],
  ["mv-remote", "d/q.md=BOTH", "d/q.md=APART", "review-conflict", "SENT", ""],
  ["accept", "d/p.md=SENT", "d/p.md=SENT", "", "", ""],
  // The API does not report a rejection.
  ["reject", "d/p.md=BOTH", "d/p.md=APART", "review-conflict", "", ""],
  ["accept BOTH", "d/p.md=BOTH", "d/p.md=BOTH", "", "", ""],
  // A later edit on the service removes an edit that is merged locally. The file keeps that edit,
  // and a conflict copy shows the service's version.
  ["edit-remote CLASHES", "d/p_(theirs).md=CLASHES d/p.md=BOTH", "d/p.md=CLASHES", "review-conflict", "SENT", ""],
  [
    "edit-remote CLASHES; edit BOTH_MORE",
    "d/p_(theirs).md=CLASHES d/p.md=BOTH_MORE",
    "d/p.md=CLASHES",
    "conflict",
    "SENT",
    "",
  ],
  ["edit-remote CLASHES; reject", "d/p_(theirs).md=CLASHES d/p.md=BOTH", "d/p.md=CLASHES", "review-conflict", "", ""],
  ["edit-remote CLASHES; accept", "d/p.md=SENT", "d/p.md=SENT", "", "", ""],
];

const COPY = "d/p_(theirs).md=CLASHES d/p.md";

/** The two edits are a conflict. */
const CLASHING: readonly Row[] = [
  ["", `${COPY}=SENT`, "d/p.md=CLASHES", "review-conflict", "SENT", ""],
  ["edit MORE", `${COPY}=MORE`, "d/p.md=CLASHES", "conflict", "SENT", ""],
  ["edit MORE; accept", "d/p.md=MORE", "d/p.md=MORE", "", "", "PUT"],
  [
    "edit-remote CLASHES_MORE",
    "d/p_(theirs_2).md=CLASHES_MORE d/p.md=SENT",
    "d/p.md=CLASHES_MORE",
    "review-conflict",
    "SENT",
    "",
  ],
  ["edit-remote APART", "d/p.md=BOTH", "d/p.md=APART", "review-conflict", "SENT", ""],
  ["edit-remote APART; accept", "d/p.md=BOTH", "d/p.md=BOTH", "", "", ""],
  // The first removal decides nothing about the other edit, so the document is restored once.
  ["rm", "d/p.md=CLASHES", "d/p.md=CLASHES", "", "SENT", ""],
  ["rm; rm", "", "d/p.md=CLASHES", "delete-pending", "SENT", "DELETE"],
  ["reject; rm-remote", `${COPY}=SENT`, "", "gone-or-unreadable", "", ""],
  ["mv", "q_(theirs).md=CLASHES q.md=SENT", "q.md=CLASHES", "review-conflict", "SENT", "PATCH PATCH"],
  ["mv-remote", "d/q_(theirs).md=CLASHES d/q.md=SENT", "d/q.md=CLASHES", "review-conflict", "SENT", ""],
  ["accept", "d/p.md=SENT", "d/p.md=SENT", "", "", ""],
  ["reject", `${COPY}=SENT`, "d/p.md=CLASHES", "review-conflict", "", ""],
  ["reject; rm; rm", "", "", "", "", "DELETE"],
  ["accept DECIDED", "d/p.md=DECIDED", "d/p.md=DECIDED", "", "", ""],
  ["accept OTHERWISE", "d/p_(theirs_2).md=OTHERWISE d/p.md=SENT", "d/p.md=OTHERWISE", "review-conflict", "", ""],
];

const PROTECTED: readonly Row[] = [
  ["", "d/p.md=SENT", "d/p.md=START", "in-review", "SENT", ""],
  ["accept", "d/p.md=SENT", "d/p.md=SENT", "", "", ""],
  ["reject", "d/p.md=SENT", "d/p.md=START", "in-review", "", ""],
  ["live APART", "d/p.md=BOTH", "d/p.md=APART", "in-review", "SENT", ""],
  ["live APART; accept", "d/p.md=BOTH", "d/p.md=BOTH", "", "", ""],
  ["live CLASHES", `${COPY}=SENT`, "d/p.md=CLASHES", "conflict", "SENT", ""],
  ["accept; live BOTH", "d/p.md=BOTH", "d/p.md=BOTH", "", "", ""],
  ["unprotect", "d/p.md=SENT", "d/p.md=START", "review-unknown", "SENT", ""],
  ["reject; unprotect; rm-remote", "d/p.md=SENT", "", "gone-or-unreadable", "", ""],
  // A protected document cannot be deleted, so it is restored.
  ["rm", "d/p.md=START", "d/p.md=START", "", "SENT", ""],
  ["unprotect; rm", "", "d/p.md=START", "delete-pending", "SENT", "DELETE"],
  ["mv", "q.md=SENT", "q.md=START", "in-review", "SENT", "PATCH PATCH"],
  ["mv-remote", "d/q.md=SENT", "d/q.md=START", "in-review", "SENT", ""],
  ["accept MORE", "d/p.md=MORE", "d/p.md=MORE", "", "", ""],
  // If the accepted content differs from that in review, it counts as another edit on the service.
  ["accept OTHERWISE", "d/p_(theirs).md=OTHERWISE d/p.md=SENT", "d/p.md=OTHERWISE", "conflict", "", ""],
  // A later edit becomes a second review.
  ["edit MORE", "d/p.md=MORE", "d/p.md=START", "in-review", "SENT MORE", "PUT"],
  ["edit MORE; accept", "d/p.md=MORE", "d/p.md=SENT", "in-review", "MORE", null],
  ["edit MORE; accept; accept", "d/p.md=MORE", "d/p.md=MORE", "", "", null],
  ["edit SAME; accept", "d/p.md=SAME", "d/p.md=SENT", "in-review", "SAME", null],
  ["edit MORE; edit LATEST; accept; accept", "d/p.md=LATEST", "d/p.md=MORE", "in-review", "LATEST", null],
  ["edit MORE; reject; accept", "d/p.md=MORE", "d/p.md=MORE", "", "", null],
  ["edit MORE; edit SENT; accept", "d/p.md=SENT", "d/p.md=SENT", "", "MORE", null],
  ["edit MORE; edit SENT; accept; accept", "d/p.md=SENT", "d/p.md=MORE", "in-review", "SENT", null],
  ["edit START; accept", "d/p.md=START", "d/p.md=SENT", "in-review", "START", null],
  ["edit START; reject", "d/p.md=START", "d/p.md=START", "", "", null],
  ["edit START; live APART; accept", "d/p.md=APART", "d/p.md=BOTH", "in-review", "APART", null],
  ["edit MORE; live APART; accept", "d/p.md=BOTH_MORE", "d/p.md=BOTH", "in-review", "MORE", null],
  ["live APART; edit MORE", "d/p.md=MORE", "d/p.md=APART", "in-review", "SENT MORE", null],
  ["unprotect; edit MORE", "d/p.md=MORE", "d/p.md=START", "review-unknown", "SENT", null],
  ["mv; edit MORE; accept; accept", "q.md=MORE", "q.md=MORE", "", "", null],
  ["edit MORE; mv; accept; accept", "q.md=MORE", "q.md=MORE", "", "", null],
];

/** No sync runs between the actions: mdmirror was stopped, or the content changed too recently. */
const UNSEEN: readonly Row[] = [
  ["edit MORE; accept", "d/p.md=MORE", "d/p.md=SENT", "in-review", "MORE", null],
  ["accept; edit MORE", "d/p.md=MORE", "d/p.md=SENT", "in-review", "MORE", null],
  ["edit SAME; accept", "d/p.md=SAME", "d/p.md=SENT", "in-review", "SAME", null],
  ["edit MORE; edit LATEST; accept", "d/p.md=LATEST", "d/p.md=SENT", "in-review", "LATEST", null],
  ["edit REWRITTEN; accept", "d/p.md=REWRITTEN", "d/p.md=SENT", "in-review", "REWRITTEN", null],
  ["edit START; accept", "d/p.md=START", "d/p.md=SENT", "in-review", "START", null],
  ["edit MORE; reject", "d/p.md=MORE", "d/p.md=START", "in-review", "MORE", null],
  ["edit START; reject", "d/p.md=START", "d/p.md=START", "", "", null],
  ["edit MORE; live APART", "d/p.md=BOTH_MORE", "d/p.md=APART", "in-review", "SENT BOTH_MORE", null],
  ["edit START; live APART", "d/p.md=APART", "d/p.md=APART", "", "SENT", null],
  ["edit MORE; live APART; accept", "d/p.md=BOTH_MORE", "d/p.md=BOTH", "in-review", "BOTH_MORE", null],
  ["edit MORE; accept; unprotect", "d/p.md=MORE", "d/p.md=MORE", "", "", null],
  ["edit MORE; unprotect", "d/p.md=MORE", "d/p.md=START", "review-unknown", "SENT", null],
  ["edit MORE; unprotect; accept", "d/p.md=MORE", "d/p.md=MORE", "", "", null],
  ["mv; edit MORE; accept", "q.md=MORE", "q.md=SENT", "in-review", "MORE", null],
  ["edit MORE; mv; accept", "q.md=MORE", "q.md=SENT", "in-review", "MORE", null],
  ["rm; accept", "d/p.md=SENT", "d/p.md=SENT", "", "", null],
  ["edit MORE; rm; accept", "d/p.md=SENT", "d/p.md=SENT", "", "", null],
];

describe.each([
  ["it met an edit that merges", "APART", MERGING, true],
  ["it met an edit that does not merge", "CLASHES", CLASHING, true],
  ["its document is protected", null, PROTECTED, true],
  ["its document is protected, and no sync sees the acts one by one", null, UNSEEN, false],
] as const)("I31 I03 in review because %s, then", (_, met, rows, syncsBetween) => {
  test.each(rows.map((row) => [row[0] === "" ? "nothing" : row[0], row] as const))("%s", (_acts, row) =>
    checkRow(met, row, syncsBetween),
  );
});

test("I31 an accepted content counts as accepted, not as merged", async () => {
  const scene = await inReview(null);
  act(scene, "accept");
  expect((await scene.mirror.sync())?.counts).toMatchObject({ accepted: 1, merged: 0 });
});

test("I31 a later edit goes out once its content has rested, by a sync without a terminal", async () => {
  const scene = await inReview(null);
  const { mirror } = scene;
  act(scene, "edit MORE");
  act(scene, "accept");
  await mirror.sync({ reviewsOnlyUnchanged: true });
  expect(blocksOf(scene)).toEqual(["review-delayed"]);
  await mirror.sync({ reviewsOnlyUnchanged: true });
  expect(reviewsOf(scene.rig)).toEqual(["MORE"]);
});

test("I31 a folder with a document that a review pins stays on the service until the decision", async () => {
  const scene = await inReview("APART");
  const { rig, mirror } = scene;
  mirror.remove("d");
  await settle(mirror);
  expect([...mirror.texts().keys()]).toEqual(["k.md"]);
  expect(rig.app.paths()).toEqual(["d/p.md", "k.md"]);
  expect(rig.app.folders()).toEqual(["d"]);
  act(scene, "reject");
  await settle(mirror);
  expect([[...rig.app.files().keys()], rig.app.folders()]).toEqual([["k.md"], []]);
});

test("I31 I08 a lost answer of a review for a conflict leaves a conflict, which goes up once it is decided", async () => {
  let lost = 0;
  const rig: Rig = createRig(31, {
    fault({ method }) {
      if (method !== "PUT" || lost++ > 0) return null;
      rig.app.edit("p.md", CONTENTS.CLASHES);
      return "drop-after";
    },
  });
  rig.app.create("p.md", CONTENTS.START);
  const mirror = rig.mirror();
  await settle(mirror);
  mirror.write("p.md", CONTENTS.SENT);
  await settle(mirror);
  expect(Object.fromEntries(mirror.texts())).toEqual({ "p (theirs).md": CONTENTS.CLASHES, "p.md": CONTENTS.SENT });
  expect([blocksOf({ mirror }), reviewsOf(rig), lost]).toEqual([["conflict"], ["SENT"], 1]);
  // mdmirror does not know of the review; its acceptance ends the conflict nevertheless.
  act({ rig, mirror, path: "p.md" }, "accept");
  await settle(mirror);
  expect(Object.fromEntries(mirror.texts())).toEqual({ "p.md": CONTENTS.SENT });
  expect(lost).toBe(1);
});

/** An edit is sent to review, and the answer is lost. */

const START = "first line\n\nmiddle line\n\nlast line\n";
const MINE = "first line, edited locally\n\nmiddle line\n\nlast line\n";

describe("an edit that is sent to review, and whose answer is lost", () => {
  test.each([
    ["nothing else happens", {}, null],
    ["its rename from here moves the change id meanwhile", { changeIdMovesOnRename: true }, "d/q.md"],
  ] as const)("I08 the answer of the review is lost, and %s: it is not sent twice", async (_, variant, name) => {
    const fixture = openFixture(31, variant);
    const { rig, mirror } = fixture;
    // Renamed and edited: mdmirror recognizes the document by its unchanged lines.
    const rest = Array.from({ length: 20 }, (_, n) => `\nline ${n}\n`).join("");
    rig.app.create("d/p.md", START + rest);
    rig.app.protect("d/p.md", true);
    await settle(mirror);
    mirror.write("d/p.md", MINE + rest);
    if (name !== null) mirror.rename("d/p.md", name);
    fixture.fault = (request) => (putId(request) === null ? null : "drop-after");
    await mirror.syncTimes(2);
    fixture.fault = () => null;
    await mirror.syncTimes(3);
    expect(rig.reviews()).toHaveLength(1);
    expect([...mirror.texts()]).toEqual([[name ?? "d/p.md", MINE + rest]]);
  });

  test("I08 protected between the listing and the PUT, and the answer is lost: it is not sent twice", async () => {
    const fixture = await openSynced({ "d/p.md": START });
    const { rig, mirror } = fixture;
    mirror.write("d/p.md", MINE);
    fixture.fault = (request) => {
      if (putId(request) === null) return null;
      rig.app.protect("d/p.md", true);
      return "drop-after";
    };
    await mirror.syncTimes(2);
    fixture.fault = () => null;
    await mirror.syncTimes(3);
    expect(rig.reviews()).toHaveLength(1);
    expect(mirror.texts()).toEqual(new Map([["d/p.md", MINE]]));
    expect(blocksOf(fixture)).toEqual(["in-review"]);
    rig.service.admin.reviews.accept(rig.reviews()[0]!);
    await settle(mirror);
    expect(rig.app.text("d/p.md")).toBe(MINE);
    expect(blocksOf(fixture)).toEqual([]);
  });

  test("I08 an answer is lost, and what was in review is accepted before it is read: it is not sent twice", async () => {
    const fixture = openFixture(31);
    const { rig, mirror } = fixture;
    rig.app.create("d/p.md", START);
    rig.app.protect("d/p.md", true);
    await settle(mirror);
    mirror.write("d/p.md", MINE);
    await settle(mirror);
    const [review] = rig.reviews();
    const later = MINE.replace("middle", "middle, later,");
    mirror.write("d/p.md", later);
    const lost = { any: false };
    fixture.fault = (request) => {
      if (lost.any) return null;
      lost.any = putId(request) !== null;
      return lost.any ? "drop-after" : null;
    };
    fixture.onRequest = ({ method }) => {
      if (!lost.any || method !== "GET" || !rig.reviews().includes(review!)) return;
      expect(rig.service.admin.reviews.accept(review!)).not.toHaveProperty("code");
    };
    await mirror.syncTimes(4);
    expect([rig.app.text("d/p.md")!, rig.reviews().length]).toEqual([MINE, 1]);
    expect([mirror.texts().get("d/p.md"), blocksOf(fixture)]).toEqual([later, ["in-review"]]);
    rig.service.admin.reviews.accept(rig.reviews()[0]!);
    await settle(mirror);
    expect([rig.app.text("d/p.md")!, blocksOf(fixture)]).toEqual([later, []]);
  });
});
