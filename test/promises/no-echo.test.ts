import { describe, expect, test } from "vitest";
import type { Variant } from "../variants/variant.ts";
import { type Fixture, isWrite, openFixture, putId, remoteTexts, settle } from "./fixture.ts";

const TEXTS = ["plain\n", "", "no final newline", "one\r\ntwo\r\n", "\ufeffBOM\n", "cafe\u0301\n", "x".repeat(20_000)];
const VARIANTS: readonly (readonly [string, Variant])[] = [
  ["as the embedded service is", {}],
  ["bare answers, no leading slashes", { documentedMembersOnly: true, noLeadingSlashes: true }],
  ["change ids that move on rename", { changeIdMovesOnRename: true }],
];
const at = (index: number) => `d/n${index}.md`;

/** Inode and times of each file: what a rewrite changes, also one of equal bytes. */
function stampsOf({ mirror }: Fixture): Map<string, string> {
  return new Map(
    [...mirror.texts().keys()].map((path) => {
      const { ino, mtimeMs, ctimeMs } = mirror.disk.lstat(mirror.path(path));
      return [path, `${ino} ${mtimeMs} ${ctimeMs}`];
    }),
  );
}

describe.each(VARIANTS)("I10 no echo, on a deployment: %s", (_, variant) => {
  test("content that mdmirror wrote to the disk (new, replaced, merged, moved) causes no PUT", async () => {
    const fixture = openFixture(10, variant);
    const { rig, mirror } = fixture;
    for (const [index, text] of TEXTS.entries()) rig.app.create(at(index), text);
    await settle(mirror);
    for (const [index, text] of TEXTS.entries()) rig.app.edit(at(index), `edited there\n${text}`);
    rig.app.rename(at(0), "moved.md");
    await settle(mirror);
    expect(fixture.seen.filter(isWrite)).toEqual([]);
    const stamps = stampsOf(fixture);
    await settle(mirror);
    expect(fixture.seen.filter(isWrite)).toEqual([]);
    expect(stampsOf(fixture)).toEqual(stamps);
  });

  test("content that mdmirror sent is not written to the disk again: same inode, same times", async () => {
    const fixture = openFixture(10, variant);
    const { mirror } = fixture;
    for (const [index, text] of TEXTS.entries()) mirror.write(at(index), text);
    const created = stampsOf(fixture);
    await settle(mirror);
    expect(stampsOf(fixture)).toEqual(created);
    for (const [index, text] of TEXTS.entries()) mirror.write(at(index), `${text}and edited locally`);
    const edited = stampsOf(fixture);
    await settle(mirror);
    expect(stampsOf(fixture)).toEqual(edited);
    expect(fixture.seen.filter((request) => putId(request) !== null)).toHaveLength(TEXTS.length);
  });
});

test("I10 a saved text that differs from the sent one comes to the disk once, and goes up no more", async () => {
  const fixture = openFixture(10, { normalise: true });
  const { rig, mirror } = fixture;
  mirror.write("a.md", "first\n");
  await settle(mirror);
  mirror.write("a.md", "one\r\ntwo, cafe\u0301");
  await settle(mirror);
  expect(mirror.texts().get("a.md")).toBe("one\ntwo, caf\u00e9\n");
  expect(remoteTexts(rig).get("a.md")).toBe("one\ntwo, caf\u00e9\n");
  expect(fixture.seen.filter((request) => putId(request) !== null)).toHaveLength(1);
  const stamps = stampsOf(fixture);
  await settle(mirror);
  expect(stampsOf(fixture)).toEqual(stamps);
});
