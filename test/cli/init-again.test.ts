import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openState } from "../../src/mirror/state/open.ts";
import { HASTY_CLOCK } from "../simulator/quiet-ports.ts";
import { snapshot, useRig } from "./rig.ts";

const rig = useRig();

describe("init on a folder that is linked already", () => {
  test("says so, and does nothing", async () => {
    await rig.init();
    const before = snapshot(rig.root);
    const { code, out } = await rig.run(["init", "w"]);
    expect([code, out.at(-1)]).toEqual([0, "next: mdmirror sync"]);
    expect(snapshot(rig.root)).toEqual(before);
  });

  test("does not link it to another service or another part", async () => {
    await rig.init();
    expect((await rig.run(["init", "w", "--url", "https://example.org"])).code).toBe(2);
    expect((await rig.run(["init", "w", "--remote", "part"])).code).toBe(2);
  });

  test("stores a new key", async () => {
    await rig.init();
    const made = rig.service.admin.createKey({ workspaceId: rig.workspaceId, grants: [{ on: null, level: "full" }] });
    if (!("key" in made)) throw new Error("no key");
    writeFileSync(rig.keyFile, made.key);
    expect((await rig.run(["init", "w", "--key-file", rig.keyFile])).code).toBe(0);
    expect(readFileSync(join(rig.root, ".mdmirror/key"), "utf8").trim()).toBe(made.key);
  });

  test("does not store a key that the service refuses, and stores one unchecked where it cannot be asked", async () => {
    await rig.init();
    const stored = () => readFileSync(join(rig.root, ".mdmirror/key"), "utf8").trim();
    const good = stored();
    writeFileSync(rig.keyFile, "mdm_nonsense");
    const refused = await rig.run(["init", "w", "--key-file", rig.keyFile]);
    expect([refused.code, refused.out, stored()]).toEqual([5, [], good]);
    expect(refused.err[0]).toContain("unauthenticated");
    await rig.stopService();
    const unasked = await rig.run(["init", "w", "--key-file", rig.keyFile]);
    expect([unasked.code, unasked.err.length > 0, stored()]).toEqual([0, true, "mdm_nonsense"]);
  });

  test.each([
    ["empty", ""],
    ["full of zeros", "\0".repeat(300)],
  ])("I13 links it again where a power loss left the configuration %s, and keeps its state", async (_what, left) => {
    rig.createRemotely("a.md", "a\n");
    rig.createRemotely("b.md", "b\n");
    await rig.init();
    rig.write("a.md", "edited locally\n");
    rmSync(join(rig.root, "b.md"));
    for (const file of ["config.json", "key"]) writeFileSync(join(rig.root, ".mdmirror", file), left);
    const lost = await rig.run(["sync", "w"]);
    expect([lost.code, lost.err.at(-1)]).toEqual([2, expect.stringContaining("mdmirror init --url URL")]);
    const { code, err } = await rig.init();
    expect([code, err]).toEqual([0, []]);
    // The state shows local edits and deletions; without the state, both documents would be
    // downloaded again.
    expect([rig.remote("a.md")?.content, rig.remote("b.md")]).toEqual(["edited locally\n", null]);
    expect(rig.read("a.md")).toBe("edited locally\n");
  });

  test("I05 rebuilds a lost state from both sides, deleting and overwriting nothing", async () => {
    rig.createRemotely("a.md", "a\n");
    await rig.init();
    rig.write("a.md", "edited locally\n");
    rig.createRemotely("b.md", "b\n");
    for (const file of ["state.db", "texts.db"]) rmSync(join(rig.root, ".mdmirror", file));
    const { code } = await rig.run(["init", "w"]);
    // Without the text store nobody knows the base: both texts are kept.
    expect([code, rig.read("a.md"), rig.read("a (theirs).md"), rig.read("b.md")]).toEqual([
      3,
      "edited locally\n",
      "a\n",
      "b\n",
    ]);
  });

  test("I13 cut off after the state was made and before it knew its folder, the next run continues", async () => {
    rig.createRemotely("a.md", "a\n");
    await rig.init();
    const folder = join(rig.root, ".mdmirror");
    for (const file of ["state.db", "texts.db"]) rmSync(join(folder, file));
    // What a kill, or a full disk, leaves at that moment.
    const made = openState({ folder, clock: HASTY_CLOCK });
    if (made.kind !== "opened") throw new Error(made.kind);
    made.state.close();
    rig.createRemotely("b.md", "b\n");
    const { code, err } = await rig.run(["sync", "w"]);
    expect({ code, err }).toEqual({ code: 0, err: [] });
    expect([rig.read("a.md"), rig.read("b.md")]).toEqual(["a\n", "b\n"]);
  });
});
