import { expect, it } from "vitest";
import { openFixture } from "../promises/fixture.ts";

it.each([
  ["in a clone", false],
  ["in an update", true],
])(
  "a document that is read in another version than listed, %s: it is listed again, before the sides are called in sync",
  async (_when, isKnown) => {
    const fixture = openFixture(71);
    const { rig, mirror, seen } = fixture;
    rig.app.create("a.md", "one\n");
    rig.app.create("b.md", "b\n");
    if (isKnown) {
      await mirror.sync();
      rig.app.edit("a.md", "two\n");
    }
    seen.length = 0;
    let isEdited = false;
    fixture.onRequest = ({ method, path }) => {
      if (isEdited || method !== "GET" || !path.startsWith("/v1/files/doc_")) return;
      isEdited = true;
      rig.app.edit("a.md", "last\n");
    };
    expect((await mirror.sync())!.state).toBe("in-sync");
    expect(mirror.texts().get("a.md")).toBe("last\n");
    expect(seen.filter(({ path }) => /^\/v1\/files(\?|$)/.test(path))).toHaveLength(2);
  },
);
