import { describe, expect, test } from "vitest";
import { type Fixture, openFixture, putId, settle, workspaceOf, openSynced } from "./fixture.ts";
import { blocksOf } from "./in-review.ts";

/** A text is sent to review, and its answer is lost. */

const START = "first line\n\nmiddle line\n\nlast line\n";
const MINE = "first line, edited locally\n\nmiddle line\n\nlast line\n";

function reviewsOf({ rig }: Fixture): string[] {
  const { reviews } = rig.service.admin;
  const all = reviews.list(workspaceOf(rig));
  if (!Array.isArray(all)) throw new Error("no list of reviews");
  return all.map(({ id }) => id);
}

describe("a text that is sent to review, and whose answer is lost", () => {
  test.each([
    ["nothing else happens", {}, null],
    ["its rename from here moves the change id meanwhile", { changeIdMovesOnRename: true }, "d/q.md"],
  ] as const)("I08 the answer of the review is lost, and %s: it is not sent twice", async (_, variant, name) => {
    const fixture = openFixture(31, variant);
    const { rig, mirror } = fixture;
    // Renamed and edited, it is known by what stayed.
    const rest = Array.from({ length: 20 }, (_, n) => `\nline ${n}\n`).join("");
    rig.app.create("d/p.md", START + rest);
    rig.app.protect("d/p.md", true);
    await settle(mirror);
    mirror.write("d/p.md", MINE + rest);
    if (name !== null) mirror.disk.user.rename(mirror.path("d/p.md"), mirror.path(name));
    fixture.fault = (request) => (putId(request) === null ? null : "drop-after");
    for (let run = 0; run < 2; run++) await mirror.sync();
    fixture.fault = () => null;
    for (let run = 0; run < 3; run++) await mirror.sync();
    expect(reviewsOf(fixture)).toHaveLength(1);
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
    for (let run = 0; run < 2; run++) await mirror.sync();
    fixture.fault = () => null;
    for (let run = 0; run < 3; run++) await mirror.sync();
    expect(reviewsOf(fixture)).toHaveLength(1);
    expect(mirror.texts()).toEqual(new Map([["d/p.md", MINE]]));
    expect(blocksOf(fixture)).toEqual(["in-review"]);
    rig.service.admin.reviews.accept(reviewsOf(fixture)[0]!);
    await settle(mirror);
    expect(rig.app.files().get("d/p.md")!.text).toBe(MINE);
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
    const [review] = reviewsOf(fixture);
    const later = MINE.replace("middle", "middle, later,");
    mirror.write("d/p.md", later);
    const lost = { any: false };
    fixture.fault = (request) => {
      if (lost.any) return null;
      lost.any = putId(request) !== null;
      return lost.any ? "drop-after" : null;
    };
    fixture.onRequest = ({ method }) => {
      if (!lost.any || method !== "GET" || !reviewsOf(fixture).includes(review!)) return;
      expect(rig.service.admin.reviews.accept(review!)).not.toHaveProperty("code");
    };
    for (let run = 0; run < 4; run++) await mirror.sync();
    expect([rig.app.files().get("d/p.md")!.text, reviewsOf(fixture).length]).toEqual([MINE, 1]);
    expect([mirror.texts().get("d/p.md"), blocksOf(fixture)]).toEqual([later, ["in-review"]]);
    rig.service.admin.reviews.accept(reviewsOf(fixture)[0]!);
    await settle(mirror);
    expect([rig.app.files().get("d/p.md")!.text, blocksOf(fixture)]).toEqual([later, []]);
  });
});
