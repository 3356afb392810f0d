import { describe, expect, test } from "vitest";
import { createRig } from "../../simulator/rig.ts";
import { startDaemon, withNotes } from "./rig.ts";

const inRoot = (n: number): string => `note-${n}.md`;

describe("watches", () => {
  test.each(["ENOSPC", "EMFILE"] as const)(
    "%s is said once, and the folder is looked at with each poll",
    async (limit) => {
      const rig = createRig(1);
      rig.app.create("note.md", "# Note\n");
      const made = await startDaemon({ rig, limit });
      await made.pass(60_000);
      made.mirrored.write("note.md", "# Note\n\nedited unseen\n");
      await made.pass(40_000);
      expect(made.app.files().get("note.md")?.text).toBe("# Note\n\nedited unseen\n");
      expect(made.daemon.status()).toMatchObject({ watching: "polling", limit: { code: limit } });
      await made.pass(3_600_000);
      expect(made.events.filter(({ kind }) => kind === "watch-limit")).toHaveLength(1);
      expect(made.watched.starts).toBe(1);
    },
  );

  test("an overflow causes a full scan", async () => {
    const rig = await withNotes(8, inRoot);
    rig.mirrored.write("note-2.md", "# Note 2\n\nedited without a notice\n");
    rig.hint({ kind: "overflow", why: "queue full" });
    await rig.pass(1_000);
    expect(rig.app.files().get("note-2.md")?.text).toBe("# Note 2\n\nedited without a notice\n");
  });

  test("the periodic scan finds a change without a notice", async () => {
    const rig = await withNotes(8, inRoot);
    rig.mirrored.write("note-2.md", "# Note 2\n\nedited without a notice\n");
    await rig.pass(605_000);
    expect(rig.app.files().get("note-2.md")?.text).toBe("# Note 2\n\nedited without a notice\n");
  });

  test("after very many notices the folder is walked once more: the last ones may have been dropped", async () => {
    const rig = await withNotes(8, inRoot);
    for (let n = 0; n < 600; n++) rig.save(`bulk/new-${n}.md`, `# New ${n}\n`);
    await rig.pass(310);
    rig.mirrored.write("bulk/dropped.md", "# Dropped\n");
    await rig.pass(2_000);
    expect(rig.app.files().get("bulk/dropped.md")?.text).toBe("# Dropped\n");
    expect(rig.app.files().size).toBe(609);
  });

  test("changed ignore rules restart the watch", async () => {
    const rig = await withNotes(8, inRoot);
    rig.mirrored.write(".mdmirrorignore", "drafts/\n");
    rig.hint({ kind: "path", path: ".mdmirrorignore" });
    await rig.pass(2_000);
    expect(rig.watched.starts).toBe(2);
  });
});
