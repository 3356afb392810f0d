import { describe, expect, test } from "vitest";
import { attentionLines } from "../../src/cli/show-attention.ts";
import type { BlockReason } from "../../src/mirror/model/block.ts";
import { useRig } from "./rig.ts";

/** What commands say: the cause first, paths and never ids, words and never codes of the system. */

const rig = useRig();

const upload = (path: string, content = `${path}\n`) => rig.createRemotely(path, content);

const attention = (path: string, detail: string, kind: BlockReason = "review-unknown") => {
  return { path, kind, code: null, detail, requestId: null, waits: false };
};

test("a user's file that was renamed for a conflict copy is reported, with its place", async () => {
  upload("q.md", "base\n");
  await rig.init();
  rig.write("q (theirs).md", "my own\n");
  rig.write("q.md", "edited locally\n");
  rig.editRemotely("q.md", "edited there\n");
  rig.pass(60_000);
  const { code, err } = await rig.run(["sync", "w"]);
  const [line] = err.filter((one) => one.includes("was renamed"));
  const place = /^q \(theirs\)\.md: your file was renamed to (\.mdmirror\/trash\/.*), because .*$/.exec(line!)![1]!;
  expect([code, rig.read(place), rig.read("q (theirs).md")]).toEqual([3, "my own\n", "edited there\n"]);
});

describe("what needs the user", () => {
  test("is reported by its cause, once, with some of the names; single documents follow, sorted", () => {
    const many = Array.from({ length: 40 }, (_, n) => attention(`d/${String(39 - n).padStart(2, "0")}.md`, "no list"));
    const lines = attentionLines(
      [attention("z.md", "b", "conflict"), ...many, { ...attention("a.md", "a", "refused"), refused: "step" }],
      20,
    );
    expect(lines).toEqual([
      "40 documents: review-unknown: no list",
      "  d/00.md, d/01.md, d/02.md, d/03.md, d/04.md and 35 more",
      "  next: read the document on the service, then run: mdmirror resolve PATH --mine | --theirs",
      "a.md: refused: a",
      "  next: run: mdmirror why a.md",
      "z.md: conflict: b",
      '  next: edit the file as you want it and delete the "(theirs)" file, or run: mdmirror resolve z.md --mine | --theirs',
    ]);
  });
});
