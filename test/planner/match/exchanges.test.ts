import { describe, expect, test } from "vitest";
import { planOf, type Row, say, worldAfter } from "../table.ts";
import type { World } from "../world.ts";

function check(row: Row, prepare?: (world: World) => void, after?: (world: World) => void): void {
  const world = worldAfter(row, prepare);
  after?.(world);
  expect(say(planOf(world))).toBe(row[3]);
}

const edited = (mark: string): string => `${mark}1|${mark}2|edited|${mark}4|${mark}5`;

const template = (title: string): string => `${title}|what|who|when|where|why`;

function reuse(world: World, path: string, of: string, birthMs?: number): void {
  const { ino, birthMs: born } = world.links.get(world.idAt(of))!.stamp!;
  Object.assign(world.files.get(path)!, { ino, birthMs: birthMs ?? born });
}

describe("I09 files that were edited and took each other's paths", () => {
  const three = "a.md=a1|a2|a3|a4|a5 b.md=b1|b2|b3|b4|b5 c.md=c1|c2|c3|c4|c5";
  test.each([
    [
      "a swap, edited after it",
      `mv a.md t.md; mv b.md a.md; mv t.md b.md; edit a.md ${edited("b")}; edit b.md ${edited("a")}`,
      "put b.md; put a.md; rename-remote a.md>a-TMP.md~; rename-remote b.md>a.md; rename-remote a-TMP.md>b.md; relink a.md; relink b.md",
    ],
    [
      "a swap, one edited before it",
      `edit a.md ${edited("a")}; mv a.md t.md; mv b.md a.md; mv t.md b.md`,
      "put b.md; rename-remote a.md>a-TMP.md~; rename-remote b.md>a.md; rename-remote a-TMP.md>b.md; relink a.md; relink b.md",
    ],
    [
      "a chain",
      `mv c.md d.md; mv b.md c.md; mv a.md b.md; edit b.md ${edited("a")}; edit c.md ${edited("b")}; edit d.md ${edited("c")}`,
      "rename-remote c.md>d.md; rename-remote b.md>c.md; rename-remote a.md>b.md; put b.md; put c.md; put d.md; relink b.md; relink c.md; relink d.md",
    ],
    [
      "a chain, and a new file at its head",
      `mv c.md d.md; mv b.md c.md; mv a.md b.md; edit b.md ${edited("a")}; edit c.md ${edited("b")}; edit d.md ${edited("c")}; new a.md new`,
      "rename-remote c.md>d.md; rename-remote b.md>c.md; rename-remote a.md>b.md; put b.md; put c.md; put d.md; create-remote a.md; relink b.md; relink c.md; relink d.md",
    ],
    [
      "a circle of three",
      `mv a.md t.md; mv b.md a.md; mv c.md b.md; mv t.md c.md; edit a.md ${edited("b")}; edit b.md ${edited("c")}; edit c.md ${edited("a")}`,
      "put c.md; put a.md; put b.md; rename-remote a.md>a-TMP.md~; rename-remote b.md>a.md; rename-remote c.md>b.md; relink a.md; rename-remote a-TMP.md>c.md; relink b.md; relink c.md",
    ],
  ])("%s", (_, local, plan) => {
    check([three, local, "", plan]);
  });

  const alike = `a.md=${template("a")} b.md=${template("b")}`;
  test("texts that are alike change places by their inodes", () => {
    const [a, b] = [`${template("a")}|more`, `${template("b")}|more`];
    check([
      alike,
      `mv a.md t.md; mv b.md a.md; mv t.md b.md; edit a.md ${b}; edit b.md ${a}`,
      "",
      "put b.md; put a.md; rename-remote a.md>a-TMP.md~; rename-remote b.md>a.md; rename-remote a-TMP.md>b.md; relink a.md; relink b.md",
    ]);
  });
  test("an editor's save that was given the inode of a removed file is no exchange", () => {
    const local = `rm a.md; save b.md ${template("b")}|more`;
    check([alike, local, "", "put b.md; delete-remote a.md"], undefined, (world) => reuse(world, "b.md", "a.md"));
  });
  test("two saves that were given each other's inodes are no exchange where the disk has no birth times", () => {
    const unborn = (world: World): void => {
      for (const [path, file] of world.files) {
        file.birthMs = 0;
        world.patchLink(world.idAt(path), { stamp: world.stamp(file) });
      }
    };
    const local = `save a.md ${template("a")}|more; save b.md ${template("b")}|more`;
    check([alike, local, "", "put a.md; put b.md"], unborn, (world) => {
      reuse(world, "a.md", "b.md");
      reuse(world, "b.md", "a.md");
    });
  });
  test("a file that was renamed away, and written again under its name, is the document at its name", () => {
    const local = `mv a.md kept.md; edit kept.md ${template("a")}|kept; new a.md ${template("a")}|more`;
    check([alike, local, "", "put a.md; create-remote kept.md"]);
  });
});

