import { describe, expect, test } from "vitest";
import { type Fixture, remoteTexts, settle, openSynced } from "./fixture.ts";

/** A mirror that follows `.gitignore` files, through the whole engine. */

const NOTES = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`d${n % 3}/n${n}.md`, `note ${n}\n`]));
const inSync = () => openSynced(NOTES, { gitignore: true });

const writes = ({ seen }: Fixture) => seen.filter(({ method }) => method !== "GET").map(({ method }) => method);

describe("what .gitignore files leave out", () => {
  test("is not sent, and linked documents still sync in both directions (I18)", async () => {
    const fixture = await inSync();
    const { rig, mirror } = fixture;
    mirror.write(".gitignore", "d1/\nn0.md\n");
    mirror.write("d1/new.md", "new\n");
    mirror.write("d2/n0.md", "of that name\n");
    mirror.write("d1/n1.md", "edited locally\n");
    rig.app.edit("d0/n0.md", "edited there\n");
    await settle(mirror);
    expect(writes(fixture)).toEqual(["PUT"]);
    expect(remoteTexts(rig).get("d1/n1.md")).toBe("edited locally\n");
    expect(remoteTexts(rig).has("d1/new.md")).toBe(false);
    expect(mirror.texts().get("d0/n0.md")).toBe("edited there\n");
    expect(mirror.texts().get("d1/new.md")).toBe("new\n");
    mirror.disk.user.remove(mirror.path(".gitignore"));
    await settle(mirror);
    expect(remoteTexts(rig)).toEqual(mirror.texts());
  });

  test("is deleted on neither side, whichever side it goes from, then or when the rule goes (I18)", async () => {
    const fixture = await inSync();
    const { rig, mirror } = fixture;
    const remote = remoteTexts(rig);
    mirror.write(".gitignore", "d1/\n");
    await settle(mirror);
    // As a build does that cleans its outputs first.
    mirror.disk.user.remove(mirror.path("d1"));
    for (let run = 0; run < 3; run++) await mirror.sync();
    expect(writes(fixture)).toEqual([]);
    expect(remoteTexts(rig)).toEqual(remote);
    expect(mirror.texts().has("d1/n1.md")).toBe(false);
    // And creates one of them again: it is the earlier document.
    mirror.write("d1/n1.md", "built anew\n");
    await settle(mirror);
    expect(writes(fixture)).toEqual(["PUT"]);
    mirror.disk.user.remove(mirror.path(".gitignore"));
    await settle(mirror);
    expect(writes(fixture)).toEqual(["PUT"]);
    expect(remoteTexts(rig)).toEqual(new Map(remote).set("d1/n1.md", "built anew\n"));
    expect(mirror.texts()).toEqual(remoteTexts(rig));
  });

  test("is not downloaded, and nothing moves to its path", async () => {
    const fixture = await inSync();
    const { rig, mirror } = fixture;
    mirror.write(".gitignore", "build/\n");
    await settle(mirror);
    rig.app.create("build/page.md", "page\n");
    rig.app.move("d0/n0.md", "build");
    for (let run = 0; run < 3; run++) await mirror.sync();
    expect([...mirror.texts().keys()].filter((path) => path.startsWith("build/"))).toEqual([]);
    expect(mirror.texts().get("d0/n0.md")).toBe("note 0\n");
    expect(writes(fixture)).toEqual([]);
    expect([...mirror.state.load().blocks.values()].map(({ reason, detail }) => [reason, detail])).toEqual([
      ["suspended", "its folder on the service is excluded by line 1 of .gitignore"],
    ]);
    mirror.disk.user.remove(mirror.path(".gitignore"));
    await settle(mirror);
    expect(mirror.texts()).toEqual(remoteTexts(rig));
  });
});
