import { copyFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { GlanceCache } from "../../../src/mirror/folder/glances.ts";
import { readStatus } from "../../../src/mirror/folder/status.ts";
import { openRig } from "../../cli/rig.ts";

test("a state that is looked at again is read again when it changed, is gone, damaged or another, and only then", async () => {
  const rig = await openRig();
  try {
    await rig.init();
    const glances = new GlanceCache();
    const own = join(rig.root, ".mdmirror");
    const documents = async () => {
      const status = await readStatus(rig.root, false, glances);
      return status.kind === "ok" ? status.value.documents : status.trouble.kind;
    };
    expect(await documents()).toBe(0);
    expect(glances.at(own)).toBe(glances.at(own));
    rig.write("a.md", "# a\n");
    await rig.run(["sync", "w"]);
    expect(await documents()).toBe(1);
    rig.createRemotely("b.md", "# b\n");
    await rig.run(["sync", "w"]);
    expect(await documents()).toBe(2);
    const state = join(own, "state.db");
    copyFileSync(state, join(rig.dir, "kept"));
    writeFileSync(state, "no database");
    expect(await documents()).toBe("fault");
    rmSync(state);
    expect(await documents()).toBe(0);
    copyFileSync(join(rig.dir, "kept"), state);
    expect(await documents()).toBe(2);
  } finally {
    await rig.close();
  }
});
