import { describe, expect, test } from "vitest";
import type { Link } from "../../src/mirror/model/link.ts";
import { planOf, type Row, say, worldAfter } from "./table.ts";
import type { World } from "./world.ts";

const submitted =
  (text: string) =>
  (world: World): Partial<Link> => {
    const link = world.links.get(world.idAt("a.md"))!;
    return { protected: true, submissions: [{ digest: world.digest(text), baseChangeId: link.changeId, at: 0 }] };
  };

describe("protected documents and reviews (I31)", () => {
  const rows: [...Row, text: string | null][] = [
    ["a.md=1", "edit a.md 2", "protect a.md", "put a.md review; note-facts linked protected", null],
    ["a.md=1", "edit a.md 2", "protect a.md", "block in-review a.md", "2"],
    ["a.md=1", "edit a.md 3", "protect a.md", "put a.md review", "2"],
    ["a.md=1", "edit a.md 2", "protect a.md; edit a.md 2", "settle-review a.md", "2"],
    ["a.md=1", "edit a.md 2", "protect a.md; edit a.md 4", "settle-review a.md", "2"],
    ["a.md=1", "edit a.md 3", "protect a.md; edit a.md 4", "settle-review a.md", "2"],
    ["a.md=1", "", "protect a.md; edit a.md 4", "settle-review a.md", "2"],
    ["a.md=1", "edit a.md 2", "protect a.md off", "note-facts linked; block review-unknown a.md", "2"],
    ["a.md=1", "edit a.md 3", "protect a.md off", "note-facts linked; block review-unknown a.md", "2"],
    ["a.md=1", "", "protect a.md", "", "2"],
    [
      "a.md=1",
      "edit a.md 2; mv a.md b.md",
      "protect a.md",
      "rename-remote a.md>b.md; relink b.md; block in-review b.md",
      "2",
    ],
    [
      "a.md=1",
      "edit a.md 3; mv a.md b.md",
      "protect a.md",
      "rename-remote a.md>b.md; put b.md review; relink b.md",
      "2",
    ],
    ["a.md=1", "rm a.md", "protect a.md", "create-local a.md; block delete-refused a.md", "2"],
    ["a.md=1 b.md=1", "edit a.md 2", "rm a.md", "block gone-or-unreadable a.md", "2"],
    ["a.md=1", "edit a.md 2", "protect a.md; edit a.md 3", "merge a.md review; note-facts linked protected", null],
  ];
  test.each(rows)("%s | %s | %s → %s (submitted: %s)", (base, local, remote, plan, text) => {
    const world = worldAfter([base, local, remote, plan]);
    const id = [...world.links.keys()][0]!;
    if (text !== null) world.patchLink(id, submitted(text)(Object.assign(world, { idAt: () => id })));
    expect(say(planOf(world))).toBe(plan);
  });
  test("a text goes to review when it has rested", () => {
    const world = worldAfter(["a.md=1", "edit a.md 2", "protect a.md", ""]);
    const id = world.idAt("a.md");
    expect(say(planOf(world, { unchangedContents: new Map() }))).toBe(
      "note-facts linked protected; block review-delayed a.md",
    );
    const rested = new Map([[id, world.digest("2")]]);
    expect(say(planOf(world, { unchangedContents: rested }))).toBe("put a.md review; note-facts linked protected");
    const other = new Map([[id, world.digest("3")]]);
    expect(say(planOf(world, { unchangedContents: other }))).toContain("block review-delayed");
  });
  test("a text that was answered with the base's own is not sent again on that base", () => {
    const world = worldAfter(["a.md=1", "edit a.md 2", "", ""]);
    world.patchLink(world.idAt("a.md"), { echoDigest: world.digest("2") });
    expect(say(planOf(world))).toBe("");
    world.files.get("a.md")!.text = "3";
    expect(say(planOf(world))).toBe("put a.md");
  });
});
