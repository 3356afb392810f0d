import { expect, test } from "vitest";
import { BLOCK_REASONS, type BlockReason, needsUser } from "../../src/mirror/model/block.ts";
import { nextFor } from "../../src/mirror/operations/results/next-step.ts";

const reasons = Object.keys(BLOCK_REASONS) as BlockReason[];
const next = (kind: BlockReason) => nextFor({ path: "a.md", kind });

test.each(reasons)("what to do about %s is said by itself, and is no way back to `why`, which shows it", (reason) => {
  expect(next(reason)).not.toBe("");
  expect(next(reason)).not.toContain("mdmirror why");
});

test("what needs a person names something to do, and what ends by itself says so", () => {
  expect(reasons.filter((reason) => next(reason).startsWith("nothing:") && needsUser(reason))).toEqual([
    // It ends with the next run that can see what was not seen.
    "not-seen",
  ]);
});

test("content in review whose rejection cannot be proven has a next step", () => {
  expect(next("in-review")).toContain("mdmirror resolve a.md --theirs");
  expect(next("review-conflict")).toContain("mdmirror resolve a.md --mine | --theirs");
});

test("a path is quoted for a shell, whatever its characters are", () => {
  expect(nextFor({ path: "a $& b.md", kind: "refused", refused: "step" })).toBe("run: mdmirror why 'a $& b.md'");
});

test.each([
  [{ path: "a.md", kind: "refused" }, /^change the content or the name/],
  [{ path: "a", kind: "refused", refused: "name" }, /^rename or move the local file/],
  [{ path: "a.md", kind: "unfinished" }, /mdmirror why a\.md$/],
  [{ path: "", kind: "unfinished" }, /^mdmirror sync$/],
] as const)("what to do about %j fits what is refused, or left", (open, said) => {
  expect(nextFor(open)).toMatch(said);
});
