import { describe, expect, test } from "vitest";
import { useRig } from "./rig.ts";

const rig = useRig();

describe("protect and unprotect", () => {
  test("send changes to review, or publish them again; the local content stays as it is (I31)", async () => {
    rig.createRemotely("a.md", "a\n");
    await rig.init();
    expect((await rig.run(["protect", "w/a.md"])).code).toBe(0);
    expect(rig.remote("a.md")!.protected).toBe(true);
    rig.write("a.md", "a, edited\n");
    await rig.run(["sync", "w"], { terminal: true });
    expect(await rig.json(["status", "w"])).toMatchObject({ reviews: ["a.md"] });
    expect([rig.read("a.md"), rig.remote("a.md")!.content]).toEqual(["a, edited\n", "a\n"]);
    expect((await rig.run(["unprotect", "a.md"], { cwd: rig.root })).code).toBe(0);
    expect(rig.remote("a.md")!.protected).toBe(false);
  });

  test("name a key that may not, a path that is no document, and a path outside of a linked folder", async () => {
    rig.createRemotely("a.md", "a\n");
    await rig.init();
    for (const { id } of rig.service.admin.keys())
      rig.service.admin.changeKey(id, { grants: [{ on: null, level: "edit" }] });
    const refused = await rig.run(["protect", "w/a.md"]);
    expect(refused.code).toBe(2);
    expect(refused.err[0]).toMatch(/a\.md: .*\(forbidden, request req_\w+\)$/);
    expect(refused.err[1]).toContain("--key-file FILE");
    expect((await rig.run(["protect", "w/none.md"])).code).toBe(2);
    expect((await rig.run(["protect", "a.md"])).code).toBe(2);
  });
});
