import { expect, test } from "vitest";
import { settle, openSynced } from "../promises/fixture.ts";

test("I09 a document that is moved locally and renamed in the app at the same moment has both", async () => {
  const fixture = await openSynced({ "e/other.md": "# other\n", "d/note.md": "# note\n\ntext\n" });
  const { rig, mirror, idOf } = fixture;
  const id = idOf("d/note.md");
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
