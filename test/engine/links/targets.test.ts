import { expect, test } from "vitest";
import { digestOf } from "../../../src/contract/digest.ts";
import { FILES } from "../../../src/contract/resources.ts";
import type { Mirror } from "../../simulator/mirror.ts";
import { createRig, type Rig } from "../../simulator/rig.ts";
import { openFixture, problem } from "../../promises/fixture.ts";
import { start } from "./linked-rig.ts";
import type { Fault } from "../../variants/variant.ts";

/** Links whose targets are created, are deleted, or are first linked to local files. */

test("a link that led nowhere is sent by its id when its target appears", async () => {
  const { rig, mirror } = start();
  mirror.write("a.md", "[later](later.md)\n");
  await mirror.sync();
  expect(rig.app.text("a.md")).toBe("[later](ref://later.md)\n");
  mirror.write("later.md", "now\n");
  await mirror.sync();
  expect(rig.app.text("a.md")).toBe(`[later](${rig.app.id("later.md")!})\n`);
  expect(mirror.texts().get("a.md")).toBe("[later](later.md)\n");
});

test("a link that the user has removed again needs no further cycle when its target appears", async () => {
  const { mirror } = start();
  mirror.write("a.md", "[later](later.md)\n");
  await mirror.sync();
  mirror.write("a.md", "no link\n");
  await mirror.sync();
  mirror.write("later.md", "now\n");
  expect(await mirror.sync()).toMatchObject({ state: "in-sync", cycles: 1 });
  mirror.write("b.md", "b\n");
  expect(await mirror.sync()).toMatchObject({ state: "in-sync", cycles: 1 });
});

test("a link whose target appeared stays to be sent while the service refuses it (I02, I08, I22)", async () => {
  const fixture = openFixture(1, {}, { links: true });
  const { rig, mirror } = fixture;
  mirror.write("a.md", "[later](later.md)\n");
  await mirror.sync();
  mirror.disk.advance(10_000);
  await mirror.sync();
  const [record] = mirror.state.load().records.values();
  expect(record!.stampTrusted).toBe(true);
  mirror.write("later.md", "now\n");
  fixture.fault = ({ method }) => (method === "PUT" ? problem(400, "invalid_request") : null);
  await mirror.sync();
  const blocks = mirror.state.load().blocks;
  expect(blocks.get(record!.id)?.reason).toBe("refused");
  fixture.seen.length = 0;
  for (let run = 0; run < 3; run++) {
    expect(await mirror.sync({}, { retryRefused: false })).toMatchObject({ state: "attention" });
    expect(mirror.state.load().blocks).toEqual(blocks);
  }
  expect(fixture.seen.filter(({ method }) => method !== "GET")).toEqual([]);
  fixture.fault = () => null;
  await mirror.sync();
  expect(rig.app.text("a.md")).toBe(`[later](${rig.app.id("later.md")!})\n`);
});

test.each([
  ["locally", (_: Rig, mirror: Mirror) => mirror.write("later.md", "now\n")],
  ["on the service", ({ app }: Rig) => app.create("later.md", "now\n")],
])("a document that became protected is not sent to review for a link whose target appeared %s", async (_, appear) => {
  const { rig, mirror } = start();
  mirror.write("a.md", "[later](later.md)\n");
  await mirror.sync();
  rig.app.protect("a.md", true);
  appear(rig, mirror);
  expect(await mirror.sync()).toMatchObject({ state: "in-sync", counts: { submitted: 0, uploaded: 0 } });
  expect(rig.app.text("a.md")).toBe("[later](ref://later.md)\n");
  rig.app.protect("a.md", false);
  await mirror.sync();
  expect(rig.app.text("a.md")).toBe(`[later](${rig.app.id("later.md")!})\n`);
});

test("files with names that the service refuses are adopted with their links, too (I05)", async () => {
  const { rig, mirror } = start();
  mirror.write("a.md", "[b](my%20folder/b%20c.md)\n");
  mirror.write("my folder/b c.md", "[a](../a.md)\n");
  await mirror.sync();
  const texts = mirror.texts();
  const again = rig.mirror({
    links: true,
    fill: ({ user }) => {
      user.makeFolder(mirror.path("my folder"));
      for (const [path, text] of texts) user.write(mirror.path(path), text);
    },
  });
  expect(await again.sync()).toMatchObject({ state: "in-sync", counts: { conflicts: 0, uploaded: 0 } });
  expect(again.texts()).toEqual(texts);
});

