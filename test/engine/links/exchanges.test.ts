import { expect, test } from "vitest";
import { killAtEachCall } from "../../simulator/kill-at-each-call.ts";
import type { Mirror } from "../../simulator/mirror.ts";
import { createRig, type Rig } from "../../simulator/rig.ts";
import { idThere } from "./linked-rig.ts";

const INDEX = "# Index\n\n[n](n.md) and more words\n";

/** Two documents in two folders that link each other and a third one. */
async function begin(): Promise<{ rig: Rig; mirror: Mirror }> {
  const rig = createRig(1);
  const mirror = rig.mirror({ links: true });
  mirror.write("a.md", "# Refunds\n\n[b](sub/b.md) [c](c.md)\n\nwho is paid back, and when\n");
  mirror.write("c.md", "# Billing\n\n[a](a.md) [b](sub/b.md)\n");
  mirror.write("sub/b.md", "# Travel\n\n[c](../c.md) [a](../a.md)\n\nwhich trains and which hotels\n");
  await mirror.sync();
  await mirror.sync();
  return { rig, mirror };
}

function exchange(mirror: Mirror, one: string, other: string): void {
  const aside = mirror.path("aside.tmp");
  mirror.disk.user.rename(mirror.path(one), aside);
  mirror.disk.user.rename(mirror.path(other), mirror.path(one));
  mirror.disk.user.rename(aside, mirror.path(other));
  mirror.disk.advance(10);
}

test("two documents exchange paths as one is moved, so that base has one inode for both: each text keeps its id and its links (I09)", async () => {
  const { rig, mirror } = await begin();
  const idsBefore = new Map([...rig.app.files()].map(([path, { id }]) => [path, id]));
  const [a, b] = ["a.md", "sub/b.md"].map((path) => mirror.state.link(idsBefore.get(path)!)!);
  // A rename takes the file that has come to the path since it was looked at.
  mirror.state.putLink({ ...a!, stamp: b!.stamp, stampTrusted: false });
  exchange(mirror, "a.md", "sub/b.md");
  await mirror.sync();
  await mirror.sync();
  const there = rig.app.files();
  expect([there.get("sub/b.md")!.id, there.get("a.md")!.id]).toEqual([a!.id, b!.id]);
  expect(mirror.texts().get("a.md")).toContain("[c](c.md) [a](sub/b.md)");
  expect(mirror.texts().get("sub/b.md")).toContain("[b](../a.md) [c](../c.md)");
  expect(mirror.texts().get("c.md")).toContain("[a](sub/b.md) [b](a.md)");
});

/** Two folders with equal files, each with a link to a file beside it; in sync. */
async function twoFolders(isLocal: boolean): Promise<{ rig: Rig; mirror: Mirror }> {
  const rig = createRig(1);
  const mirror = rig.mirror({ links: true });
  for (const folder of ["d", "e"]) {
    rig.app.create(`${folder}/n.md`, `notes of ${folder}\n`);
    if (!isLocal) rig.app.create(`${folder}/index.md`, INDEX.replace("n.md", idThere(rig, `${folder}/n.md`)));
  }
  await mirror.sync();
  if (isLocal) for (const folder of ["d", "e"]) mirror.write(`${folder}/index.md`, INDEX);
  for (let n = 0; n < 3; n++) await mirror.sync();
  return { rig, mirror };
}

function contentsById(rig: Rig): [string, string][] {
  const all = [...rig.app.files().values()].map(({ id, text }): [string, string] => [id, text]);
  return all.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

test.each([
  ["folders", "created locally", "d", "e", "n.md", "n.md"],
  ["files", "created on the service", "d/index.md", "e/index.md", "../e/n.md", "../d/n.md"],
])(
  "I09 I10 I13 %s with equal contents, %s, exchange places: each document keeps its links, wherever a kill comes",
  async (_what, how, one, other, inD, inE) => {
    const start = await twoFolders(how === "created locally");
    const [d, e, before] = [
      idThere(start.rig, "d/index.md"),
      idThere(start.rig, "e/index.md"),
      contentsById(start.rig),
    ];
    exchange(start.mirror, one, other);
    await killAtEachCall(start, {
      open: (beginning) => beginning.open({}, { links: true }),
      async judge({ rig, mirror }) {
        for (let n = 0; n < 3; n++) await mirror.sync();
        expect([idThere(rig, "e/index.md"), idThere(rig, "d/index.md")]).toEqual([d, e]);
        expect(contentsById(rig)).toEqual(before);
        expect(mirror.texts().get("d/index.md")).toBe(INDEX.replace("n.md", inD));
        expect(mirror.texts().get("e/index.md")).toBe(INDEX.replace("n.md", inE));
      },
    });
  },
);
