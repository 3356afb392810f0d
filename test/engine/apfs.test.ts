import { describe, expect, it } from "vitest";
import type { DocId } from "../../src/contract/ids.ts";
import { hashedName } from "../../src/mirror/model/local-name.ts";
import type { Mirror } from "../simulator/mirror.ts";
import { APFS } from "../simulator/ram-disk.ts";
import { createRig, type Rig } from "../simulator/rig.ts";
import { MAX_NAME_BYTES } from "../../src/contract/path.ts";
import { openSynced } from "../promises/fixture.ts";

/** Names in two spellings that the disk of a Mac takes for one, and a service does not. */

const NFC = "caf\u00e9.md";
const NFD = "cafe\u0301.md";

const begin = (texts: Readonly<Record<string, string>>) => openSynced(texts, { disk: APFS });

/** Until nothing is left; then a pass writes nothing on either side (I02). */
async function settle({ rig, mirror }: { rig: Rig; mirror: Mirror }): Promise<{ here: object; there: object }> {
  for (let n = 0; n < 3; n++) expect((await mirror.sync())?.fault ?? null).toBeNull();
  const before = [mirror.texts(), rig.app.files()];
  mirror.requests.length = 0;
  await mirror.sync();
  expect(mirror.requests.filter((request) => !request.startsWith("GET "))).toEqual([]);
  expect([mirror.texts(), rig.app.files()]).toEqual(before);
  const there = Object.fromEntries([...rig.app.files()].map(([path, { text }]) => [path, text]));
  return { here: Object.fromEntries(mirror.texts()), there };
}

const idOf = (rig: Rig, path: string) => rig.app.files().get(path)!.id;

describe.each([
  ["case", "Note.md", "note.md"],
  ["normal form", NFC, NFD],
  ["normal form, the other way", NFD, NFC],
] as const)("two names that differ in %s alone", (_what, first, second) => {
  it("I09 a local rename from one to the other is a rename on the service", async () => {
    const { rig, mirror } = await begin({ [first]: "one\n" });
    const id = idOf(rig, first);
    mirror.disk.user.rename(mirror.path(first), mirror.path(second));
    expect(await settle({ rig, mirror })).toEqual({ here: { [second]: "one\n" }, there: { [second]: "one\n" } });
    expect(idOf(rig, second)).toBe(id);
  });

  it("I09 a rename on the service from one to the other is a local rename, of the same file", async () => {
    const { rig, mirror } = await begin({ [first]: "one\n" });
    const ino = mirror.disk.user.inode(mirror.path(first));
    rig.app.rename(first, second);
    expect(await settle({ rig, mirror })).toEqual({ here: { [second]: "one\n" }, there: { [second]: "one\n" } });
    expect(mirror.disk.user.inode(mirror.path(second))).toBe(ino);
  });

  it("I09 so is one of a folder, either way, with the documents in it", async () => {
    const [one, two] = [first.replace(".md", ""), second.replace(".md", "")];
    const { rig, mirror } = await begin({ [`${one}/a.md`]: "a\n" });
    const id = idOf(rig, `${one}/a.md`);
    mirror.disk.user.rename(mirror.path(one), mirror.path(two));
    const away = { [`${two}/a.md`]: "a\n" };
    expect(await settle({ rig, mirror })).toEqual({ here: away, there: away });
    rig.app.renameFolder(two, one);
    const back = { [`${one}/a.md`]: "a\n" };
    expect(await settle({ rig, mirror })).toEqual({ here: back, there: back });
    expect(idOf(rig, `${one}/a.md`)).toBe(id);
  });

  it("an editor that saves under the other spelling saves the same document", async () => {
    const { rig, mirror } = await begin({ [first]: "one\n" });
    const id = idOf(rig, first);
    mirror.disk.user.saveAtomically(mirror.path(second), "saved\n");
    const { here, there } = await settle({ rig, mirror });
    expect([Object.values(here), Object.values(there)]).toEqual([["saved\n"], ["saved\n"]]);
    expect([...rig.app.files().values()].map((file) => file.id)).toEqual([id]);
  });

  it("I11 two documents on the service: both are local, one under a name with digits, and edits reach the right document", async () => {
    const { rig, mirror } = await begin({ [first]: "one\n", [second]: "two\n" });
    const [plain, hashed] = [...mirror.texts().keys()].sort((a, b) => a.length - b.length);
    const [kept, other] = plain === first ? [first, second] : [second, first];
    expect(hashed).toBe(hashedName(other, "file", idOf(rig, other), MAX_NAME_BYTES));
    mirror.write(plain!, "edited plain\n");
    mirror.write(hashed!, "edited with digits\n");
    expect((await settle({ rig, mirror })).there).toEqual({
      [kept]: "edited plain\n",
      [other]: "edited with digits\n",
    });
  });

  it("I01 another document on the service takes the name of one that was deleted locally", async () => {
    const { rig, mirror } = await begin({ [first]: "deleted locally\n", "x.md": "renamed there\n" });
    mirror.disk.user.remove(mirror.path(first));
    rig.app.rename("x.md", second);
    const both = { [second]: "renamed there\n" };
    expect(await settle({ rig, mirror })).toEqual({ here: both, there: both });
  });
});

