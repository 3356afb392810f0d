import { describe, expect, it } from "vitest";
import type { RunReport } from "../../src/mirror/engine/run/report.ts";
import type { Mirror } from "../simulator/mirror.ts";
import { createRig, type Deployment, type Rig } from "../simulator/rig.ts";

/**
 * Services that take several spellings for one name: what they refuse is learned and held, and not
 * sent again (I08).
 */

const NFC = "caf\u00e9.md";
const NFD = "cafe\u0301.md";

function begin(variant: Deployment, texts: Readonly<Record<string, string>> = {}): { rig: Rig; mirror: Mirror } {
  const rig = createRig(31, variant);
  for (const [path, text] of Object.entries(texts)) rig.app.create(path, text);
  return { rig, mirror: rig.mirror() };
}

async function sync(mirror: Mirror): Promise<{ report: RunReport; writes: string[] }> {
  mirror.requests.length = 0;
  const report = (await mirror.sync())!;
  return { report, writes: mirror.requests.filter((request) => !request.startsWith("GET ")) };
}

function blocks(mirror: Mirror): Record<string, string> {
  return Object.fromEntries([...mirror.state.load().blocks.values()].map(({ path, reason }) => [path, reason]));
}

describe.each([
  ["case", { foldsCase: true }, "Note.md", "note.md"],
  ["Unicode normal forms", { foldsUnicode: true }, NFC, NFD],
] as const)("a service that folds %s", (_, variant, first, second) => {
  it("I08 I16 refuses the second of two new documents: it is blocked with the name of the other, and never sent again", async () => {
    const { rig, mirror } = begin(variant);
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
    mirror.disk.user.rename(mirror.path(second), mirror.path("other.md"));
    expect((await sync(mirror)).report.state).toBe("in-sync");
    expect([...rig.app.files().keys()].sort()).toEqual([first, "other.md"].sort());
  });

  it("I08 both new in one run: one is uploaded, the other is blocked", async () => {
    const { rig, mirror } = begin(variant);
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
    const { rig, mirror } = begin(variant, { [first]: "one\n" });
    await sync(mirror);
    const { id } = rig.app.files().get(first)!;
    mirror.disk.user.rename(mirror.path(first), mirror.path(second));
    expect((await sync(mirror)).report.state).toBe("in-sync");
    expect((await sync(mirror)).writes).toEqual([]);
    expect([...mirror.texts()]).toEqual([[second, "one\n"]]);
    expect([...rig.app.files().values()].map((file) => file.id)).toEqual([id]);
  });

  it("I08 a rename onto another document's name in other letters is blocked, and the file stays", async () => {
    const { rig, mirror } = begin(variant, { [first]: "one\n", "b.md": "two\n" });
    await sync(mirror);
    mirror.disk.user.rename(mirror.path("b.md"), mirror.path(second));
    const { writes } = await sync(mirror);
    expect(writes.filter((request) => request.startsWith("PATCH"))).toHaveLength(1);
    for (let n = 0; n < 3; n++) expect((await sync(mirror)).writes).toEqual([]);
    expect(blocks(mirror)).toEqual({ [second]: "name-clash" });
    expect(rig.app.files().get("b.md")?.text).toBe("two\n");
    mirror.disk.user.rename(mirror.path(second), mirror.path("c.md"));
    expect((await sync(mirror)).report.state).toBe("in-sync");
  });

  it("I08 a folder's name in other letters: it is blocked with its contents, which are not lost", async () => {
    const name = (path: string) => path.replace(".md", "");
    const { rig, mirror } = begin(variant, { [`${name(first)}/a.md`]: "one\n" });
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
  const { rig, mirror } = begin({
    fault: ({ method, body, path }) => {
      if (method !== "PATCH" || !body?.includes("Upper.md")) return null;
      const { status, json } = rig.app.call("PATCH", path, { name: "upper.md" });
      return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(json) };
    },
  });
  rig.app.create("a.md", "text\n");
  await sync(mirror);
  mirror.disk.user.rename(mirror.path("a.md"), mirror.path("Upper.md"));
  expect((await sync(mirror)).writes).toHaveLength(1);
  expect(blocks(mirror)).toEqual({ "Upper.md": "refused" });
  mirror.disk.user.rename(mirror.path("Upper.md"), mirror.path("upper.md"));
  expect((await sync(mirror)).report.state).toBe("in-sync");
});
