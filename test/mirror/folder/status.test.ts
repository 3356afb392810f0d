import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readStatus } from "../../../src/mirror/folder/status.ts";
import type { Intent } from "../../../src/mirror/ports/state.ts";
import { openState } from "../../../src/mirror/state/open.ts";
import { openRig } from "../../cli/rig.ts";

test("what a daemon is applying is not interrupted", async () => {
  const rig = await openRig();
  onTestFinished(() => rig.close());
  await rig.init();
  const opened = openState({ folder: join(rig.root, ".mdmirror"), clock: rig.clock });
  if (opened.kind !== "opened") throw new Error(opened.kind);
  const kinds: readonly Intent["kind"][] = ["put", "set-aside", "create"];
  for (const kind of kinds) opened.state.openIntent(1, { kind } as Intent);
  opened.state.close();
  const pending = async (isBusy: boolean) => {
    const status = await readStatus(rig.root, isBusy);
    return status.kind === "ok" ? status.value.pending : status.trouble;
  };
  expect([await pending(false), await pending(true)]).toEqual([1, 0]);
});
