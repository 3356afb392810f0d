import { expect, test } from "vitest";
import { digestOf } from "../../src/contract/digest.ts";
import type { DocId } from "../../src/contract/ids.ts";
import type { Intent } from "../../src/mirror/ports/state.ts";
import { remoteTexts } from "../promises/fixture.ts";
import type { Mirror } from "../simulator/mirror.ts";
import { createRig, type Rig } from "../simulator/rig.ts";

/** A process of an older version died in an effect. Its row has fewer members. */

type Begun = { readonly rig: Rig; readonly mirror: Mirror; readonly id: DocId };

async function begin(): Promise<Begun> {
  const rig = createRig(1);
  rig.app.create("note.md", "one\n");
  const { id } = rig.app.files().get("note.md")!;
  const mirror = rig.mirror();
  await mirror.sync();
  await mirror.sync();
  return { rig, mirror, id };
}

test("I10 I13 a file was replaced, and base had not moved yet", async () => {
  const { rig, mirror, id } = await begin();
  rig.app.edit("note.md", "two\n");
  const { changeId: baseChangeId, digest: baseDigest } = mirror.state.link(id)!;
  const setAsideAt = `tmp/park-${id}-0123456789abcdef`;
  mirror.disk.user.rename(mirror.path("note.md"), mirror.path(`.mdmirror/${setAsideAt}`));
  mirror.write("note.md", "two\n");
  const writes = mirror.state.putText("two\n", { path: "note.md", id, side: "remote", why: "seen on the service" });
  const next = { nextChangeId: rig.app.files().get("note.md")!.changeId, nextDigest: writes };
  const base = { expect: digestOf("one\n"), baseChangeId, baseDigest };
  const row = { kind: "replace", id, path: "note.md", setAsideAt, writes, ...base, ...next, settles: true };
  mirror.state.openIntent(1, row as unknown as Intent);
  for (let run = 0; run < 3; run++) await mirror.sync();
  expect(mirror.state.intents()).toEqual([]);
  expect(mirror.texts()).toEqual(new Map([["note.md", "two\n"]]));
  expect(mirror.state.link(id)).toMatchObject({ changeId: next.nextChangeId, digest: writes });
  expect(mirror.state.events({ limit: 10, kinds: ["recover"] })).toMatchObject([{ id, after: writes }]);
  expect(mirror.requests.filter((request) => request.startsWith("PUT"))).toEqual([]);
});

test("I13 a file got content that was an edit, and the log does not call it a version", async () => {
  const details: string[] = [];
  for (const isVersion of [true, false]) {
    const { rig, mirror, id } = await begin();
    if (isVersion) rig.app.edit("note.md", "two\n");
    const { changeId: baseChangeId, digest: baseDigest } = mirror.state.link(id)!;
    const setAsideAt = `tmp/park-${id}-0123456789abcdef`;
    mirror.disk.user.rename(mirror.path("note.md"), mirror.path(`.mdmirror/${setAsideAt}`));
    mirror.write("note.md", "two\n");
    const writes = digestOf("two\n");
    const { changeId: nextChangeId } = rig.app.files().get("note.md")!;
    const next = isVersion ? { nextChangeId, nextDigest: writes } : {};
    const row = { id, path: "note.md", setAsideAt, writes, expect: baseDigest, baseChangeId, baseDigest, ...next };
    mirror.state.openIntent(1, { kind: "replace", ...row } as Intent);
    for (let run = 0; run < 3; run++) await mirror.sync();
    expect(remoteTexts(rig)).toEqual(new Map([["note.md", "two\n"]]));
    details.push(...mirror.state.events({ limit: 10, kinds: ["recover"] }).map(({ detail }) => detail ?? ""));
  }
  expect(details).toHaveLength(2);
  expect(new Set(details).size).toBe(2);
});

test("I13 I27 a conflict copy was written, and its conflict had not opened yet", async () => {
  const { rig, mirror, id } = await begin();
  mirror.write("note (theirs).md", "theirs\n");
  mirror.state.openIntent(1, { kind: "conflict-copy", id, path: "note (theirs).md", writes: digestOf("theirs\n") });
  for (let run = 0; run < 2; run++) await mirror.sync();
  expect(mirror.state.intents()).toEqual([]);
  expect(mirror.texts()).toEqual(remoteTexts(rig));
});
