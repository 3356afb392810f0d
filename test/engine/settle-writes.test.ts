import { expect, test } from "vitest";
import { keepsText, openSynced } from "../promises/fixture.ts";

/** A request of the mirror, and what the person does to the file that asks for it. */
const ACTS = [
  ["PATCH", "rename"],
  ["DELETE", "remove"],
] as const;

test.each(ACTS)(
  "I03 the text that settles a %s whose end is not known is kept, though it goes there next (%s)",
  async (method, act) => {
    const fixture = await openSynced({ "note.md": "one\n", "stays.md": "stays\n" });
    const { rig, mirror } = fixture;
    if (act === "remove") mirror.disk.user.remove(mirror.path("note.md"));
    else mirror.disk.user.rename(mirror.path("note.md"), mirror.path("other.md"));
    // Sent, and the machine stops before the answer comes.
    fixture.onRequest = (request) => {
      if (request.method === method) mirror.killAt(1);
    };
    fixture.fault = (request) => (request.method === method ? "drop-before" : null);
    expect(await mirror.sync()).toBeNull();
    fixture.fault = () => null;
    const edited = "one\n\ntwo, in the app\n";
    rig.app.edit("note.md", edited);
    let isListed = false;
    fixture.onRequest = ({ path }) => {
      if (isListed || !path.startsWith("/v1/files?")) return;
      isListed = true;
      rig.app.remove("note.md");
    };
    await mirror.sync();
    expect(isListed).toBe(true);
    expect(keepsText(fixture, edited)).toBe(true);
  },
);