it("folds less than the key of names does: two files that it distinguishes are both kept", async () => {
  const { rig, mirror } = await begin({});
  mirror.write("stra\u00dfe.md", "one\n");
  mirror.write("strasse.md", "two\n");
  const { here, there } = await settle({ rig, mirror });
  const both = { "stra\u00dfe.md": "one\n", "strasse.md": "two\n" };
  expect({ here, there }).toEqual({ here: both, there: both });
});

it("a file that gets a time before its birth has another birth: it is the same document, moved or not", async () => {
  const { rig, mirror } = await begin({ "a.md": "one\n", "b.md": "two\n" });
  const ids = [idOf(rig, "a.md"), idOf(rig, "b.md")];
  mirror.disk.user.setTime(mirror.path("a.md"), 1_000);
  mirror.disk.user.setTime(mirror.path("b.md"), 1_000);
  mirror.disk.user.rename(mirror.path("b.md"), mirror.path("c.md"));
  const both = { "a.md": "one\n", "c.md": "two\n" };
  expect(await settle({ rig, mirror })).toEqual({ here: both, there: both });
  expect([idOf(rig, "a.md"), idOf(rig, "c.md")]).toEqual(ids);
});

it("a name that the disk refuses is blocked, and the others are created", async () => {
  const rig = createRig(41);
  rig.app.create("new-\u{1faea}.md", "refused\n");
  rig.app.create("other.md", "other\n");
  const mirror = rig.mirror({ disk: APFS });
  mirror.disk.fail({ call: "any", path: mirror.path("new-\u{1faea}.md"), code: "EILSEQ" });
  const { here } = await settle({ rig, mirror });
  expect(here).toEqual({ "other.md": "other\n" });
  expect(rig.app.files().size).toBe(2);
  expect((await mirror.sync())?.attention).toMatchObject([{ path: "new-\u{1faea}.md", code: "EILSEQ" }]);
});

it("I09 a file with its id's digits in its name, moved to the root, stays in the root while the service cannot move it", async () => {
  const { rig, mirror, idOf } = await openSynced(
    { "d/Note.md": "one\n", "d/note.md": "two\n" },
    { disk: APFS },
    { noMoveToRoot: true },
  );
  const id = idOf("d/note.md");
  const given = mirror.state.link(id as DocId)!.localPath;
  expect(given).toMatch(/^d\/note-[0-9a-f]{8}\.md$/);
  const name = given.slice(2);
  mirror.disk.user.rename(mirror.path(given), mirror.path(name));
  const { here } = await settle({ rig, mirror });
  expect(here).toEqual({ "d/Note.md": "one\n", [name]: "two\n" });
  expect((await mirror.sync())?.attention).toMatchObject([{ kind: "no-move-to-root" }]);
});
