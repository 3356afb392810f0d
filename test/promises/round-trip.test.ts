import { describe, expect, test } from "vitest";
import type { Variant } from "../variants/variant.ts";
import { isWrite, openFixture, settle } from "./fixture.ts";

/** Contents that a program might normalize by mistake. */
const NASTY: readonly (readonly [name: string, text: string])[] = [
  ["empty", ""],
  ["one line end", "\n"],
  ["white space alone", " \t \n\n  "],
  ["CRLF", "one\r\ntwo\r\n"],
  ["CR alone", "one\rtwo\r"],
  ["mixed line ends", "one\r\ntwo\nthree\rfour\r\n\nfive"],
  ["BOM", "\ufeffone\ntwo\n"],
  ["BOM alone", "\ufeff"],
  ["BOM inside", "one\n\ufefftwo\n"],
  ["no final newline", "one\ntwo"],
  ["many final newlines", "one\n\n\n\n"],
  ["trailing spaces", "hard break  \nnext\t\n"],
  ["NFC", "caf\u00e9 \u1e9b\u0323\n"],
  ["NFD", "cafe\u0301 s\u0323\u0307\n"],
  ["Hangul in pieces", "\u1112\u1161\u11ab\n"],
  ["astral", "\u{1f468}\u200d\u{1f469}\u200d\u{1f467} \u{20bb7} \u{10fffd}\n"],
  ["line and paragraph separators", "one\u2028two\u2029three\u0085four\u000bfive\u000csix\n"],
  ["bidi and zero width", "\u202eabc\u202c \u2066x\u2069 \u200b\u200c\u2060\u00ad\n"],
  ["controls", "bell \u0007 escape \u001b[31m del \u007f c1 \u009b\n"],
  ["non-characters", "\ufffe\uffff \ufdd0 \ufffd\n"],
  ["no-break spaces", "\u00a0\u202f\u3000x\n"],
  ["JSON in it", '{"content":"\\u0000 \\" \\\\ \\n"}\n'],
  ["HTML in it", "<b>&amp;&#10;</b> <!-- --> ]]>\n"],
  ["markers of a merge", "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n"],
  ["front matter", "---\r\ntitle: x\r\n---\r\n\r\ntext"],
  ["the limit", "\u{1f600}".repeat(10_000)],
];

const EXACT: readonly (readonly [name: string, variant: Variant])[] = [
  ["as the embedded service is", {}],
  ["no leading slashes, bare answers", { noLeadingSlashes: true, documentedMembersOnly: true }],
  ["change ids that move on rename, unknown members", { changeIdMovesOnRename: true, unknownMembers: true }],
  ["pages of two, no folder PATCH", { maxPageSize: 2, noFolderPatchOrDelete: 405 }],
];

const path = (index: number) => `d${index % 3}/t${index}.md`;

describe.each(EXACT)("I25 byte for byte, on a deployment: %s", (_, variant) => {
  test("down, and with a touch of every file up again: no PUT, the same bytes on both sides", async () => {
    const fixture = openFixture(25, variant);
    const { rig, mirror } = fixture;
    for (const [index, [, text]] of NASTY.entries()) rig.app.create(path(index), text);
    await settle(mirror);
    for (const [index, [name, text]] of NASTY.entries())
      expect({ name, here: mirror.texts().get(path(index)) }).toEqual({ name, here: text });
    // Saves the same bytes like an editor, which changes inode and times.
    for (const [index, [, text]] of NASTY.entries()) mirror.disk.user.saveAtomically(mirror.path(path(index)), text);
    fixture.seen.length = 0;
    await settle(mirror);
    expect(fixture.seen.filter(isWrite)).toEqual([]);
  });

  test("up, and down into another linked folder: the same bytes", async () => {
    const { rig, mirror } = openFixture(25, variant);
    for (const [index, [, text]] of NASTY.entries()) mirror.write(path(index), text);
    await settle(mirror);
    const other = rig.mirror();
    await settle(other);
    expect(other.texts()).toEqual(mirror.texts());
    for (const [index, [name, text]] of NASTY.entries())
      expect({ name, there: rig.app.texts().get(path(index)), other: other.texts().get(path(index)) }).toEqual({
        name,
        there: text,
        other: text,
      });
  });

  test("edited locally, then on the service, each over the other's content: the same bytes", async () => {
    const { rig, mirror } = openFixture(25, variant);
    for (const index of NASTY.keys()) rig.app.create(path(index), "first\n");
    await settle(mirror);
    for (const [index, [, text]] of NASTY.entries()) if (!text.includes("<<<<<<<")) mirror.write(path(index), text);
    await settle(mirror);
    for (const [index, [name, text]] of NASTY.entries())
      if (!text.includes("<<<<<<<"))
        expect({ name, there: rig.app.texts().get(path(index)) }).toEqual({ name, there: text });
    for (const [index, [, text]] of NASTY.entries()) rig.app.edit(path(NASTY.length - 1 - index), text);
    await settle(mirror);
    for (const [index, [name, text]] of NASTY.entries())
      expect({ name, here: mirror.texts().get(path(NASTY.length - 1 - index)) }).toEqual({ name, here: text });
  });

  test("through a merge: what neither side touched stays as it was, byte for byte", async () => {
    const { rig, mirror } = openFixture(25, variant);
    const framed = NASTY.filter(
      ([, text]) => text.length < 1_000 && !text.includes("<<<<<<<") && !text.startsWith("---"),
    );
    const of = (text: string, first: string, last: string) =>
      `${first}\n\nparagraph\n\n${text}\n\nparagraph two\n\n${last}\n`;
    for (const [index, [, text]] of framed.entries()) rig.app.create(path(index), of(text, "first", "last"));
    await settle(mirror);
    for (const [index, [, text]] of framed.entries()) {
      mirror.write(path(index), of(text, "first, edited locally", "last"));
      rig.app.edit(path(index), of(text, "first", "last, edited there"));
    }
    await settle(mirror);
    for (const [index, [name, text]] of framed.entries()) {
      const merged = of(text, "first, edited locally", "last, edited there");
      expect({ name, here: mirror.texts().get(path(index)), there: rig.app.texts().get(path(index)) }).toEqual({
        name,
        here: merged,
        there: merged,
      });
    }
  });
});

test("I25 on a deployment that normalises on save: one answer each, no ping-pong, and what it downloads stays byte for byte", async () => {
  const fixture = openFixture(25, { normalise: true });
  const { rig, mirror } = fixture;
  for (const [index, [, text]] of NASTY.entries()) mirror.write(path(index), text);
  await settle(mirror);
  const [here, there] = [mirror.texts(), rig.app.texts()];
  for (const at of there.keys()) expect({ at, here: here.get(at) }).toEqual({ at, here: there.get(at) });
  fixture.seen.length = 0;
  await settle(mirror);
  expect(fixture.seen.filter(isWrite)).toEqual([]);
  // An edit that the service undoes by normalization is sent only once.
  mirror.write(path(0), "\ufeff");
  mirror.write(path(3), "one\r\ntwo\r\n");
  await settle(mirror);
  fixture.seen.length = 0;
  await settle(mirror);
  expect(fixture.seen.filter(isWrite)).toEqual([]);
});