test("a link to a document created in the same sync is sent by id, although the service moves that document meanwhile", async () => {
  const { rig, mirror } = start();
  rig.app.create("work/a.md", "words\n");
  await mirror.sync();
  mirror.write("work/a.md", "words\n\n[new](../new.md)\n");
  mirror.write("new.md", "[a](work/a.md)\n");
  rig.app.rename("work/a.md", "b.md");
  await mirror.syncTimes(2);
  expect(rig.app.text("work/b.md")).toBe(`words\n\n[new](${rig.app.id("new.md")!})\n`);
  expect(mirror.texts().get("new.md")).toBe("[a](work/b.md)\n");
});

test("a link to a target that is deleted on the service and returns as a new document is sent in the same sync (I02)", async () => {
  const { rig, mirror } = start();
  mirror.write("a.md", "[b](b.md)\n");
  mirror.write("b.md", "b\n");
  mirror.write("c.md", "c\n");
  await mirror.sync();
  rig.app.remove("b.md");
  mirror.write("b.md", "b, edited locally\n");
  expect(await mirror.sync()).toMatchObject({ state: "in-sync" });
  expect(rig.app.text("a.md")).toBe(`[b](${rig.app.id("b.md")!})\n`);
  expect(await mirror.syncWrites()).toEqual([]);
});

test.each([
  ["there", (rig: Rig) => rig.app.edit("a.md", `${rig.app.text("a.md")!}more\n`)],
  ["here", (_rig: Rig, mirror: Mirror) => mirror.write("a.md", `${mirror.texts().get("a.md")!}more\n`)],
])("a link whose target the key could not read is by path once it can, edited %s or not", async (_where, edit) => {
  const rig = createRig(1);
  const b = rig.app.create("secret/b.md", "b\n");
  rig.app.create("a.md", `[b](${b}#x)\n`);
  const made = rig.makeKey({ on: null, level: "full" }, { on: rig.app.idOfFolder("secret"), level: "none" });
  const mirror = rig.mirror({ links: true, key: made.key });
  await mirror.sync();
  expect(mirror.texts()).toEqual(new Map([["a.md", `[b](${b}#x)\n`]]));
  rig.grant(made.id, { on: null, level: "full" });
  edit(rig, mirror);
  await mirror.syncTimes(2);
  expect(mirror.texts().get("a.md")).toBe("[b](secret/b.md#x)\nmore\n");
  expect(rig.app.text("a.md")).toBe(`[b](${b}#x)\nmore\n`);
});

test("an absolute path becomes a relative local path once it has a target, and nothing is sent or written again", async () => {
  const { rig, mirror } = start();
  rig.app.create("notes/a.md", "[b](/plans/b.md#late)\n");
  await mirror.sync();
  expect(mirror.texts().get("notes/a.md")).toBe("[b](/plans/b.md#late)\n");
  rig.app.create("plans/b.md", "b\n");
  rig.app.edit("notes/a.md", "[b](/plans/b.md#late) and [b](/plans/b.md)\n");
  mirror.requests.length = 0;
  await mirror.sync();
  expect(mirror.texts().get("notes/a.md")).toBe("[b](../plans/b.md#late) and [b](../plans/b.md)\n");
  expect((await mirror.sync())!.counts.respelled).toBe(0);
  expect(mirror.writes()).toEqual([]);
});

test("an absolute path that led nowhere leads to a file that is created later, in an unchanged document", async () => {
  const { rig, mirror } = start();
  rig.app.create("notes/a.md", "[b](/plans/b.md#late)\n");
  await mirror.sync();
  mirror.write("plans/b.md", "b\n");
  await mirror.sync();
  expect(mirror.texts().get("notes/a.md")).toBe("[b](../plans/b.md#late)\n");
  expect(rig.app.text("notes/a.md")).toBe("[b](/plans/b.md#late)\n");
});

test("an absolute path that a person wrote stays while it leads somewhere, and costs no write", async () => {
  const { mirror } = start();
  mirror.write("plans/b.md", "b\n");
  mirror.write("notes/a.md", "[b](/plans/b.md)\n");
  await mirror.syncTimes(2);
  const before = mirror.state.spellings.all();
  expect((await mirror.sync())!.counts.respelled).toBe(0);
  expect(mirror.state.spellings.all()).toEqual(before);
  expect(mirror.texts().get("notes/a.md")).toBe("[b](/plans/b.md)\n");
});

