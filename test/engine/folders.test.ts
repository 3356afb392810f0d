import { describe, expect, it } from "vitest";
import { killAtEachCall } from "../simulator/moment.ts";
import { type Mirror, ROOT, type MirrorOptions } from "../simulator/mirror.ts";
import { settle, openSynced, problem } from "../promises/fixture.ts";
import { createRig, type Rig } from "../simulator/rig.ts";

/**
 * Folders that take a path at which an ignored local file or folder is, and names that were changed
 * because another name was taken.
 */

const PLAIN = /-[0-9a-f]{8}(?:\.md)?$/;

const syncDocs = () => openSynced({ "docs/a.md": "a\n", "docs/deep/b.md": "b\n", "k.md": "k\n" });

function paths(mirror: Mirror): string[] {
  return [...mirror.texts().keys()].sort();
}

describe("a folder renamed on the service to the name of a local folder without synced files", () => {
  it.each([
    ["an image", "pics/x.png"],
    ["a repository", "pics/.git/HEAD"],
  ])("I01 they are one from then on: %s stays where it is", async (_, other) => {
    const { rig, mirror } = await syncDocs();
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
    expect(mirror.writes()).toEqual([]);
  });

  it("I13 killed at any call, it comes to the same", async () => {
    const begun = await syncDocs();
    begun.mirror.write("pics/x.png", "an image");
    begun.rig.app.renameFolder("docs", "pics");
    const calls = await killAtEachCall(begun, {
      async judge({ rig, mirror }, call) {
        await settle(mirror);
        const documents = paths(mirror).filter((path) => path.endsWith(".md"));
        expect(documents, `killed at ${call}`).toEqual(["k.md", "pics/a.md", "pics/deep/b.md"]);
        expect(rig.app.paths(), `killed at ${call}`).toEqual(documents);
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
    expect([rig.app.paths(), [...mirror.texts().keys()].sort()]).toEqual([paths, paths]);
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
    await mirror.syncTimes(2);
    expect(paths(mirror)).toEqual(["k.md", "plan.md"]);
    mirror.requests.length = 0;
    expect((await mirror.sync())?.state).toBe("in-sync");
    expect(mirror.writes()).toEqual([]);
  });

  it("of a document, when its neighbour is renamed locally", async () => {
    const { rig, mirror } = await neighbours("Plan.md", "plan.md");
    mirror.rename("Plan.md", "other.md");
    await mirror.syncTimes(2);
    expect(paths(mirror)).toEqual(["k.md", "other.md", "plan.md"]);
    expect(rig.app.paths()).toEqual(["k.md", "other.md", "plan.md"]);
  });

  it("of a folder", async () => {
    const { rig, mirror } = await neighbours("Box/a.md", "box/a.md");
    rig.app.renameFolder("Box", "crate");
    await mirror.syncTimes(2);
    expect(paths(mirror)).toEqual(["box/a.md", "crate/a.md", "k.md"]);
    expect((await mirror.sync())?.state).toBe("in-sync");
  });
});

/**
 * Services that cannot move or delete folders: a document or folder that an old folder blocks is
 * free in the end.
 */

async function syncWith(
  options: MirrorOptions,
  variant: Parameters<typeof createRig>[1],
): Promise<{ rig: Rig; mirror: Mirror }> {
  const rig = createRig(43, variant);
  for (const [path, text] of Object.entries({ "docs/a.md": "a\n", "other/b.md": "b\n", "k.md": "k\n" }))
    rig.app.create(path, text);
  const mirror = rig.mirror(options);
  await mirror.sync();
  return { rig, mirror };
}

async function settled(mirror: Mirror): Promise<void> {
  expect((await mirror.sync())?.state).toBe("in-sync");
  mirror.requests.length = 0;
  expect((await mirror.sync())?.state).toBe("in-sync");
  expect(mirror.writes()).toEqual([]);
}

describe.each([
  ["neither PATCH nor DELETE of folders", { noFolderPatchOrDelete: 405 as const }],
  [
    "no DELETE of folders",
    {
      fault: ({ method, path }: { method: string; path: string }) =>
        method === "DELETE" && path.startsWith("/v1/folders/") ? problem(405, "method_not_allowed") : null,
    },
  ],
])("%s", (_, variant) => {
  it("I01 I09 a folder takes the name of a locally removed one: its documents move into that one, with their ids, and back", async () => {
    const { rig, mirror } = await syncWith({}, variant);
    const id = rig.app.id("other/b.md")!;
    mirror.remove("docs");
    await settled(mirror);
    mirror.rename("other", "docs");
    await settled(mirror);
    expect(rig.app.id("docs/b.md")).toBe(id);
    mirror.write("docs/c.md", "c\n");
    await settled(mirror);
    expect(rig.app.paths()).toEqual(["docs/b.md", "docs/c.md", "k.md"]);
    mirror.rename("docs", "other");
    await settled(mirror);
    expect(rig.app.paths()).toEqual(["k.md", "other/b.md", "other/c.md"]);
    expect(rig.app.id("other/b.md")).toBe(id);
    expect([...mirror.texts().keys()].sort()).toEqual(["k.md", "other/b.md", "other/c.md"]);
  });
});

it("I01 a folder removed locally, renamed on the service, and created locally under that name is that folder", async () => {
  const { rig, mirror } = await syncWith({}, { noFolderPatchOrDelete: 404 });
  mirror.remove("docs");
  await settled(mirror);
  rig.app.renameFolder("docs", "texts");
  mirror.disk.user.makeFolder(mirror.path("texts"));
  await settled(mirror);
  mirror.write("texts/c.md", "c\n");
  await settled(mirror);
  expect(rig.app.paths()).toEqual(["k.md", "other/b.md", "texts/c.md"]);
  expect(rig.app.folders()).toEqual(["other", "texts"]);
});

it("I08 I16 a folder whose name changes only in case, where the disk takes both for one and the service cannot rename it", async () => {
  const { rig, mirror } = await syncWith({ disk: { foldsCase: true } }, { noFolderPatchOrDelete: 405 });
  mirror.rename("docs", "Docs");
  await settled(mirror);
  mirror.write("Docs/c.md", "c\n");
  await settled(mirror);
  expect([...mirror.texts().keys()].sort()).toEqual(["Docs/a.md", "Docs/c.md", "k.md", "other/b.md"]);
  expect(rig.app.paths()).toEqual(["docs/a.md", "docs/c.md", "k.md", "other/b.md"]);
});

it("I02 a new folder on the service, at the place of one that was removed locally and renamed on the service, is linked by one run", async () => {
  const { rig, mirror } = await syncWith({}, { noFolderPatchOrDelete: 404 });
  mirror.remove("docs");
  await settled(mirror);
  rig.app.renameFolder("docs", "docs-2");
  await settled(mirror);
  rig.app.create("docs/new.md", "new\n");
  expect((await mirror.sync())?.state).toBe("in-sync");
  const end = await mirror.plan();
  expect(end.kind === "planned" ? end.plan.steps : end).toEqual([]);
  expect([...mirror.texts().keys()].sort()).toEqual(["docs/new.md", "k.md", "other/b.md"]);
});

it.each([
  ["a new folder", "new.md", (rig: Rig) => void rig.app.create("docs/new.md", "new\n")],
  ["a renamed folder", "n.md", (rig: Rig) => rig.app.renameFolder("other", "docs")],
])(
  "I02 a folder removed locally in a linked folder that only downloads stays removed, although %s gets its name on the service",
  async (_, name, takeName) => {
    const { rig, mirror } = await openSynced({ "docs/a.md": "a\n", "docs/deep/b.md": "b\n", "other/n.md": "n\n" });
    const pull = { direction: "pull" } as const;
    mirror.remove("docs");
    rig.app.renameFolder("docs", "docs-2");
    await mirror.sync(pull);
    takeName(rig);
    expect((await mirror.sync(pull))?.state).toBe("in-sync");
    const end = await mirror.plan(pull);
    expect(end.kind === "planned" ? end.plan.steps : end).toEqual([]);
    expect(paths(mirror)).toContain(`docs/${name}`);
    expect(paths(mirror).some((path) => path.startsWith("docs-2/"))).toBe(false);
  },
);

/** An unfinished merge: such content is not sent, so its document is blocked. */
const MARKERS = "\n<<<<<<< mine\nthis\n=======\nthat\n>>>>>>> theirs\n";

it("I09 a document that was moved locally and edited on the service in one cycle is known by the written file", async () => {
  const rig = createRig(13);
  const id = rig.app.create("home/plan.md", "a plan\n");
  rig.app.makeFolder("box");
  const mirror = rig.mirror();
  await mirror.sync();
  mirror.rename("home/plan.md", "box/plan.md");
  rig.app.edit("home/plan.md", "another plan\n");
  await mirror.sync();
  expect(mirror.texts()).toEqual(new Map([["box/plan.md", "another plan\n"]]));
  const here = mirror.world().disk.look("box/plan.md");
  const record = mirror.state.load().records.get(id);
  expect(here).toMatchObject({ kind: "file", stamp: { ino: record?.stamp?.ino, birthMs: record?.stamp?.birthMs } });
});

it.each(["a new folder of its name", "another folder that changed places with it"])(
  "I09 a blocked document stays in base in its folder, which was renamed and left its path to %s",
  async (heir) => {
    const { rig, mirror } = await openSynced({ "d/a.md": "a\n\na plan\n", "e/k.md": "k\n" });
    const id = rig.app.id("d/a.md")!;
    const { user } = mirror.disk;
    mirror.write("d/a.md", `a\n\na plan\n${MARKERS}`);
    if (heir.startsWith("another")) {
      mirror.rename("e", "t");
      mirror.rename("d", "e");
      mirror.rename("t", "d");
    } else {
      mirror.rename("d", "box");
      user.makeFolder(mirror.path("d"));
    }
    rig.app.remove("d/a.md");
    await mirror.sync();
    expect(mirror.state.blocks().map(({ key, reason }) => [key, reason])).toEqual([[id, "conflict-markers"]]);
    const path = heir.startsWith("another") ? "e/a.md" : "box/a.md";
    expect(mirror.state.record(id)).toMatchObject({ localPath: path, remotePath: path });
    expect(mirror.texts().get(path)).toBe(`a\n\na plan\n${MARKERS}`);
  },
);

it.each(["box", "zoo"])(
  "I09 a document at the path of a blocked one is known by its content when it is saved as a new file (the other in %s)",
  async (folder) => {
    const { rig, mirror } = await openSynced({
      "work/log.md": "log\n\nof monday\n\nof tuesday\n\nof friday\n",
      [`${folder}/x.md`]: "x\n\nthis\n\nthat\n\nand other things\n",
    });
    const id = rig.app.id(`${folder}/x.md`)!;
    const { user } = mirror.disk;
    user.saveAtomically(mirror.path("work/log.md"), `log\n\nof monday\n\nof tuesday\n${MARKERS}`);
    rig.app.remove("work/log.md");
    await mirror.sync();
    expect(mirror.state.blocks().map(({ reason }) => reason)).toEqual(["conflict-markers"]);
    mirror.rename("work/log.md", "t~");
    mirror.rename(`${folder}/x.md`, "work/log.md");
    mirror.rename("t~", `${folder}/x.md`);
    await mirror.sync();
    expect(rig.app.id("work/log.md")).toBe(id);
    user.saveAtomically(mirror.path("work/log.md"), "x\n\nthis\n\nthat\n\nand other things\n\nand more\n");
    await mirror.sync();
    expect(rig.app.files().get("work/log.md")).toMatchObject({
      id,
      text: "x\n\nthis\n\nthat\n\nand other things\n\nand more\n",
    });
    expect(mirror.writes("DELETE")).toEqual([]);
  },
);
