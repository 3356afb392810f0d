import { expect, it } from "vitest";
import { createRig } from "../simulator/rig.ts";

const TEXT = "one line of the document\nanother line of the document\nthe last line of the document\n";

it("I04 I09 a document whose path another one has by now is not deleted while an editor saves it elsewhere", async () => {
  const rig = createRig(44);
  const [, id] = [rig.app.create("a.md", "a document of its own\n"), rig.app.create("b.md", TEXT)];
  const mirror = rig.mirror();
  await mirror.sync();
  mirror.disk.user.rename(mirror.path("b.md"), mirror.path("c.md"));
  mirror.disk.user.rename(mirror.path("a.md"), mirror.path("b.md"));
  // The editor is between the two steps of a save during the first scan.
  mirror.disk.user.remove(mirror.path("c.md"));
  const saved = rig.clock.sleep(1_000).then(() => mirror.write("c.md", `${TEXT}a new line\n`));
  await mirror.sync();
  await saved;
  await mirror.sync();
  expect(mirror.requests.filter((request) => request.startsWith("DELETE"))).toEqual([]);
  expect(rig.app.files().get("c.md")).toMatchObject({ id, text: `${TEXT}a new line\n` });
});
