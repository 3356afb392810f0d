import { describe, expect, test } from "vitest";
import { MANY_RUNS } from "../../property.ts";
import { actLocally, actOnService } from "../../simulator/commands.ts";
import type { Mirror } from "../../simulator/mirror.ts";
import { createRig, type Rig } from "../../simulator/rig.ts";
import { killAtEachCall } from "../../simulator/moment.ts";
import { beforeFirst, openSynced, settle } from "../../promises/fixture.ts";
import { start, syncThree } from "./linked-rig.ts";

/**
 * One side edits a link while its target moves on the other, or both sides edit it. The merge
 * compares ids instead of paths, so a move of the target is no change of the link.
 */

const FILLER = Array.from({ length: 5 }, (_, n) => `Paragraph ${n} that nobody edits.\n`).join("\n");

/** Returns a document with two links, given their destinations. */
function linking(b: string, c: string): string {
  return `# A\n\n${FILLER}\nOn refunds see [the plan](${b}#part "A title") and nothing else.\n\n${FILLER}\nAt last [another](${c}).\n`;
}

type Edit = (text: string, other: string) => string;

/** @param other destination of a link to the third document */
const EDITS: Readonly<Record<string, Edit>> = {
  "its text": (text) => text.replace("[the plan]", "[the *new* plan]"),
  "its fragment": (text) => text.replace("#part", "#other-part"),
  "its title": (text) => text.replace('"A title"', "'Another'"),
  "its destination": (text, other) => text.replace(/\[the plan\]\([^#)]*/, `[the plan](${other}`),
  "the words around it": (text) => text.replace("On refunds see", "About refunds, and more, see"),
  "its paragraph, which goes to the end": (text) => {
    const [paragraph] = /On refunds.*\n\n/.exec(text)!;
    return `${text.replace(paragraph, "")}\n${paragraph.trimEnd()}\n`;
  },
  "another link, which is new": (text, other) => `${text}\nAnd [once more](${other}#new).\n`,
};

/** Local commands, commands on the service. */
const MOVES: readonly (readonly [local: string, remote: string])[] = [
  ["mkdir deep/er; mv b.md deep/er/b2.md", ""],
  ["mv folder directory", ""],
  ["", "mv b.md b3.md"],
  ["", "mv folder directory"],
  ["mv b.md b4.md", "mv folder directory"],
  ["mkdir deep; mv a.md deep/a.md; mv b.md b5.md", ""],
];

async function begin(): Promise<{ rig: Rig; mirror: Mirror; a: string; b: string; c: string }> {
  const rig = createRig(1, { checksLinks: true });
  const mirror = rig.mirror({ links: true });
  mirror.write("a.md", linking("b.md", "folder/c.md"));
  mirror.write("b.md", "# B\n\n[a](a.md)\n");
  mirror.write("folder/c.md", "# C\n\n[a](../a.md)\n");
  await mirror.syncTimes(2);
  return { rig, mirror, a: rig.app.id("a.md")!, b: rig.app.id("b.md")!, c: rig.app.id("folder/c.md")! };
}

function there(rig: Rig, id: string): { readonly path: string; readonly text: string } {
  return [...rig.app.files().values()].find((file) => file.id === id)!;
}

/**
 * Returns a document's content on the service as mdmirror writes it locally, given its path there.
 */
function asOnDisk(rig: Rig, { path, text }: { readonly path: string; readonly text: string }): string {
  const up = "../".repeat(path.split("/").length - 1);
  return text.replace(/\((doc_[a-z0-9]+)/g, (_all, id: string) => `(${up}${there(rig, id).path}`);
}

// The short run has each edit and each move once; a long run has each edit with each move.
const cases = Object.keys(EDITS).flatMap((edit, n) =>
  MOVES.filter((_, m) => MANY_RUNS || m === n % MOVES.length).flatMap(([local, remote]) =>
    (["here", "there"] as const).map((side) => ({ edit, local, remote, side })),
  ),
);

describe("a link of which a part is edited while documents move", () => {
  test.each(cases)(
    "$edit is edited $side, local: $local, on the service: $remote: all arrive, and each link leads to its target",
    async ({ edit, local, remote, side }) => {
      const { rig, mirror, a, b, c } = await begin();
      const expected = EDITS[edit]!(linking(b, c), c);
      if (side === "there") rig.app.edit("a.md", expected);
      else mirror.write("a.md", EDITS[edit]!(mirror.texts().get("a.md")!, "folder/c.md"));
      actLocally(mirror, local);
      mirror.disk.advance(10);
      actOnService(rig.app, remote);
      const report = await mirror.sync();
      expect(report).toMatchObject({ state: "in-sync", counts: { conflicts: 0, uploaded: side === "here" ? 1 : 0 } });
      await mirror.sync();
      expect(there(rig, a).text).toBe(expected);
      const here = mirror.texts();
      expect(here.get(there(rig, a).path)).toBe(asOnDisk(rig, there(rig, a)));
      expect(here.size).toBe(3);
      expect(await mirror.syncWrites()).toEqual([]);
    },
  );
});

/** Edits of one link on each side. `clean`: the edits merge; otherwise they are a conflict. */
const BOTH: readonly (readonly [here: string, there: string, clean: boolean])[] = [
  ["its text", "its text", true],
  ["its destination", "its destination", true],
  ["its text", "its fragment", true],
  ["its destination", "its text", true],
  ["its text", "its title", true],
  ["the words around it", "its destination", true],
  ["another link, which is new", "its destination", true],
];

describe("a link that is edited on both sides while its target moves", () => {
  test.each(BOTH)("%s locally, %s on the service, and the target moves there", async (hereEdit, thereEdit, clean) => {
    const { rig, mirror, a, b, c } = await begin();
    const mine = EDITS[hereEdit]!(linking(b, c), c);
    const theirs = EDITS[thereEdit]!(linking(b, c), c);
    mirror.write("a.md", EDITS[hereEdit]!(mirror.texts().get("a.md")!, "folder/c.md"));
    rig.app.edit("a.md", theirs);
    rig.app.rename("b.md", "moved.md");
    const report = await mirror.sync();
    await mirror.sync();
    expect(report!.counts.conflicts).toBe(clean ? 0 : 1);
    const both = hereEdit === thereEdit ? mine : EDITS[thereEdit]!(mine, c);
    expect(there(rig, a).text).toBe(clean ? both : theirs);
    expect(mirror.texts().get("a.md")).toBe(asOnDisk(rig, { path: "a.md", text: clean ? both : mine }));
    if (!clean) expect(mirror.texts().get("a (theirs).md")).toBe(asOnDisk(rig, { path: "a.md", text: theirs }));
  });

  test("two texts for one link are a conflict, each in the disk's form, and a move of the target ends it no sooner", async () => {
    const { rig, mirror, a, b, c } = await begin();
    mirror.write("a.md", linking("b.md", "folder/c.md").replace("the plan", "my plan"));
    rig.app.edit("a.md", linking(b, c).replace("the plan", "their plan"));
    rig.app.rename("b.md", "moved.md");
    expect(await mirror.sync()).toMatchObject({ counts: { conflicts: 1 } });
    await mirror.sync();
    expect(mirror.texts().get("a.md")).toBe(linking("moved.md", "folder/c.md").replace("the plan", "my plan"));
    expect(mirror.texts().get("a (theirs).md")).toBe(
      linking("moved.md", "folder/c.md").replace("the plan", "their plan"),
    );
    actLocally(mirror, "mv moved.md folder/home.md");
    mirror.disk.advance(10);
    await mirror.sync();
    expect(mirror.texts().get("a.md")).toBe(linking("folder/home.md", "folder/c.md").replace("the plan", "my plan"));
    mirror.remove("a (theirs).md");
    await mirror.sync();
    mirror.disk.advance(70_000);
    await mirror.sync();
    expect(there(rig, a).text).toContain("plan](");
    expect(there(rig, a).text).toBe(linking(b, c).replace("the plan", "my plan"));
  });
});

test("a text that is read once more as it is sent, for a target that was just created, keeps its links though its folder went elsewhere on both sides (I10)", async () => {
  const rig = createRig(1);
  const b = rig.app.create("folder/b.md", "# B\n\nwhat is paid back\n");
  const c = rig.app.create("c.md", "# C\n\nwhich trains\n");
  const a = rig.app.create("folder/a.md", `${FILLER}\n[b](${b})\n`);
  const mirror = rig.mirror({ links: true });
  await mirror.sync();
  rig.app.renameFolder("folder", "directory");
  actLocally(mirror, "mv folder directory; mv directory/b.md aside.tmp; mv c.md directory/b.md; mv aside.tmp c.md");
  mirror.disk.advance(10);
  mirror.write("new.md", "# New\n");
  mirror.write("directory/a.md", `${FILLER}\n[b](b.md)\n\n[new](../new.md)\n`);
  await mirror.syncTimes(2);
  const idOfNew = rig.app.id("new.md")!;
  expect(there(rig, a).text).toBe(`${FILLER}\n[b](${b})\n\n[new](${idOfNew})\n`);
  expect([there(rig, b).path, there(rig, c).path]).toEqual(["c.md", "directory/b.md"]);
});

test("a new link to a new document is read for where its file was, though its folder moves on the service (I01)", async () => {
  const rig = createRig(1);
  const target = rig.app.create("x.md", "x\n");
  rig.app.create("work/deep/log.md", `[x](${target})\n`);
  const mirror = rig.mirror({ links: true });
  await mirror.sync();
  mirror.write("plan.md", "[log](work/deep/log.md)\n");
  mirror.write("work/deep/log.md", "[x](../../x.md)\n[plan](../../plan.md)\n");
  rig.app.moveFolder("work/deep", null);
  await mirror.syncTimes(2);
  expect(mirror.texts().get("deep/log.md")).toBe("[x](../x.md)\n[plan](../plan.md)\n");
  const files = rig.app.files();
  expect(files.get("deep/log.md")!.text).toBe(`[x](${target})\n[plan](${files.get("plan.md")!.id})\n`);
  expect(files.get("plan.md")!.text).toBe(`[log](${files.get("deep/log.md")!.id})\n`);
});

test("an edit that is merged while its folder moves, and then waits in review, keeps its links after the next move (I01, I31)", async () => {
  const rig = createRig(1);
  const b = rig.app.create("b.md", "b\n");
  rig.app.create("box/a.md", `[b](${b})\n\n${FILLER}\nthe end\n`);
  const mirror = rig.mirror({ links: true });
  await mirror.sync();
  mirror.write("box/a.md", `[b](../b.md)\n\n${FILLER}\nthe end, locally\n`);
  rig.app.edit("box/a.md", `The start. [b](${b})\n\n${FILLER}\nthe end\n`);
  rig.app.protect("box/a.md", true);
  rig.app.renameFolder("box", "chest");
  await mirror.sync();
  rig.app.makeFolder("deep");
  rig.app.moveFolder("chest", "deep");
  await mirror.syncTimes(2);
  expect(mirror.texts().get("deep/chest/a.md")).toBe(`The start. [b](../../b.md)\n\n${FILLER}\nthe end, locally\n`);
});

test("a file that could not be read when its folder was moved locally keeps its links (I01, I10)", async () => {
  const rig = createRig(1);
  const b = rig.app.create("b.md", "b\n");
  rig.app.create("box/a.md", `[b](${b})\n`);
  rig.app.create("box/k.md", "k\n");
  const mirror = rig.mirror({ links: true });
  await mirror.sync();
  mirror.disk.user.makeFolder(mirror.path("deep"));
  mirror.rename("box", "deep/box");
  const end = mirror.disk.fail({ call: "any", path: mirror.path("deep/box/a.md"), code: "EACCES" });
  await mirror.syncTimes(2);
  end();
  mirror.requests.length = 0;
  await mirror.syncTimes(2);
  expect(mirror.texts().get("deep/box/a.md")).toBe("[b](../../b.md)\n");
  expect(rig.app.text("deep/box/a.md")).toBe(`[b](${b})\n`);
  expect(mirror.writes()).toEqual([]);
});

const INDEX = "# Index\n\n[n](n.md) and more words\n";

function exchange(mirror: Mirror, one: string, other: string): void {
  const aside = mirror.path("aside.tmp");
  mirror.disk.user.rename(mirror.path(one), aside);
  mirror.rename(other, one);
  mirror.disk.user.rename(aside, mirror.path(other));
  mirror.disk.advance(10);
}

test("two documents exchange paths while base has one inode for both: each keeps its id and its links (I09)", async () => {
  const { rig, mirror } = await syncThree();
  const idsBefore = rig.app.ids();
  const [a, b] = ["a.md", "sub/b.md"].map((path) => mirror.state.record(idsBefore.get(path)!)!);
  // The record of `a` has the stamp of `b`. So the rename renames a file that came to the path
  // after the scan.
  mirror.state.putRecord({ ...a!, stamp: b!.stamp, stampTrusted: false });
  exchange(mirror, "a.md", "sub/b.md");
  await mirror.syncTimes(2);
  const there = rig.app.files();
  expect([there.get("sub/b.md")!.id, there.get("a.md")!.id]).toEqual([a!.id, b!.id]);
  expect(mirror.texts().get("a.md")).toContain("[c](c.md) [a](sub/b.md)");
  expect(mirror.texts().get("sub/b.md")).toContain("[b](../a.md) [c](../c.md)");
  expect(mirror.texts().get("c.md")).toContain("[a](sub/b.md) [b](a.md)");
});

/** Syncs two folders with equal files, each with a link to another file of its folder. */
async function twoFolders(isLocal: boolean): Promise<{ rig: Rig; mirror: Mirror }> {
  const { rig, mirror } = start();
  for (const folder of ["d", "e"]) {
    rig.app.create(`${folder}/n.md`, `notes of ${folder}\n`);
    if (!isLocal) rig.app.create(`${folder}/index.md`, INDEX.replace("n.md", rig.app.id(`${folder}/n.md`)!));
  }
  await mirror.sync();
  if (isLocal) for (const folder of ["d", "e"]) mirror.write(`${folder}/index.md`, INDEX);
  await mirror.syncTimes(3);
  return { rig, mirror };
}

function contentsById(rig: Rig): [string, string][] {
  const all = [...rig.app.files().values()].map(({ id, text }): [string, string] => [id, text]);
  return all.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

test.each([
  ["folders", "created locally", "d", "e", "n.md", "n.md"],
  ["files", "created on the service", "d/index.md", "e/index.md", "../e/n.md", "../d/n.md"],
])("I09 I10 I13 equal %s, %s, exchange places, killed at any call", async (_what, how, one, other, inD, inE) => {
  const start = await twoFolders(how === "created locally");
  const [d, e, before] = [start.rig.app.id("d/index.md")!, start.rig.app.id("e/index.md")!, contentsById(start.rig)];
  exchange(start.mirror, one, other);
  await killAtEachCall(start, {
    open: (beginning) => beginning.open({}, { links: true }),
    async judge({ rig, mirror }) {
      await mirror.syncTimes(3);
      expect([rig.app.id("e/index.md")!, rig.app.id("d/index.md")!]).toEqual([d, e]);
      expect(contentsById(rig)).toEqual(before);
      expect(mirror.texts().get("d/index.md")).toBe(INDEX.replace("n.md", inD));
      expect(mirror.texts().get("e/index.md")).toBe(INDEX.replace("n.md", inE));
    },
  });
});

test("a link by absolute path to a deleted document follows the one that took its path", async () => {
  const { rig, mirror } = await openSynced(
    { "a.md": "[d](/d.md)\n", "c.md": "the third\n", "d.md": "d\n" },
    { links: true },
  );
  const c = rig.app.id("c.md")!;
  mirror.rename("d.md", "x.md");
  mirror.rename("c.md", "d.md");
  mirror.rename("x.md", "c.md");
  rig.app.remove("d.md");
  await mirror.sync();
  expect(rig.app.id("d.md")).toBe(c);
  expect(rig.app.text("a.md")).toBe(`[d](${c})\n`);
  rig.app.rename("d.md", "e.md");
  await mirror.sync();
  expect(rig.app.text("a.md")).toBe(`[d](${c})\n`);
  expect(mirror.texts().get("a.md")).toBe("[d](e.md)\n");
});

test("a file is not sent when a link's target is deleted, although another document has the target's former path (I10)", async () => {
  const { rig, mirror } = await openSynced({ "a.md": "[b](b.md)\n", "b.md": "b\n", "c.md": "c\n" }, { links: true });
  const sent = rig.app.text("a.md");
  rig.app.rename("b.md", "d.md");
  await mirror.sync();
  rig.app.create("b.md", "another\n");
  await mirror.sync();
  expect(mirror.texts().get("a.md")).toBe("[b](d.md)\n");
  rig.app.remove("d.md");
  expect(await mirror.syncWrites()).toEqual([]);
  expect([...mirror.texts().keys()].toSorted()).toEqual(["a.md", "b.md", "c.md"]);
  expect(rig.app.text("a.md")).toBe(sent);
});

test("a link that a late save shows a second time, inert, leads to its target, too (I01)", async () => {
  const fixture = await openSynced({ "a.md": "first\n\nlast\n" }, { links: true });
  const { rig, mirror } = fixture;
  mirror.write("a.md", "first\n\n[b](b.md)\n\nlast\n");
  fixture.fault = ({ method }) => (method === "PUT" ? "drop-before" : null);
  await mirror.sync();
  fixture.fault = () => null;
  mirror.write("b.md", "b\n");
  beforeFirst(fixture, "PUT", () => rig.app.edit("a.md", "first\n\n[b](ref://b.md)\n\nlast\n"));
  await settle(mirror);
  const link = `[b](${rig.app.id("b.md")!})`;
  expect(rig.app.text("a.md")).toBe(`first\n\n${link}\n\n${link}\n\nlast\n`);
  expect(mirror.texts().get("a.md")).toBe("first\n\n[b](b.md)\n\n[b](b.md)\n\nlast\n");
});
