import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { openMirror } from "../../src/mirror/folder/open-mirror.ts";
import { runSync, type RunReport, USUAL_RUN } from "../../src/mirror/folder/run.ts";
import { systemRandom } from "../../src/common/system-random.ts";
import { useRig } from "./rig.ts";

const rig = useRig();

/** A sync during which something happens after the service has shown its documents. */
async function syncDuring(happens: () => void): Promise<RunReport> {
  const env = { XDG_STATE_HOME: rig.stateHome, XDG_CONFIG_HOME: rig.configHome };
  const { clock, dir: cwd } = rig;
  const opened = await openMirror(rig.root, { mode: "write", what: "sync", env, cwd, clock, random: systemRandom() });
  if (opened.kind === "trouble") throw new Error(opened.trouble.what);
  try {
    const { remote } = opened.value.world;
    const listFiles = remote.listFiles.bind(remote);
    vi.spyOn(remote, "listFiles").mockImplementation(async (...asked) => {
      const listing = await listFiles(...asked);
      happens();
      return listing;
    });
    return await runSync(opened.value, USUAL_RUN, "sync");
  } finally {
    await opened.value.close();
  }
}

const own = () => join(rig.root, ".mdmirror");

describe("a sync whose notes go elsewhere is not in sync, for the next one knows nothing of it", () => {
  test.each([
    ["its folder was moved", () => renameSync(own(), join(rig.dir, "elsewhere"))],
    ["its folder was removed", () => rmSync(own(), { recursive: true })],
    ["its state was removed", () => rmSync(join(own(), "state.db"))],
  ])("where %s", async (_what, happens) => {
    await rig.init();
    const { state, attention } = await syncDuring(happens);
    expect(state).not.toBe("in-sync");
    expect(attention.map(({ path, kind }) => [path, kind])).toContainEqual([".mdmirror", "unproven"]);
  });

  test("and is, where nothing happens to them", async () => {
    await rig.init();
    expect(await syncDuring(() => undefined)).toMatchObject({ state: "in-sync", attention: [] });
  });
});
