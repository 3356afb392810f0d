import { expect, test } from "vitest";
import { openFixture, remoteTexts, settle } from "../promises/fixture.ts";

const text = (first: string, last: string) => `${first}\n\nmiddle\n\nof it\n\n${last}\n`;

test("I06 I27 a version that came while the conflict copy was edited, and that nobody saw, is not overwritten when mine is chosen", async () => {
  const fixture = openFixture(63);
  const { rig, mirror } = fixture;
  rig.app.create("note.md", text("one", "end"));
  rig.app.create("n.md", "n\n");
  await settle(mirror);
  mirror.write("note.md", text("mine", "end"));
  rig.app.edit("note.md", text("theirs", "end"));
  await settle(mirror);
  mirror.write("note (theirs).md", text("theirs, tried here", "end"));
  rig.app.edit("note.md", text("theirs", "end, edited there"));
  await settle(mirror);
  await rig.clock.sleep(86_400_000);
  mirror.disk.user.remove(mirror.path("note (theirs).md"));
  await settle(mirror);
  expect(remoteTexts(rig).get("note.md")).toBe(text("mine", "end, edited there"));
  expect(mirror.texts().get("note.md")).toBe(text("mine", "end, edited there"));
});
