import { describe, expect, it } from "vitest";
import { killAtEachCall } from "../simulator/kill-at-each-call.ts";
import { type Mirror, ROOT } from "../simulator/mirror.ts";
import { settle, openSynced } from "../promises/fixture.ts";

/**
 * Folders that meet where something stands here that the mirror leaves alone, and names that were
 * given for want of a place.
 */

const PLAIN = /-[0-9a-f]{8}(?:\.md)?$/;

const start = () => openSynced({ "docs/a.md": "a\n", "docs/deep/b.md": "b\n", "k.md": "k\n" });

function paths(mirror: Mirror): string[] {
  return [...mirror.texts().keys()].sort();
}

describe("a folder renamed on the service to the name of a local folder without synced files", () => {
  it.each([
    ["an image", "pics/x.png"],
    ["a repository", "pics/.git/HEAD"],
  ])("I01 they are one from then on: %s stays where it is", async (_, other) => {
    const { rig, mirror } = await start();
    const ids = new Map([...rig.app.files().values()].map(({ id, text }) => [text, id]));
    mirror.write(other, "not a document");
    rig.app.renameFolder("docs", "pics");
    expect((await mirror.sync())?.state).toBe("in-sync");
    expect(paths(mirror).filter((path) => path.endsWith(".md"))).toEqual(["k.md", "pics/a.md", "pics/deep/b.md"]);
    expect(mirror.disk.user.read(mirror.path(other))).toBe("not a document");
    expect(mirror.disk.user.exists(mirror.path("docs"))).toBe(false);
    expect(rig.app.folders()).toEqual(["pics", "pics/deep"]);
    expect(new Map([...rig.app.files().values()].map(({ id, text }) => [text, id]))).toEqual(ids);
    mirror.requests.length = 0;
    expect((await mirror.sync())?.state).toBe("in-sync");
    expect(mirror.requests.filter((request) => !request.startsWith("GET "))).toEqual([]);
  });

  it("I13 killed at any call, it comes to the same", async () => {
    const begun = await start();
    begun.mirror.write("pics/x.png", "an image");
    begun.rig.app.renameFolder("docs", "pics");
    const calls = await killAtEachCall(begun, {
      async judge({ rig, mirror }, call) {
        await settle(mirror);
        const documents = paths(mirror).filter((path) => path.endsWith(".md"));
        expect(documents, `killed at ${call}`).toEqual(["k.md", "pics/a.md", "pics/deep/b.md"]);
        expect([...rig.app.files().keys()].sort(), `killed at ${call}`).toEqual(documents);
        expect(mirror.disk.user.read(`${ROOT}/pics/x.png`)).toBe("an image");
      },
    });
    expect(calls).toBeGreaterThan(20);
  });
});

describe("a folder renamed on the service, whose documents were moved locally to a folder of that name", () => {
  it("I11 I13 has one record at each call, also if its former folder is a new one and much else is to do", async () => {
    const others = Object.fromEntries(Array.from({ length: 45 }, (_, n) => [`k/${n}.md`, `${n}\n`]));
    const { rig, mirror } = await openSynced({ "docs/a.md": "a\n", "docs/b.md": "b\n", ...others });
    const { user } = mirror.disk;
    for (const path of Object.keys(others)) mirror.write(path, `${path} edited\n`);
    mirror.write("docs/c.md", "c\n");
    user.makeFolder(`${ROOT}/pics`);
    for (const name of ["a.md", "b.md"]) user.rename(`${ROOT}/docs/${name}`, `${ROOT}/pics/${name}`);
    rig.app.renameFolder("docs", "pics");
    const doubled = new Set<string>();
    mirror.onCall = () => {
      const folders = [...mirror.state.load().dirs.values()].map(({ localPath }) => localPath);
      for (const path of folders) if (folders.indexOf(path) !== folders.lastIndexOf(path)) doubled.add(path);
    };
    expect((await mirror.sync())?.state).toBe("in-sync");
    expect([...doubled]).toEqual([]);
    const paths = ["docs/c.md", ...Object.keys(others), "pics/a.md", "pics/b.md"].sort();
    expect([[...rig.app.files().keys()].sort(), [...mirror.texts().keys()].sort()]).toEqual([paths, paths]);
    expect(rig.app.folders()).toEqual(["docs", "k", "pics"]);
  });
});

async function neighbours(first: string, second: string) {
  const { rig, mirror } = await openSynced(
    { "k.md": "k\n", [first]: "first\n", [second]: "second\n" },
    { disk: { foldsCase: true } },
  );
  const given = paths(mirror).filter((path) => path.split("/").some((name) => PLAIN.test(name)));
  expect(given).toHaveLength(1);
  expect((await mirror.sync())?.state).toBe("in-sync");
  return { rig, mirror };
}

describe("a name with the digits of an id is given back when its reason ends", () => {
  it("of a document, when its neighbour is deleted on the service", async () => {
    const { rig, mirror } = await neighbours("Plan.md", "plan.md");
    rig.app.remove("Plan.md");
    for (let n = 0; n < 2; n++) await mirror.sync();
    expect(paths(mirror)).toEqual(["k.md", "plan.md"]);
    mirror.requests.length = 0;
    expect((await mirror.sync())?.state).toBe("in-sync");
    expect(mirror.requests.filter((request) => !request.startsWith("GET "))).toEqual([]);
  });

  it("of a document, when its neighbour is renamed locally", async () => {
    const { rig, mirror } = await neighbours("Plan.md", "plan.md");
    mirror.disk.user.rename(mirror.path("Plan.md"), mirror.path("other.md"));
    for (let n = 0; n < 2; n++) await mirror.sync();
    expect(paths(mirror)).toEqual(["k.md", "other.md", "plan.md"]);
    expect([...rig.app.files().keys()].sort()).toEqual(["k.md", "other.md", "plan.md"]);
  });

  it("of a folder", async () => {
    const { rig, mirror } = await neighbours("Box/a.md", "box/a.md");
    rig.app.renameFolder("Box", "crate");
    for (let n = 0; n < 2; n++) await mirror.sync();
    expect(paths(mirror)).toEqual(["box/a.md", "crate/a.md", "k.md"]);
    expect((await mirror.sync())?.state).toBe("in-sync");
  });
});