test("a document deleted on the service does not come back for a link whose target appears (I04)", async () => {
  const { rig, mirror } = start();
  mirror.write("a.md", "[later](later.md)\n");
  mirror.write("b.md", "b\n");
  await mirror.sync();
  rig.app.remove("a.md");
  rig.app.create("later.md", "now\n");
  expect(await mirror.sync()).toMatchObject({ state: "in-sync", counts: { createdRemote: 0, deletedLocal: 1 } });
  expect([...rig.app.files().keys()]).toEqual(["b.md", "later.md"]);
});

test("a link whose target appears in the sync that ends a conflict is sent by id in that sync (I02)", async () => {
  const { rig, mirror } = start();
  const body = "words\n\n[later](later.md)\n";
  mirror.write("a.md", `old\n\n${body}`);
  await mirror.sync();
  mirror.write("a.md", `mine\n\n${body}`);
  rig.app.edit("a.md", rig.app.text("a.md")!.replace("old", "theirs"));
  expect(await mirror.sync()).toMatchObject({ state: "attention", counts: { conflicts: 1 } });
  await mirror.sync();
  mirror.rename("a (theirs).md", "a.md");
  rig.app.edit("a.md", `${rig.app.text("a.md")!}more\n`);
  mirror.write("later.md", "now\n");
  expect(await mirror.sync()).toMatchObject({ state: "in-sync" });
  expect(rig.app.text("a.md")).toBe(`theirs\n\nwords\n\n[later](${rig.app.id("later.md")!})\nmore\n`);
});

/**
 * Opens a folder for a first sync in which files and documents have the same paths.
 * @param files files in the folder before that sync, by path
 */
function adopting(rig: Rig, files: Readonly<Record<string, string>>): Mirror {
  const mirror = rig.mirror({ links: true });
  for (const [path, text] of Object.entries(files)) mirror.write(path, text);
  return mirror;
}

test("a file that links by path to what the text links to by an absolute one is that document's (I05)", async () => {
  const rig = createRig(1);
  rig.app.create("plans/b.md", "b\n");
  rig.app.create("plans/a.md", "[b](/plans/b.md#late)\n");
  const mirror = adopting(rig, { "plans/a.md": "[b](b.md#late)\n" });
  expect((await mirror.sync())!.counts).toMatchObject({ conflicts: 0, uploaded: 0 });
  expect(mirror.texts().get("plans/a.md")).toBe("[b](b.md#late)\n");
  expect(rig.app.text("plans/a.md")).toBe("[b](/plans/b.md#late)\n");
  rig.app.renameFolder("plans", "later");
  await mirror.sync();
  expect(rig.app.text("later/a.md")).toBe("[b](/plans/b.md#late)\n");
});

test("a file that links to nothing where the text has an id is that document's, and leads there from then on (I05)", async () => {
  const rig = createRig(1);
  const b = rig.app.create("under/b.md", "b\n");
  rig.app.create("a.md", `[b](${b}#late)\n`);
  const mirror = adopting(rig, { "a.md": "[b](sub/b.md#late)\n" });
  expect((await mirror.sync())!.counts).toMatchObject({ conflicts: 0, uploaded: 0 });
  expect(mirror.texts().get("a.md")).toBe("[b](under/b.md#late)\n");
  expect(rig.app.text("a.md")).toBe(`[b](${b}#late)\n`);
});

test("a file that links to another file than the text is a version of its own (I05)", async () => {
  const rig = createRig(1);
  const b = rig.app.create("under/b.md", "b\n");
  rig.app.create("a.md", `[b](${b})\n`);
  const mirror = adopting(rig, { "a.md": "[b](sub/b.md)\n", "sub/b.md": "mine\n" });
  expect((await mirror.sync())!.counts).toMatchObject({ conflicts: 1 });
  expect(mirror.texts().get("a.md")).toBe("[b](sub/b.md)\n");
  expect(rig.app.text("a.md")).toBe(`[b](${b})\n`);
  expect(rig.app.id("sub/b.md")).not.toBe(b);
});

