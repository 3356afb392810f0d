import { describe, expect, it } from "vitest";
import { openFixture, settle } from "../promises/fixture.ts";

/** A conflict of a document whose local move is blocked: base has its old place. */

const REST = Array.from({ length: 12 }, (_, line) => `line ${line}\n`).join("");
const [ONE, MINE, THEIRS] = [`one\n${REST}`, `mine\n${REST}`, `theirs\n${REST}`];

const HELD = [
  ["its folder was renamed", "d", "e", "e/a (theirs).md", "e/a.md"],
  ["it was renamed itself", "d/a.md", "d/z.md", "d/z (theirs).md", "d/z.md"],
] as const;

describe.each(HELD)("where the key may not move a document, and %s", (_how, from, to, conflictCopy, document) => {
  it.each([
    ["conflict-copy", { [conflictCopy]: THEIRS, [document]: MINE }],
    ["copy", { [conflictCopy.replace("theirs", "mine")]: MINE, [document]: THEIRS }],
  ] as const)("I01 I27 two edits that do not merge are kept beside each other (%s)", async (policy, texts) => {
    const fixture = openFixture(52, {}, (opened) => ({ key: opened.makeKey().key }));
    const { rig, mirror } = fixture;
    rig.app.create("d/a.md", ONE);
    await settle(mirror);
    mirror.disk.user.rename(mirror.path(from), mirror.path(to));
    await settle(mirror);
    mirror.write(document, MINE);
    rig.app.edit("d/a.md", THEIRS);
    await settle(mirror, { conflicts: () => policy });
    const here = mirror.disk.user.texts(mirror.path("").replace(/\/$/, ""));
    expect(Object.fromEntries(here)).toEqual(texts);
  });
});
