import { expect, onTestFinished, test } from "vitest";
import type { GlanceCache } from "../../../src/mirror/folder/glances.ts";
import { readStatus } from "../../../src/mirror/folder/status.ts";
import { openRig } from "../../cli/rig.ts";

test("what a daemon is applying is not interrupted", async () => {
  const rig = await openRig();
  onTestFinished(() => rig.close());
  await rig.init();
  const value = {
    survey: { documents: 2, folders: 0, conflicts: [], reviews: [] },
    blocks: [],
    intents: [{ intent: { kind: "put" } }, { intent: { kind: "set-aside" } }, { intent: { kind: "create" } }],
    meta: new Map(),
    newestRun: null,
  };
  const glances = { at: () => ({ kind: "read", value }) } as unknown as GlanceCache;
  const pending = async (isBusy: boolean) => {
    const status = await readStatus(rig.root, isBusy, glances);
    return status.kind === "ok" ? status.value.pending : status.trouble;
  };
  expect([await pending(false), await pending(true)]).toEqual([1, 0]);
});