test("a file that differs from the text in more than its links is a version of its own (I05)", async () => {
  const rig = createRig(1);
  const b = rig.app.create("under/b.md", "b\n");
  rig.app.create("a.md", `[b](${b}) and more\n`);
  const mirror = adopting(rig, { "a.md": "[b](sub/b.md)\n" });
  expect((await mirror.sync())!.counts).toMatchObject({ conflicts: 1 });
  expect(mirror.texts().get("a.md")).toBe("[b](sub/b.md)\n");
});

test("ids that a clone left in a file, and forgot when it was killed, become paths (I13)", async () => {
  const rig = createRig(1);
  const b = rig.app.create("b.md", "b\n");
  const mirror = rig.mirror({ links: true });
  await mirror.sync();
  rig.app.create("a.md", `[b](${b}#late)\n`);
  mirror.write("a.md", `[b](${b}#late)\n`);
  expect((await mirror.sync())!.counts).toMatchObject({ conflicts: 0, uploaded: 0 });
  expect(mirror.texts().get("a.md")).toBe("[b](b.md#late)\n");
  rig.app.rename("b.md", "c.md");
  await mirror.sync();
  expect(mirror.texts().get("a.md")).toBe("[b](c.md#late)\n");
  expect(rig.app.text("a.md")).toBe(`[b](${b}#late)\n`);
});

/**
 * Clones a workspace. Before a document is created locally, its local folder is renamed, and a
 * document that links to it is edited. The list of the next cycle does not contain the missing
 * document.
 * @param act called when mdmirror requests that list
 */
async function cloneThatMisses(act: (rig: Rig) => void): Promise<{ rig: Rig; mirror: Mirror; b: string }> {
  let lists = 0;
  const fault = ({ method, path }: { readonly method: string; readonly path: string }): Fault | null => {
    if (method !== "GET" || !path.startsWith(`${FILES}?`) || ++lists !== 2) return null;
    mirror.write("a.md", "[b](box/b.md)\n\nand more\n");
    act(rig);
    const list = rig.app.call("GET", path).json as { readonly data: readonly { readonly path: string }[] };
    const data = list.data.filter((one) => !one.path.endsWith("b.md"));
    return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify({ ...list, data }) };
  };
  const rig: Rig = createRig(1, { fault });
  const b = rig.app.create("box/b.md", "b\n");
  rig.app.create("a.md", `[b](${b})\n`);
  rig.app.create("c.md", "c\n");
  const mirror = rig.mirror({ links: true });
  const { user } = mirror.disk;
  lists = 0;
  mirror.disk.beforeCall = () => {
    const isLinked = mirror.state.load().dirs.size > 0;
    if (isLinked && user.exists(mirror.path("box"))) mirror.rename("box", "elsewhere");
  };
  await mirror.sync();
  mirror.disk.beforeCall = null;
  await mirror.syncTimes(2);
  return { rig, mirror, b };
}

test("a link to what a list does not show stays that link, though base does not know it yet (I10)", async () => {
  const { rig, mirror, b } = await cloneThatMisses(() => undefined);
  expect(mirror.texts().get("a.md")).toBe("[b](elsewhere/b.md)\n\nand more\n");
  expect(rig.app.text("a.md")).toBe(`[b](${b})\n\nand more\n`);
});

test("content that is read because a link leads to its document is stored as content of the service", async () => {
  const { mirror, b } = await cloneThatMisses(({ app }) => app.edit("box/b.md", "edited\n"));
  const [origin] = mirror.state.storedOrigins({}).filter(({ digest }) => digest === digestOf("edited\n"));
  expect(origin).toMatchObject({ id: b, side: "remote", path: "box/b.md" });
});

test("a link to a document that was deleted before its download is inert", async () => {
  const { rig, mirror } = await cloneThatMisses(({ app }) => app.remove("box/b.md"));
  expect(mirror.texts().get("a.md")).toBe("[b](box/b.md)\n\nand more\n");
  expect(rig.app.text("a.md")).toBe("[b](ref://box/b.md)\n\nand more\n");
});

