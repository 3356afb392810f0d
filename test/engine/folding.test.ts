import { describe, expect, it } from "vitest";
import { makeHashedName } from "../../src/mirror/model/names.ts";
import { MAX_NAME_BYTES } from "../../src/contract/path.ts";
import type { RunReport } from "../../src/mirror/engine/run/report.ts";
import type { DocId } from "../../src/contract/ids.ts";
import { ROOT, type Mirror } from "../simulator/mirror.ts";
import { createRig, type Deployment, type Rig } from "../simulator/rig.ts";
import { APFS } from "../simulator/ram-disk.ts";
import { openSynced } from "../promises/fixture.ts";

function neighbours(paths: readonly string[]) {
  const rig = createRig(13);
  for (const path of paths) rig.app.create(path, `text of ${path}\n`);
  const mirror = (texts: ReadonlyMap<string, string>) =>
    rig.mirror({
      disk: { foldsCase: true },
      fill: ({ user }) => {
        for (const [path, text] of texts) {
          user.makeFolder(`${ROOT}/${path}`.replace(/\/[^/]*$/, ""));
          user.write(`${ROOT}/${path}`, text);
        }
      },
    });
  return { rig, mirror };
}

describe("neighbours that the disk takes for one: one of them has the digits of its id in its name", () => {
  const adopts = { state: "in-sync", counts: { createdRemote: 0, createdLocal: 0, conflicts: 0 } };

  it.each([
    [["Plan.md", "plan.md"], /^plan-[0-9a-f]{8}\.md$/],
    [["Box/a.md", "box/a.md"], /^box-[0-9a-f]{8}\/a\.md$/],
  ])("I05 %j are known by their names when the state is lost", async (paths, withDigits) => {
    const { rig, mirror } = neighbours(paths);
    const first = mirror(new Map());
    await first.sync();
    expect([...first.texts().keys()].sort()).toEqual([paths[0], expect.stringMatching(withDigits)]);
    const before = rig.app.files();
    const second = mirror(first.texts());
    expect(await second.sync()).toMatchObject(adopts);
    expect(rig.app.files()).toEqual(before);
    expect(second.texts()).toEqual(first.texts());
  });

  it("I05 a file in its own document's letters is not taken for its neighbour's", async () => {
    const { rig, mirror } = neighbours(["Plan.md", "plan.md"]);
    const before = rig.app.files();
    const one = before.get("Plan.md")!;
    const second = mirror(
      new Map([
        [makeHashedName("Plan.md", "file", one.id, MAX_NAME_BYTES), one.text],
        ["plan.md", before.get("plan.md")!.text],
      ]),
    );
    expect(await second.sync()).toMatchObject(adopts);
    expect(rig.app.files()).toEqual(before);
  });

  it("I13 a file that was made, and whose base was lost to a kill, is adopted by the next run", async () => {
    const { rig, mirror } = neighbours(["Plan.md", "plan.md"]);
    const before = rig.app.files();
    const one = mirror(new Map());
    await one.sync();
    one.state.removeRecord(before.get("plan.md")!.id);
    expect(await one.sync()).toMatchObject(adopts);
    expect(rig.app.files()).toEqual(before);
  });
});

/**
 * Services that take several spellings for one name. mdmirror remembers a refused name, blocks the
 * document, and does not send the name again (I08).
 */

const NFC = "caf\u00e9.md";
const NFD = "cafe\u0301.md";

function openFolding(variant: Deployment, texts: Readonly<Record<string, string>> = {}): { rig: Rig; mirror: Mirror } {
  const rig = createRig(31, variant);
  for (const [path, text] of Object.entries(texts)) rig.app.create(path, text);
  return { rig, mirror: rig.mirror() };
}

async function sync(mirror: Mirror): Promise<{ report: RunReport; writes: string[] }> {
  mirror.requests.length = 0;
  const report = (await mirror.sync())!;
  return { report, writes: mirror.writes() };
}

