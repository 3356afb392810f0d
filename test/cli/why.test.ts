import { symlinkSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { useRigOfFile } from "./rig.ts";

/** The requested path, and a pattern that the answer matches. */
const ANSWERS: readonly (readonly [what: string, path: string, says: RegExp])[] = [
  ["an edit here", "edited.md", /→ update on the service: edited\.md/],
  ["an edit there", "d/edited.md", /← update locally: d\/edited\.md/],
  ["a deletion here", "deleted.md", /→ delete on the service/],
  ["a move here, by the new name", "z.md", /base +doc_[\s\S]*→ rename on the service: moved\.md → z\.md/],
  ["nothing", "d/b.md", /both sides are equal/],
  ["a new file", "new.md", /→ create on the service: new\.md/],
  ["not Markdown", "x.txt", /not a \.md file/],
  ["an ignored file", "draft.md", /excluded by line 1 of \.mdmirrorignore/],
  ["below a dot folder", ".git/x.md", /\.git is a folder whose name starts with a dot/],
  ["a symbolic link", "l.md", /symbolic link/],
  ["a name that the service has for another", "d/b .md", /name-clash/],
  ["a text that cannot be sent", "nul.md", /contains-nul/],
  ["nothing at all", "nobody.md", /it is on neither side/],
];

describe("why", () => {
  const rig = useRigOfFile();
  beforeAll(async () => {
    for (const path of ["edited.md", "d/edited.md", "deleted.md", "moved.md", "d/b.md"])
      rig.createRemotely(path, `${path}\n`);
    await rig.init();
    rig.write("edited.md", "edited\n");
    rig.editRemotely("d/edited.md", "x\n");
    rig.remove("deleted.md");
    rig.rename("moved.md", "z.md");
    rig.write(".mdmirrorignore", "draft*\n");
    for (const path of ["new.md", "x.txt", "draft.md", ".git/x.md", "d/b .md"]) rig.write(path, "x\n");
    symlinkSync("z.md", rig.path("l.md"));
    rig.write("nul.md", "a\0b");
  });

  test.each(ANSWERS)("%s", async (_, path, says) => {
    const { code, out } = await rig.run(["why", path], { cwd: rig.root });
    expect(code).toBe(0);
    expect(out.join("\n")).toMatch(says);
  });

  test("knows the linked folder itself, from within and by its name", async () => {
    for (const [path, cwd] of [
      [".", rig.root],
      ["w", rig.dir],
    ] as const) {
      const { code, out, err } = await rig.run(["why", path], { cwd });
      expect([code, err]).toEqual([0, []]);
      expect(out.slice(0, 4)).toEqual([
        ".",
        "  base     the linked folder itself",
        "  local    a folder",
        "  service  see its documents",
      ]);
    }
  });
});