describe("I09 files that took each other's paths, one of them saved again by an editor: the content decides", () => {
  const three = "a.md=a1|a2|a3|a4|a5 b.md=b1|b2|b3|b4|b5 c.md=c1|c2|c3|c4|c5";
  test.each([
    [
      "a swap, one saved before it, both edited after it",
      `save b.md b1|b2|b3|b4|b5; mv a.md t.md; mv b.md a.md; mv t.md b.md; edit a.md ${edited("b")}; edit b.md ${edited("a")}`,
      "put b.md; put a.md; rename-remote a.md>a-TMP.md~; rename-remote b.md>a.md; rename-remote a-TMP.md>b.md; relink a.md; relink b.md",
    ],
    [
      "a chain, its first saved at an unused path",
      `mv b.md c2.md; mv a.md b.md; edit b.md ${edited("a")}; save c2.md ${edited("b")}`,
      "rename-remote b.md>c2.md; rename-remote a.md>b.md; put b.md; put c2.md; relink b.md; relink c2.md",
    ],
    [
      "a swap, the one moved on and the other saved",
      `mv a.md t.md; mv b.md a.md; mv t.md b.md; edit b.md ${edited("a")}; save a.md ${edited("b")}; mv b.md d.md`,
      "rename-remote a.md>d.md; rename-remote b.md>a.md; put d.md; put a.md; relink d.md; relink a.md",
    ],
    [
      "a circle of three, two of them saved",
      `mv a.md t.md; mv b.md a.md; mv c.md b.md; mv t.md c.md; save a.md ${edited("b")}; save b.md ${edited("c")}; edit c.md ${edited("a")}`,
      "put c.md; put a.md; put b.md; rename-remote a.md>a-TMP.md~; rename-remote b.md>a.md; rename-remote c.md>b.md; relink a.md; rename-remote a-TMP.md>c.md; relink b.md; relink c.md",
    ],
    [
      "a circle of three, one moved as it was, two saved",
      `mv a.md t.md; mv b.md a.md; mv c.md b.md; mv t.md c.md; save a.md ${edited("b")}; save b.md ${edited("c")}`,
      "put a.md; put b.md; rename-remote a.md>a-TMP.md~; rename-remote b.md>a.md; rename-remote c.md>b.md; relink a.md; rename-remote a-TMP.md>c.md; relink b.md; relink c.md",
    ],
  ])("%s", (_, local, plan) => {
    check([three, local, "", plan]);
  });

  test("where two new files are like it, the more similar one is it", () => {
    const local = `mv b.md x.md; new y.md b1|b2|b3|b4|edited; mv a.md b.md; edit b.md ${edited("a")}; save x.md b1|b2|b3|b4|more`;
    check([
      three,
      local,
      "",
      "rename-remote b.md>x.md; rename-remote a.md>b.md; put b.md; put x.md; create-remote y.md; relink b.md; relink x.md",
    ]);
  });
  test("a file that was rewritten in place stays what it is, though its text is like a document's that was overwritten", () => {
    const local = `mv a.md b.md; edit b.md ${edited("a")}; edit c.md ${edited("b")}`;
    check([three, local, "", "put b.md; put c.md; delete-remote b.md; rename-remote a.md>b.md; relink b.md"]);
  });
  test("what was moved over a document and grew out of both is the document's at that path", () => {
    const local = `mv b.md b2.md; save b2.md ${edited("b")}; mv a.md b.md; edit b.md a1|a2|a3|a4|a5|b1|b2|b3|b4|b5`;
    check([three, local, "", "put b.md; create-remote b2.md; delete-remote a.md"]);
  });
});