function blocks(mirror: Mirror): Record<string, string> {
  return Object.fromEntries([...mirror.state.load().blocks.values()].map(({ path, reason }) => [path, reason]));
}

describe.each([
  ["case", { foldsCase: true }, "Note.md", "note.md"],
  ["Unicode normal forms", { foldsUnicode: true }, NFC, NFD],
] as const)("a service that folds %s", (_, variant, first, second) => {
  it("I08 I16 refuses the second of two new documents: it is blocked with the name of the other, and never sent again", async () => {
    const { rig, mirror } = openFolding(variant);
    mirror.write(first, "one\n");
    await sync(mirror);
    mirror.write(second, "two\n");
    const { report, writes } = await sync(mirror);
    expect(writes).toHaveLength(1);
    expect(blocks(mirror)).toEqual({ [second]: "name-clash" });
    expect(report.state).toBe("attention");
    expect(report.attention[0]).toMatchObject({ path: second, kind: "name-clash" });
    expect(report.attention[0]!.detail).toContain(JSON.stringify(first));
    for (let n = 0; n < 3; n++) expect((await sync(mirror)).writes).toEqual([]);
    expect([...rig.app.files().keys()]).toEqual([first]);
    mirror.rename(second, "other.md");
    expect((await sync(mirror)).report.state).toBe("in-sync");
    expect(rig.app.paths()).toEqual([first, "other.md"].sort());
  });

  it("I08 both new in one run: one is uploaded, the other is blocked", async () => {
    const { rig, mirror } = openFolding(variant);
    mirror.write(first, "one\n");
    mirror.write(second, "two\n");
    const { writes } = await sync(mirror);
    expect(writes.length).toBeLessThanOrEqual(2);
    expect(rig.app.files().size).toBe(1);
    expect(Object.values(blocks(mirror))).toEqual(["name-clash"]);
    for (let n = 0; n < 3; n++) expect((await sync(mirror)).writes).toEqual([]);
    expect(mirror.texts().size).toBe(2);
  });

  it("I09 a rename that changes only the spelling is a rename", async () => {
    const { rig, mirror } = openFolding(variant, { [first]: "one\n" });
    await sync(mirror);
    const id = rig.app.id(first)!;
    mirror.rename(first, second);
    expect((await sync(mirror)).report.state).toBe("in-sync");
    expect((await sync(mirror)).writes).toEqual([]);
    expect([...mirror.texts()]).toEqual([[second, "one\n"]]);
    expect([...rig.app.files().values()].map((file) => file.id)).toEqual([id]);
  });

  it("I08 a rename onto another document's name in other letters is blocked, and the file stays", async () => {
    const { rig, mirror } = openFolding(variant, { [first]: "one\n", "b.md": "two\n" });
    await sync(mirror);
    mirror.rename("b.md", second);
    const { writes } = await sync(mirror);
    expect(writes.filter((request) => request.startsWith("PATCH"))).toHaveLength(1);
    for (let n = 0; n < 3; n++) expect((await sync(mirror)).writes).toEqual([]);
    expect(blocks(mirror)).toEqual({ [second]: "name-clash" });
    expect(rig.app.text("b.md")).toBe("two\n");
    mirror.rename(second, "c.md");
    expect((await sync(mirror)).report.state).toBe("in-sync");
  });

  it("I08 a folder's name in other letters: it is blocked with its contents, which are not lost", async () => {
    const name = (path: string) => path.replace(".md", "");
    const { rig, mirror } = openFolding(variant, { [`${name(first)}/a.md`]: "one\n" });
    await sync(mirror);
    mirror.write(`${name(second)}/b.md`, "two\n");
    await sync(mirror);
    for (let n = 0; n < 3; n++) expect((await sync(mirror)).writes).toEqual([]);
    expect(blocks(mirror)[name(second)]).toBe("name-clash");
    expect([...rig.app.files().keys()]).toEqual([`${name(first)}/a.md`]);
    expect(mirror.texts().get(`${name(second)}/b.md`)).toBe("two\n");
  });
});

