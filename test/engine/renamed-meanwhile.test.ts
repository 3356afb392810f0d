import { expect, test } from "vitest";
import { openFixture, settle } from "../promises/fixture.ts";

test("I09 a document that is moved locally and renamed in the app at the same moment has both", async () => {
  const fixture = openFixture(61);
  const { rig, mirror } = fixture;
  rig.app.create("e/other.md", "# other\n");
  const id = rig.app.create("d/note.md", "# note\n\ntext\n");
  await settle(mirror);
  mirror.disk.user.rename(mirror.path("d/note.md"), mirror.path("e/note.md"));
  fixture.onRequest = ({ method }) => {
    if (method !== "PATCH") return;
    fixture.onRequest = () => undefined;
    rig.app.rename("d/note.md", "named.md");
  };
  const { state, attention } = await settle(mirror);
  expect([state, attention]).toEqual(["in-sync", []]);
  expect(rig.app.files().get("e/named.md")?.id).toBe(id);
  expect([...mirror.texts().keys()].toSorted()).toEqual(["e/named.md", "e/other.md"]);
});