test("a link to a document that a key may not read for a time has its target again afterwards (I19)", async () => {
  const rig = createRig(1);
  const b = rig.app.create("box/b.md", "b\n");
  rig.app.create("a.md", `[b](${b})\n`);
  const made = rig.makeKey({ on: null, level: "full" });
  const mirror = rig.mirror({ links: true, key: made.key });
  await mirror.sync();
  rig.grant(made.id, { on: null, level: "full" }, { on: rig.app.idOfFolder("box"), level: "none" });
  await mirror.sync();
  mirror.write("a.md", "[b](box/b.md)\n\nand more\n");
  await mirror.sync();
  expect(rig.app.text("a.md")).toBe("[b](ref://box/b.md)\n\nand more\n");
  rig.app.rename("box/b.md", "c.md");
  rig.grant(made.id, { on: null, level: "full" });
  await mirror.syncTimes(2);
  expect(rig.app.text("a.md")).toBe(`[b](${b})\n\nand more\n`);
  expect(mirror.texts().get("a.md")).toBe("[b](box/c.md)\n\nand more\n");
});

test("a link by absolute path stays while another document has taken its target's path (I10)", async () => {
  const rig = createRig(1);
  rig.app.create("a.md", "[d](/d.md)\n");
  rig.app.create("c.md", "the third\n");
  const d = rig.app.create("d.md", "d\n");
  const mirror = rig.mirror({ links: true });
  const { user } = mirror.disk;
  mirror.disk.beforeCall = (call) => {
    if (call !== "link" || !user.exists(mirror.path("c.md")) || user.exists(mirror.path("d.md"))) return;
    mirror.disk.beforeCall = null;
    mirror.rename("c.md", "d.md");
  };
  await mirror.sync();
  mirror.disk.beforeCall = null;
  expect(rig.app.text("a.md")).toBe("[d](/d.md)\n");
  expect(rig.app.id("d.md")).toBe(d);
});

test("a run says of the links that it sent to no document why, each reason with its first places", async () => {
  const { mirror } = start();
  mirror.write("a.md", "[none](none.md) [n](none.md) ![p](pic.png) [out](../../out.md) [b](b.md) [web](https://h/x)\n");
  mirror.write("b.md", "[a](a.md) [secret](private/x.md) [refused](bad.md)\n");
  mirror.write("pic.png", "");
  mirror.write("private/x.md", "x\n");
  mirror.write("bad.md", "nul \0\n");
  mirror.write(".mdmirrorignore", "private/\n");
  const report = await mirror.sync();
  expect(report!.inert).toEqual([
    { reason: "no-target", count: 1, first: [{ path: "a.md", to: "none.md" }] },
    { reason: "no-document", count: 1, first: [{ path: "a.md", to: "pic.png" }] },
    { reason: "outside", count: 1, first: [{ path: "a.md", to: "../../out.md" }] },
    { reason: "not-mirrored", count: 1, first: [{ path: "b.md", to: "private/x.md" }] },
    { reason: "not-created", count: 1, first: [{ path: "b.md", to: "bad.md" }] },
  ]);
  expect((await mirror.sync())!.inert).toBeUndefined();
});

test("a run that sends no such link says nothing", async () => {
  const mirror = createRig(1).mirror({ links: true });
  mirror.write("a.md", "[b](b.md)\n");
  mirror.write("b.md", "b\n");
  expect((await mirror.sync())!.inert).toBeUndefined();
});

/**
 * Returns the number of calls to disk, state and service in the first sync of a folder of documents
 * without links.
 */
async function callsOfPush(documents: number, links: boolean): Promise<number> {
  const mirror = createRig(1).mirror({ links });
  for (let n = 0; n < documents; n++) mirror.write(`${n}.md`, `text ${n}, and a [site](https://example.org/)\n`);
  await mirror.sync();
  return mirror.calls();
}

/**
 * Returns the same number for the first sync of an empty folder with a workspace of such documents.
 */
async function callsOfClone(documents: number, links: boolean): Promise<number> {
  const rig = createRig(1);
  for (let n = 0; n < documents; n++) rig.app.create(`${n}.md`, `text ${n}, and a [site](https://example.org/)\n`);
  const mirror = rig.mirror({ links });
  await mirror.sync();
  return mirror.calls();
}

test.each([
  ["send", callsOfPush],
  ["bring", callsOfClone],
])("a text without links costs at most one call more to %s where links are translated", async (_, calls) => {
  const price = async (links: boolean) => (await calls(40, links)) - (await calls(20, links));
  const kept = await price(false);
  expect(kept).toBeGreaterThan(20);
  expect(await price(true)).toBeLessThanOrEqual(kept + 20);
});
