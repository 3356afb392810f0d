import { expect, test } from "vitest";
import type { Mirror } from "../../simulator/mirror.ts";
import { createRig, type Rig } from "../../simulator/rig.ts";

function start(): { rig: Rig; mirror: Mirror } {
  const rig = createRig(1);
  return { rig, mirror: rig.mirror({ links: "wiki" }) };
}

const there = (rig: Rig, path: string) => rig.app.files().get(path)!;
const writes = (mirror: Mirror) => mirror.requests.filter((request) => !request.startsWith("GET"));

test("wiki links go up by id, targets first, and come down as wiki links on another machine", async () => {
  const { rig, mirror } = start();
  mirror.write("a.md", "[[Plan]] [[Plan#h|the plan]] [[Nobody]]\n");
  mirror.write("sub/Plan.md", "[[a]]\n");
  expect(await mirror.sync()).toMatchObject({ state: "in-sync" });
  const { id } = there(rig, "sub/Plan.md");
  expect(there(rig, "a.md").text).toBe(`[[Plan]](${id}) [[the plan]](${id}#h) [[Nobody]]\n`);
  expect(there(rig, "sub/Plan.md").text).toBe(`[[a]](${there(rig, "a.md").id})\n`);
  mirror.requests.length = 0;
  expect(await mirror.sync()).toMatchObject({ counts: { respelled: 0 } });
  expect(writes(mirror)).toEqual([]);
  const other = rig.mirror({ links: "wiki" });
  await other.sync();
  expect(other.texts()).toEqual(mirror.texts());
});

test("a renamed target is linked by its new name, locally and on the service, without a PUT (I10)", async () => {
  const { rig, mirror } = start();
  mirror.write("a.md", "[[Plan]] ![[Plan]]\n");
  mirror.write("Plan.md", "plan\n");
  await mirror.sync();
  const { text } = there(rig, "a.md");
  mirror.requests.length = 0;
  mirror.disk.user.rename(mirror.path("Plan.md"), mirror.path("Budget.md"));
  mirror.disk.advance(10);
  expect(await mirror.sync()).toMatchObject({ counts: { respelled: 1, uploaded: 0 } });
  expect(mirror.texts().get("a.md")).toBe("[[Budget|Plan]] ![[Budget|Plan]]\n");
  rig.app.rename("Budget.md", "Plan.md");
  await mirror.sync();
  expect(mirror.texts().get("a.md")).toBe("[[Plan]] ![[Plan]]\n");
  expect(there(rig, "a.md").text).toBe(text);
  expect(mirror.requests.some((request) => request.startsWith("PUT"))).toBe(false);
});

test("a name that a second document gets is said with its folder, and the text there stays", async () => {
  const { rig, mirror } = start();
  mirror.write("a.md", "[[Plan]]\n");
  mirror.write("x/Plan.md", "one\n");
  await mirror.sync();
  const { text } = there(rig, "a.md");
  mirror.requests.length = 0;
  mirror.write("y/Plan.md", "another\n");
  await mirror.sync();
  expect(mirror.texts().get("a.md")).toBe("[[x/Plan|Plan]]\n");
  expect(there(rig, "a.md").text).toBe(text);
  expect(mirror.requests.some((request) => request.startsWith("PUT"))).toBe(false);
  mirror.requests.length = 0;
  await mirror.sync();
  expect(writes(mirror)).toEqual([]);
});

test("a wiki link whose document is made later is sent by its id then", async () => {
  const { rig, mirror } = start();
  mirror.write("a.md", "[[Later]]\n");
  await mirror.sync();
  expect(there(rig, "a.md").text).toBe("[[Later]]\n");
  mirror.write("deep/Later.md", "now\n");
  await mirror.sync();
  expect(there(rig, "a.md").text).toBe(`[[Later]](${there(rig, "deep/Later.md").id})\n`);
  expect(mirror.texts().get("a.md")).toBe("[[Later]]\n");
});

test("an edit beside a wiki link merges with an edit on the service", async () => {
  const { rig, mirror } = start();
  const filler = Array.from({ length: 9 }, (_, n) => `line ${n}\n`).join("\n");
  mirror.write("a.md", `[[Plan]]\n\n${filler}\n`);
  mirror.write("Plan.md", "plan\n");
  await mirror.sync();
  const { id } = there(rig, "Plan.md");
  rig.app.edit("a.md", `[[Plan]](${id})\n\n${filler}\nand [[there]](${id})\n`);
  mirror.write("a.md", `[[Plan]] here\n\n${filler}\n`);
  expect(await mirror.sync()).toMatchObject({ state: "in-sync", counts: { merged: 1, conflicts: 0 } });
  expect(mirror.texts().get("a.md")).toBe(`[[Plan]] here\n\n${filler}\nand [[Plan|there]]\n`);
  expect(there(rig, "a.md").text).toBe(`[[Plan]](${id}) here\n\n${filler}\nand [[there]](${id})\n`);
});
