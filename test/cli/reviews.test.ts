import { beforeEach, expect, test } from "vitest";
import { useRig } from "./rig.ts";

/** The report about content in review: one state for each document, and what the review blocks. */

/** A document that is published between the scan of the service and the next PUT. */
let publishedMeanwhile: { readonly path: string; readonly text: string } | null = null;
const rig = useRig();
beforeEach(async () => {
  publishedMeanwhile = null;
  rig.intercept = ({ method }) => {
    if (method === "PUT" && publishedMeanwhile !== null) {
      const { path, text } = publishedMeanwhile;
      publishedMeanwhile = null;
      rig.editRemotely(path, text);
    }
    return null;
  };
  for (const path of ["d/e/a.md", "b.md"]) rig.createRemotely(path, "one\ntwo\n");
  await rig.init();
});

async function openReview() {
  publishedMeanwhile = { path: "d/e/a.md", text: "theirs\ntwo\n" };
  rig.write("d/e/a.md", "mine\ntwo\n");
  return rig.run(["sync", "w"]);
}

test("content that met another edit is in review: sync and status report one pending document, exit 3", async () => {
  const synced = await openReview();
  const { lastChangeId } = rig.remote("d/e/a.md")!;
  expect(synced.code).toBe(3);
  const [open] = synced.err.filter((line) => line.startsWith("d/e/a.md: review-conflict: "));
  expect(open).toContain(lastChangeId);
  const status = await rig.run(["status", "w"]);
  expect([status.code, status.out.filter((line) => line.startsWith("d/e/a.md"))]).toEqual([3, [open]]);
  const json = await rig.json(["status", "w"]);
  expect(json).toMatchObject({ conflicts: [], reviews: ["d/e/a.md"], reviewedSince: [{ isConflict: true }] });
  expect((await rig.run(["conflicts", "w"])).out[0]).toMatch(/^d\/e\/a\.md /);
});

test("reviews lists pending changes with the reason, both versions, and what the review blocks", async () => {
  expect(await rig.json(["reviews", "w"])).toMatchObject({ exit: 0, reviews: [] });
  await openReview();
  rig.protectRemotely("b.md");
  rig.write("b.md", "one\ntwo\nthree\n");
  await rig.run(["sync", "w"], { terminal: true });
  const { code, out } = await rig.run(["reviews", "w"]);
  expect(code).toBe(3);
  expect(out.slice(out.indexOf("--- service/d/e/a.md"))).toEqual([
    "--- service/d/e/a.md",
    "+++ sent/d/e/a.md",
    "@@ -1,2 +1,2 @@",
    "-theirs",
    "+mine",
    " two",
  ]);
  const answer = await rig.json(["reviews", "w"]);
  expect(answer["reviews"]).toMatchObject([
    { path: "b.md", reason: "protected", lines: { added: 1, removed: 0 }, blocks: ["b.md"] },
    {
      path: "d/e/a.md",
      reason: "conflict",
      lines: { added: 1, removed: 1 },
      blocks: ["d/e/a.md", "d/e/", "d/"],
      deletionWaits: false,
    },
  ]);
  expect(JSON.stringify(answer)).not.toContain("mine");
});

test("mine, chosen while the review waits, goes up, and it is said that the review stays", async () => {
  await openReview();
  const [id] = rig.reviews();
  const resolved = await rig.run(["resolve", "w/d/e/a.md", "--mine"]);
  expect(resolved.out.join("\n")).toContain(id);
  expect([rig.remote("d/e/a.md")!.content, rig.reviews()]).toEqual(["mine\ntwo\n", [id]]);
  expect(await rig.run(["sync", "w"])).toMatchObject({ code: 0 });
});

test("a deletion that a review stops waits, says where that is ended, and goes once it was rejected", async () => {
  await openReview();
  await rig.run(["resolve", "w/d/e/a.md", "--mine"]);
  rig.remove("d");
  const synced = await rig.run(["sync", "w"]);
  expect(synced.code).toBe(3);
  expect(synced.err[0]).toMatch(/^d\/e\/a\.md: delete-pending: deleted locally; .* \(changes_in_review, request /);
  expect(await rig.json(["reviews", "w"])).toMatchObject({ reviews: [{ path: "d/e/a.md", deletionWaits: true }] });
  rig.service.admin.reviews.reject(rig.reviews()[0]!);
  expect(await rig.run(["sync", "w"])).toMatchObject({ code: 0 });
  expect(rig.remote("d/e/a.md")).toBeNull();
});
