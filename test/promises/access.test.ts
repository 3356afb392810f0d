import { describe, expect, test } from "vitest";
import type { OwnKey } from "../simulator/rig.ts";
import { type Fixture, isWrite, openFixture, settle, workspaceOf } from "./fixture.ts";

const DOCUMENTS = 12;

type SyncedFolder = { readonly fixture: Fixture; readonly own: OwnKey; readonly texts: ReadonlyMap<string, string> };

/** Returns a synced folder with its own key, with an edit and a new file that are not sent yet. */
async function inSync(): Promise<SyncedFolder> {
  let own: OwnKey | null = null;
  const fixture = openFixture(19, {}, (rig) => {
    own = rig.makeKey({ on: null, level: "full" });
    return { key: own.key };
  });
  for (let n = 0; n < DOCUMENTS; n++) fixture.rig.app.create(`d${n % 3}/n${n}.md`, `note ${n}\n`);
  await settle(fixture.mirror);
  fixture.mirror.write("d0/n0.md", "not sent yet\n");
  fixture.mirror.write("d1/new.md", "new, not sent yet\n");
  return { fixture, own: own!, texts: fixture.mirror.texts() };
}

/**
 * Expects each earlier content in a file: at its path, or in the trash. The content store alone
 * does not count.
 */
function expectNoneErased({ fixture, texts }: SyncedFolder): void {
  const { mirror } = fixture;
  const files = [...mirror.disk.user.texts(mirror.path("."), true).values()];
  for (const [path, text] of texts) expect({ path, kept: files.includes(text) }).toEqual({ path, kept: true });
}

const LOSSES: readonly (readonly [name: string, stays: "all" | "some", lose: (synced: SyncedFolder) => void])[] = [
  ["the key is removed", "all", ({ fixture, own }) => void fixture.rig.service.admin.removeKey(own.id)],
  [
    "the workspace is removed",
    "all",
    ({ fixture }) => void fixture.rig.service.admin.removeWorkspace(workspaceOf(fixture.rig)),
  ],
  [
    "the workspace is closed",
    "all",
    ({ fixture }) => void fixture.rig.service.admin.setWorkspaceState(workspaceOf(fixture.rig), "closed"),
  ],
  ["every grant is taken", "all", ({ fixture, own }) => fixture.rig.grant(own.id)],
  [
    "one document's folder alone stays readable",
    "some",
    ({ fixture, own }) => {
      const folder = [...fixture.mirror.state.load().dirs.values()].find(({ remotePath }) => remotePath === "d0")!;
      fixture.rig.grant(own.id, { on: folder.id, level: "full" });
    },
  ],
  [
    "the key may read, and no longer write",
    "all",
    ({ fixture, own }) => fixture.rig.grant(own.id, { on: null, level: "read" }),
  ],
  [
    "one document alone may be read",
    "some",
    ({ fixture, own }) => {
      const { id } = [...fixture.rig.app.files().values()][0]!;
      fixture.rig.grant(own.id, { on: id, level: "read" });
    },
  ],
];

describe("I19 access that is lost erases no local bytes", () => {
  test.each(LOSSES)("%s", async (_, stays, lose) => {
    const synced = await inSync();
    const { mirror, seen } = synced.fixture;
    lose(synced);
    seen.length = 0;
    for (let run = 0; run < 3; run++) expect((await mirror.sync())?.state).not.toBe("in-sync");
    expectNoneErased(synced);
    if (stays === "all") for (const [path, text] of synced.texts) expect(mirror.texts().get(path)).toBe(text);
    // Whatever access was lost, unsent edits stay at their paths.
    expect(mirror.texts().get("d0/n0.md")).toBe("not sent yet\n");
    expect(mirror.texts().get("d1/new.md")).toBe("new, not sent yet\n");
    expect(seen.filter(({ method }) => method === "DELETE")).toEqual([]);
  });

  test("the grant comes back: all is as it was, under the same ids, and what was not sent goes up", async () => {
    const synced = await inSync();
    const { rig, mirror } = synced.fixture;
    const ids = rig.app.ids();
    rig.grant(synced.own.id, { on: [...ids.values()][0]!, level: "read" });
    await mirror.syncTimes(2);
    rig.grant(synced.own.id, { on: null, level: "full" });
    await mirror.syncTimes(3);
    expect(mirror.texts()).toEqual(synced.texts);
    const after = rig.app.files();
    for (const [path, id] of ids) expect({ path, id: after.get(path)?.id }).toEqual({ path, id });
    expect(after.get("d0/n0.md")!.text).toBe("not sent yet\n");
    expect(after.get("d1/new.md")!.text).toBe("new, not sent yet\n");
    synced.fixture.seen.length = 0;
    await mirror.sync();
    expect(synced.fixture.seen.filter(isWrite)).toEqual([]);
  });

  test("a conflict of two new documents survives a folder that is hidden: neither version replaces the other (I06)", async () => {
    const synced = await inSync();
    const { rig, mirror } = synced.fixture;
    await settle(mirror);
    rig.app.create("d2/both.md", "new there\n");
    mirror.write("d2/both.md", "created locally\n");
    await mirror.sync();
    const shown = [...rig.app.files().values()].find(({ path }) => path.startsWith("d0/"))!;
    rig.grant(synced.own.id, { on: shown.id, level: "full" });
    await mirror.syncTimes(2);
    const id = rig.app.id("d2/both.md")!;
    expect(mirror.state.load().blocks.get(id)?.reason).toBe("gone-or-unreadable");
    rig.grant(synced.own.id, { on: null, level: "full" });
    await mirror.syncTimes(3);
    expect(rig.app.text("d2/both.md")).toBe("new there\n");
    expect(mirror.texts().get("d2/both.md")).toBe("created locally\n");
    expect(mirror.texts().get("d2/both (theirs).md")).toBe("new there\n");
    expect(mirror.state.load().blocks.get(id)?.reason).toBe("conflict");
  });
});
