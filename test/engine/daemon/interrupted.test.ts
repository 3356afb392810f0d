import { expect, test } from "vitest";
import { createDaemon } from "../../../src/mirror/engine/daemon/daemon.ts";
import type { Progress } from "../../../src/mirror/ports/world.ts";
import { type Mirror, ROOT, SETTINGS } from "../../simulator/mirror.ts";
import { createRig } from "../../simulator/rig.ts";
import { startDaemon } from "./rig.ts";

/** More than are under way at a time. */
const PATHS = Array.from({ length: 320 }, (_, n) => `n${n}.md`);
const BLIND = { start: async () => undefined, close: async () => undefined };

function cameTo({ disk: { user } }: Mirror): readonly string[] {
  return PATHS.filter((path) => user.exists(`${ROOT}/${path}`));
}

test("a stopped daemon begins no more steps, and the next daemon continues without a conflict", async () => {
  const rig = createRig(1);
  for (const path of PATHS) rig.app.create(path, `# ${path}\n\ntext\n`);
  const mirror = rig.mirror();
  const stopping = new AbortController();
  const progress: Progress = {
    report: (phase, done) => {
      if (phase === "apply" && done > 0) stopping.abort();
    },
  };
  const daemon = createDaemon({ ...mirror.world(), progress }, BLIND, { settings: SETTINGS });
  await daemon.run(stopping.signal);
  const before = cameTo(mirror);
  expect([before.length > 0, before.length < PATHS.length]).toEqual([true, true]);
  expect(daemon.status().lastReport).toMatchObject({ state: "attention", isStopped: true });
  for (const path of before) mirror.disk.user.write(`${ROOT}/${path}`, `# ${path}\n\nedited locally\n`);
  mirror.disk.advance(60_000);
  await startDaemon({ rig, mirror });
  expect([cameTo(mirror), mirror.state.load().conflicts.size]).toEqual([PATHS, 0]);
  const sent = PATHS.filter((path) => rig.app.files().get(path)!.text.includes("edited locally"));
  expect(sent).toEqual(before);
});
