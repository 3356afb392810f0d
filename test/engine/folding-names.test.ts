import { describe, expect, it } from "vitest";
import { hashedName } from "../../src/mirror/model/local-name.ts";
import { ROOT } from "../simulator/mirror.ts";
import { createRig } from "../simulator/rig.ts";
import { MAX_NAME_BYTES } from "../../src/contract/path.ts";

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
        [hashedName("Plan.md", "file", one.id, MAX_NAME_BYTES), one.text],
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
    one.state.removeLink(before.get("plan.md")!.id);
    expect(await one.sync()).toMatchObject(adopts);
    expect(rig.app.files()).toEqual(before);
  });
});
