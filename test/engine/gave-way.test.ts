import { describe, expect, it } from "vitest";
import { createRig } from "../simulator/rig.ts";

/**
 * One name wanted by two: the service's row keeps it, and what is renamed locally for it is told,
 * once.
 */

it("a file that is renamed locally to another document's name on the service is reported with the name that it gets", async () => {
  const rig = createRig(44);
  rig.app.create("a.md", "a\n");
  const mirror = rig.mirror();
  await mirror.sync();
  mirror.disk.user.rename(mirror.path("a.md"), mirror.path("t.md"));
  rig.app.create("t.md", "theirs\n");
  const report = await mirror.sync();
  expect([...mirror.texts().keys()].sort()).toEqual(["t-2.md", "t.md"]);
  expect(report?.renamed).toEqual([{ from: "t.md", to: "t-2.md" }]);
  expect(report?.state).toBe("in-sync");
  expect((await mirror.sync())?.renamed).toEqual([]);
});

it("a folder too; and names that nobody else has are not reported", async () => {
  const rig = createRig(44);
  rig.app.create("f/a.md", "a\n");
  const mirror = rig.mirror();
  expect((await mirror.sync())?.renamed).toEqual([]);
  mirror.disk.user.rename(mirror.path("f"), mirror.path("g"));
  rig.app.create("g/b.md", "theirs\n");
  const report = await mirror.sync();
  expect([...mirror.texts().keys()].sort()).toEqual(["g-2/a.md", "g/b.md"]);
  expect(report?.renamed).toEqual([{ from: "g", to: "g-2" }]);
});

function openReader() {
  const rig = createRig(44);
  return { rig, mirror: rig.mirror({ key: rig.makeKey().key }) };
}

describe("renamed here by a key that may only read, and made there under that name since", () => {
  it.each(["immediately", "after the refusal"])(
    "a file has its own name again, with its id, and that is reported once: %s",
    async (when) => {
      const { rig, mirror } = openReader();
      const id = rig.app.create("a.md", "a\n");
      await mirror.sync();
      mirror.disk.user.rename(mirror.path("a.md"), mirror.path("t.md"));
      if (when === "after the refusal") expect((await mirror.sync())?.state).toBe("attention");
      rig.app.create("t.md", "theirs\n");
      const report = await mirror.sync();
      expect(mirror.texts()).toEqual(
        new Map([
          ["a.md", "a\n"],
          ["t.md", "theirs\n"],
        ]),
      );
      expect(mirror.state.link(id)?.localPath).toBe("a.md");
      expect(report?.renamed).toEqual([{ from: "t.md", to: "a.md" }]);
      expect([report?.state, report?.attention]).toEqual(["in-sync", []]);
    },
  );

  it("a folder too, with what is in it; an edit that was refused beside it is still reported", async () => {
    const { rig, mirror } = openReader();
    const id = rig.app.create("d/a.md", "a\n");
    await mirror.sync();
    mirror.disk.user.rename(mirror.path("d"), mirror.path("e"));
    mirror.disk.user.write(mirror.path("e/a.md"), "a, edited\n");
    rig.app.create("e/b.md", "theirs\n");
    const report = await mirror.sync();
    expect([...mirror.texts().keys()].sort()).toEqual(["d/a.md", "e/b.md"]);
    expect(mirror.texts().get("d/a.md")).toBe("a, edited\n");
    expect(report?.renamed).toEqual([{ from: "e", to: "d" }]);
    expect(report?.attention).toMatchObject([{ path: "d/a.md", kind: "read-only" }]);
    expect(mirror.state.link(id)?.localPath).toBe("d/a.md");
  });
});
