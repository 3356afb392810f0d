import { describe, expect, test } from "vitest";
import type { ChangeId } from "../../src/contract/ids.ts";
import { type Fixture, isWrite, openFixture, putId, settle, workspaceOf } from "./fixture.ts";

/** One document in review, others free; then something becomes of it. */

const START = "first line\n\nmiddle line\n\nlast line\n";
const MINE = "first line, edited locally\n\nmiddle line\n\nlast line\n";
const THEIRS = "first line\n\nmiddle line\n\nlast line, edited there\n";
const BOTH = "first line, edited locally\n\nmiddle line\n\nlast line, edited there\n";

type InReview = { readonly fixture: Fixture; readonly review: ChangeId };

async function inReview(): Promise<InReview> {
  const fixture = openFixture(31);
  const { rig, mirror } = fixture;
  rig.app.create("d/p.md", START);
  for (let n = 0; n < 6; n++) rig.app.create(`d/n${n}.md`, `note ${n}\n`);
  rig.app.protect("d/p.md", true);
  await settle(mirror);
  mirror.write("d/p.md", MINE);
  fixture.seen.length = 0;
  await settle(mirror);
  const reviews = reviewsOf(fixture);
  expect(reviews).toHaveLength(1);
  return { fixture, review: reviews[0]! };
}

function reviewsOf({ rig }: Fixture): ChangeId[] {
  const { reviews } = rig.service.admin;
  const all = reviews.list(workspaceOf(rig));
  if (!Array.isArray(all)) throw new Error("no list of reviews");
  return all.map(({ id }) => id);
}

function holdsOf({ mirror }: Fixture): string[] {
  return [...mirror.state.load().holds.values()].map(({ reason }) => reason);
}

/**
 * Changes on both sides that have nothing to do with the document in review, and must not wait for
 * it.
 */
async function expectOthersFree({ rig, mirror }: Fixture, round: number): Promise<void> {
  mirror.write("d/n1.md", `here ${round}\n`);
  rig.app.edit("d/n2.md", `there ${round}\n`);
  await mirror.sync();
  expect(rig.app.files().get("d/n1.md")!.text).toBe(`here ${round}\n`);
  expect(mirror.texts().get("d/n2.md")).toBe(`there ${round}\n`);
}

type Outcome = {
  readonly name: string;
  readonly befall: (held: InReview) => void;
  /**
   * The local text afterwards; it is never anything else on the way but this and the text in
   * review.
   */
  readonly local: string;
  readonly live: string;
  /** What is left to tell the user. */
  readonly holds: readonly string[];
  /** Further texts that go to the service: none, but for what the user or a merge added. */
  readonly puts?: number;
};

const OUTCOMES: readonly Outcome[] = [
  { name: "nothing", befall: () => undefined, local: MINE, live: START, holds: ["in-review"] },
  {
    name: "it is accepted",
    befall: ({ fixture, review }) => void fixture.rig.service.admin.reviews.accept(review),
    local: MINE,
    live: MINE,
    holds: [],
  },
  {
    name: "it is rejected",
    befall: ({ fixture, review }) => void fixture.rig.service.admin.reviews.reject(review),
    local: MINE,
    live: START,
    holds: ["in-review"],
  },
  {
    name: "the live text moves on, and the review stays open",
    befall: ({ fixture }) => goLive(fixture, THEIRS),
    local: BOTH,
    live: THEIRS,
    holds: ["in-review"],
  },
  {
    name: "the live text moves on, and then it is accepted",
    befall({ fixture, review }) {
      goLive(fixture, THEIRS);
      fixture.rig.service.admin.reviews.accept(review);
    },
    local: BOTH,
    live: BOTH,
    holds: [],
  },
  {
    name: "it is accepted, and the live text moves on after",
    befall({ fixture, review }) {
      fixture.rig.service.admin.reviews.accept(review);
      goLive(fixture, BOTH);
    },
    local: BOTH,
    live: BOTH,
    holds: [],
  },
  {
    name: "the document is no longer protected",
    befall: ({ fixture }) => fixture.rig.app.protect("d/p.md", false),
    local: MINE,
    live: START,
    holds: ["review-unknown"],
  },
];

/** Somebody whose change of a protected document goes live at once: unprotected for a moment. */
function goLive({ rig }: Fixture, text: string): void {
  rig.app.protect("d/p.md", false);
  rig.app.edit("d/p.md", text);
  rig.app.protect("d/p.md", true);
}

describe("I31 a document in review neither reverts the local text nor blocks others, and settles by itself", () => {
  test.each(OUTCOMES.map((row) => [row.name, row] as const))("%s", async (_, row) => {
    const held = await inReview();
    const { fixture } = held;
    const { rig, mirror } = fixture;
    expect(mirror.texts().get("d/p.md")).toBe(MINE);
    expect(holdsOf(fixture)).toEqual(["in-review"]);
    await expectOthersFree(fixture, 1);
    fixture.seen.length = 0;
    row.befall(held);
    for (let round = 2; round < 6; round++) {
      await expectOthersFree(fixture, round);
      expect([MINE, row.local]).toContain(mirror.texts().get("d/p.md"));
    }
    await settle(mirror);
    expect(mirror.texts().get("d/p.md")).toBe(row.local);
    expect(rig.app.files().get("d/p.md")!.text).toBe(row.live);
    expect(holdsOf(fixture)).toEqual(row.holds);
    // One save is one review: the text goes to the service once, whatever becomes of it.
    const { id } = rig.app.files().get("d/p.md")!;
    expect(fixture.seen.filter((request) => putId(request) === id)).toHaveLength(row.puts ?? 0);
    fixture.seen.length = 0;
    await mirror.sync();
    expect(fixture.seen.filter(isWrite)).toEqual([]);
  });

  test("edited again while in review: one more review, the local text as it was saved", async () => {
    const { fixture } = await inReview();
    fixture.mirror.write("d/p.md", `${MINE}and more\n`);
    await settle(fixture.mirror);
    expect(reviewsOf(fixture)).toHaveLength(2);
    expect(fixture.mirror.texts().get("d/p.md")).toBe(`${MINE}and more\n`);
    await expectOthersFree(fixture, 1);
    expect(reviewsOf(fixture)).toHaveLength(2);
  });

  test("renamed there while in review: the file follows, its text stays, nothing is sent again", async () => {
    const { fixture } = await inReview();
    fixture.rig.app.rename("d/p.md", "q.md");
    await settle(fixture.mirror);
    expect(fixture.mirror.texts().get("d/q.md")).toBe(MINE);
    expect(reviewsOf(fixture)).toHaveLength(1);
    expect(holdsOf(fixture)).toEqual(["in-review"]);
  });

  test("rejected, and then deleted there: the text stays here, held or as a new document, and is not lost", async () => {
    const { fixture, review } = await inReview();
    fixture.rig.service.admin.reviews.reject(review);
    fixture.rig.app.protect("d/p.md", false);
    fixture.rig.app.remove("d/p.md");
    for (let run = 0; run < 3; run++) await fixture.mirror.sync();
    expect(fixture.mirror.texts().get("d/p.md")).toBe(MINE);
    await expectOthersFree(fixture, 1);
  });

  test("the live text moves on where the user wrote: a conflict, the local text as it was, others free", async () => {
    const { fixture } = await inReview();
    goLive(fixture, START.replace("first line", "first line, rewritten there"));
    for (let run = 0; run < 3; run++) await fixture.mirror.sync();
    expect(fixture.mirror.texts().get("d/p.md")).toBe(MINE);
    expect(holdsOf(fixture)).toEqual(["conflict"]);
    await expectOthersFree(fixture, 1);
  });
});