it("I08 a service that answers a rename with another name is not asked again", async () => {
  const { rig, mirror } = openFolding({
    fault: ({ method, body, path }) => {
      if (method !== "PATCH" || !body?.includes("Upper.md")) return null;
      const { status, json } = rig.app.call("PATCH", path, { name: "upper.md" });
      return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(json) };
    },
  });
  rig.app.create("a.md", "text\n");
  await sync(mirror);
  mirror.rename("a.md", "Upper.md");
  expect((await sync(mirror)).writes).toHaveLength(1);
  expect(blocks(mirror)).toEqual({ "Upper.md": "refused" });
  mirror.rename("Upper.md", "upper.md");
  expect((await sync(mirror)).report.state).toBe("in-sync");
});

/** Two spellings that the file system of a Mac takes for one name, and the service for two. */

const openOnApfs = (texts: Readonly<Record<string, string>>) => openSynced(texts, { disk: APFS });

/**
 * Syncs until nothing is left to do. Expects that one more cycle writes nothing on either side
 * (I02).
 */
async function settleBoth({ rig, mirror }: { rig: Rig; mirror: Mirror }): Promise<{ here: object; there: object }> {
  for (let n = 0; n < 3; n++) expect((await mirror.sync())?.fault ?? null).toBeNull();
  const before = [mirror.texts(), rig.app.files()];
  expect(await mirror.syncWrites()).toEqual([]);
  expect([mirror.texts(), rig.app.files()]).toEqual(before);
  const there = Object.fromEntries(rig.app.texts());
  return { here: Object.fromEntries(mirror.texts()), there };
}

describe.each([
  ["case", "Note.md", "note.md"],
  ["normal form", NFC, NFD],
  ["normal form, the other way", NFD, NFC],
] as const)("two names that differ in %s alone", (_what, first, second) => {
  it("I09 a local rename from one to the other is a rename on the service", async () => {
    const { rig, mirror } = await openOnApfs({ [first]: "one\n" });
    const id = rig.app.id(first)!;
    mirror.rename(first, second);
    expect(await settleBoth({ rig, mirror })).toEqual({ here: { [second]: "one\n" }, there: { [second]: "one\n" } });
    expect(rig.app.id(second)).toBe(id);
  });

  it("I09 a rename on the service from one to the other is a local rename, of the same file", async () => {
    const { rig, mirror } = await openOnApfs({ [first]: "one\n" });
    const ino = mirror.disk.user.inode(mirror.path(first));
    rig.app.rename(first, second);
    expect(await settleBoth({ rig, mirror })).toEqual({ here: { [second]: "one\n" }, there: { [second]: "one\n" } });
    expect(mirror.disk.user.inode(mirror.path(second))).toBe(ino);
  });

  it("I09 so is one of a folder, either way, with the documents in it", async () => {
    const [one, two] = [first.replace(".md", ""), second.replace(".md", "")];
    const { rig, mirror } = await openOnApfs({ [`${one}/a.md`]: "a\n" });
    const id = rig.app.id(`${one}/a.md`)!;
    mirror.rename(one, two);
    const away = { [`${two}/a.md`]: "a\n" };
    expect(await settleBoth({ rig, mirror })).toEqual({ here: away, there: away });
    rig.app.renameFolder(two, one);
    const back = { [`${one}/a.md`]: "a\n" };
    expect(await settleBoth({ rig, mirror })).toEqual({ here: back, there: back });
    expect(rig.app.id(`${one}/a.md`)).toBe(id);
  });

  it("an editor that saves under the other spelling saves the same document", async () => {
    const { rig, mirror } = await openOnApfs({ [first]: "one\n" });
    const id = rig.app.id(first)!;
    mirror.disk.user.saveAtomically(mirror.path(second), "saved\n");
    const { here, there } = await settleBoth({ rig, mirror });
    expect([Object.values(here), Object.values(there)]).toEqual([["saved\n"], ["saved\n"]]);
    expect([...rig.app.files().values()].map((file) => file.id)).toEqual([id]);
  });

  it("I11 two documents on the service: both are local, one under a name with digits, and edits reach the right document", async () => {
    const { rig, mirror } = await openOnApfs({ [first]: "one\n", [second]: "two\n" });
    const [plain, hashed] = [...mirror.texts().keys()].sort((a, b) => a.length - b.length);
    const [kept, other] = plain === first ? [first, second] : [second, first];
    expect(hashed).toBe(makeHashedName(other, "file", rig.app.id(other)!, MAX_NAME_BYTES));
    mirror.write(plain!, "edited plain\n");
    mirror.write(hashed!, "edited with digits\n");
    expect((await settleBoth({ rig, mirror })).there).toEqual({
      [kept]: "edited plain\n",
      [other]: "edited with digits\n",
    });
  });

  it("I01 another document on the service takes the name of one that was deleted locally", async () => {
    const { rig, mirror } = await openOnApfs({ [first]: "deleted locally\n", "x.md": "renamed there\n" });
    mirror.remove(first);
    rig.app.rename("x.md", second);
    const both = { [second]: "renamed there\n" };
    expect(await settleBoth({ rig, mirror })).toEqual({ here: both, there: both });
  });
});

