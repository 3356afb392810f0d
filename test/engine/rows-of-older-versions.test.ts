import { expect, test } from "vitest";
import { digestOf } from "../../src/contract/digest.ts";
import type { DocId } from "../../src/contract/ids.ts";
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

test("I13 I27 a conflict copy was written, and its conflict had not opened yet", async () => {
  const { rig, mirror, id } = await begin();
  mirror.write("note (theirs).md", "theirs\n");
  mirror.state.openIntent(1, { kind: "conflict-copy", id, path: "note (theirs).md", writes: digestOf("theirs\n") });
  for (let run = 0; run < 2; run++) await mirror.sync();
  expect(mirror.state.intents()).toEqual([]);
  expect(mirror.texts()).toEqual(remoteTexts(rig));
});
