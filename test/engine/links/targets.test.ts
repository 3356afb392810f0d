import { expect, test } from "vitest";
import type { Mirror } from "../../simulator/mirror.ts";
import { createRig, type Rig } from "../../simulator/rig.ts";
import { openFixture } from "../../promises/fixture.ts";
import { idThere, start, textThere } from "./linked-rig.ts";

/** Targets of links that come, go, and are adopted. */

test("a link that led nowhere is sent by its id when its target appears", async () => {
  const { rig, mirror } = start();
  mirror.write("a.md", "[later](later.md)\n");
  await mirror.sync();
  expect(textThere(rig, "a.md")).toBe("[later](ref://later.md)\n");
  mirror.write("later.md", "now\n");
  await mirror.sync();
  expect(textThere(rig, "a.md")).toBe(`[later](${idThere(rig, "later.md")})\n`);
  expect(mirror.texts().get("a.md")).toBe("[later](later.md)\n");
});

test("a link whose target appeared stays to be sent while the service refuses it (I02, I08, I22)", async () => {
  const fixture = openFixture(1, {}, { links: true });
  const { rig, mirror } = fixture;
  mirror.write("a.md", "[later](later.md)\n");
  await mirror.sync();
  mirror.disk.advance(10_000);
  await mirror.sync();
  const [link] = mirror.state.load().links.values();
  expect(link!.stampTrusted).toBe(true);
  mirror.write("later.md", "now\n");
  const refused = { status: 400, headers: {}, body: '{"code":"invalid_request","details":"no"}' };
  fixture.fault = ({ method }) => (method === "PUT" ? refused : null);
  await mirror.sync();
  const blocks = mirror.state.load().blocks;
  expect(blocks.get(link!.id)?.reason).toBe("refused");
  fixture.seen.length = 0;
  for (let run = 0; run < 3; run++) {
    expect(await mirror.sync({}, { retryRefused: false })).toMatchObject({ state: "attention" });
    expect(mirror.state.load().blocks).toEqual(blocks);
  }
  expect(fixture.seen.filter(({ method }) => method !== "GET")).toEqual([]);
  fixture.fault = () => null;
  await mirror.sync();
  expect(textThere(rig, "a.md")).toBe(`[later](${idThere(rig, "later.md")})\n`);
});

test("a protected document is not sent to review for a link whose target appeared", async () => {
  const { rig, mirror } = start();
  mirror.write("a.md", "[later](later.md)\n");
  await mirror.sync();
  rig.app.protect("a.md", true);
  mirror.write("later.md", "now\n");
  expect(await mirror.sync()).toMatchObject({ state: "in-sync", counts: { submitted: 0, uploaded: 0 } });
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
  await mirror.sync();
  await mirror.sync();
  expect(textThere(rig, "work/b.md")).toBe(`words\n\n[new](${idThere(rig, "new.md")})\n`);
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
  expect(textThere(rig, "a.md")).toBe(`[b](${idThere(rig, "b.md")})\n`);
  mirror.requests.length = 0;
  await mirror.sync();
  expect(mirror.requests.filter((request) => !request.startsWith("GET"))).toEqual([]);
});

test.each([
  ["there", (rig: Rig) => rig.app.edit("a.md", `${textThere(rig, "a.md")}more\n`)],
  ["here", (_rig: Rig, mirror: Mirror) => mirror.write("a.md", `${mirror.texts().get("a.md")!}more\n`)],
])(
  "a link whose target the key could not read is by path once it can, though its text is edited %s at once",
  async (_where, edit) => {
    const rig = createRig(1);
    const b = rig.app.create("secret/b.md", "b\n");
    rig.app.create("a.md", `[b](${b}#x)\n`);
    const { admin } = rig.service;
    const folder = rig.app.call("GET", "/v1/folders?path=secret").json as { data: { id: string }[] };
    const made = rig.makeKey({ on: null, level: "full" }, { on: folder.data[0]!.id, level: "none" });
    const mirror = rig.mirror({ links: true, key: made.key });
    await mirror.sync();
    expect(mirror.texts()).toEqual(new Map([["a.md", `[b](${b}#x)\n`]]));
    admin.setGrants(made.id, [{ on: null, level: "full" }]);
    edit(rig, mirror);
    await mirror.sync();
    await mirror.sync();
    expect(mirror.texts().get("a.md")).toBe("[b](secret/b.md#x)\nmore\n");
    expect(textThere(rig, "a.md")).toBe(`[b](${b}#x)\nmore\n`);
  },
);

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
  expect(mirror.requests.filter((request) => !request.startsWith("GET"))).toEqual([]);
});

test("an absolute path that led nowhere leads to a file that came later, in a text that nobody edited", async () => {
  const { rig, mirror } = start();
  rig.app.create("notes/a.md", "[b](/plans/b.md#late)\n");
  await mirror.sync();
  mirror.write("plans/b.md", "b\n");
  await mirror.sync();
  expect(mirror.texts().get("notes/a.md")).toBe("[b](../plans/b.md#late)\n");
  expect(textThere(rig, "notes/a.md")).toBe("[b](/plans/b.md#late)\n");
});

test("an absolute path that a person wrote stays while it leads somewhere, and costs no write", async () => {
  const { mirror } = start();
  mirror.write("plans/b.md", "b\n");
  mirror.write("notes/a.md", "[b](/plans/b.md)\n");
  await mirror.sync();
  await mirror.sync();
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
  rig.app.edit("a.md", textThere(rig, "a.md").replace("old", "theirs"));
  expect(await mirror.sync()).toMatchObject({ state: "attention", counts: { conflicts: 1 } });
  await mirror.sync();
  mirror.disk.user.rename(mirror.path("a (theirs).md"), mirror.path("a.md"));
  rig.app.edit("a.md", `${textThere(rig, "a.md")}more\n`);
  mirror.write("later.md", "now\n");
  expect(await mirror.sync()).toMatchObject({ state: "in-sync" });
  expect(textThere(rig, "a.md")).toBe(`theirs\n\nwords\n\n[later](${idThere(rig, "later.md")})\nmore\n`);
});