it("folds less than the key of names does: two files that it distinguishes are both kept", async () => {
  const { rig, mirror } = await openOnApfs({});
  mirror.write("stra\u00dfe.md", "one\n");
  mirror.write("strasse.md", "two\n");
  const { here, there } = await settleBoth({ rig, mirror });
  const both = { "stra\u00dfe.md": "one\n", "strasse.md": "two\n" };
  expect({ here, there }).toEqual({ here: both, there: both });
});

it("a file that gets a time before its birth has another birth: it is the same document, moved or not", async () => {
  const { rig, mirror } = await openOnApfs({ "a.md": "one\n", "b.md": "two\n" });
  const ids = [rig.app.id("a.md")!, rig.app.id("b.md")!];
  mirror.disk.user.setTime(mirror.path("a.md"), 1_000);
  mirror.disk.user.setTime(mirror.path("b.md"), 1_000);
  mirror.rename("b.md", "c.md");
  const both = { "a.md": "one\n", "c.md": "two\n" };
  expect(await settleBoth({ rig, mirror })).toEqual({ here: both, there: both });
  expect([rig.app.id("a.md")!, rig.app.id("c.md")!]).toEqual(ids);
});

it("a name that the disk refuses is blocked, and the others are created", async () => {
  const rig = createRig(41);
  rig.app.create("new-\u{1faea}.md", "refused\n");
  rig.app.create("other.md", "other\n");
  const mirror = rig.mirror({ disk: APFS });
  mirror.disk.fail({ call: "any", path: mirror.path("new-\u{1faea}.md"), code: "EILSEQ" });
  const { here } = await settleBoth({ rig, mirror });
  expect(here).toEqual({ "other.md": "other\n" });
  expect(rig.app.files().size).toBe(2);
  expect((await mirror.sync())?.attention).toMatchObject([{ path: "new-\u{1faea}.md", code: "EILSEQ" }]);
});

it("I09 a file with its id's digits in its name, moved to the root, stays in the root while the service cannot move it", async () => {
  const { rig, mirror } = await openSynced(
    { "d/Note.md": "one\n", "d/note.md": "two\n" },
    { disk: APFS },
    { noMoveToRoot: true },
  );
  const id = rig.app.id("d/note.md")!;
  const given = mirror.state.record(id as DocId)!.localPath;
  expect(given).toMatch(/^d\/note-[0-9a-f]{8}\.md$/);
  const name = given.slice(2);
  mirror.rename(given, name);
  const { here } = await settleBoth({ rig, mirror });
  expect(here).toEqual({ "d/Note.md": "one\n", [name]: "two\n" });
  expect((await mirror.sync())?.attention).toMatchObject([{ kind: "no-move-to-root" }]);
});
