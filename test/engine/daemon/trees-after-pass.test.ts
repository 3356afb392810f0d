import { expect, test } from "vitest";
import { treesAfterPass } from "../../../src/engine/daemon/trees-after-pass.ts";
import { planOnly, syncToConvergence } from "../../../src/engine/run/sync.ts";
import type { LocalTree } from "../../../src/model/tree.ts";
import { digestOf } from "../../../src/model/digest.ts";
import { SETTINGS } from "../../simulator/mirror.ts";
import { createRig } from "../../simulator/rig.ts";

const body = { status: 403, code: "forbidden", title: "", detail: "", type: "x:y" };
const FORBIDDEN = { status: 403, headers: { "content-type": "application/problem+json" }, body: JSON.stringify(body) };
const OPTIONS = { settings: SETTINGS, retryRefused: false, kind: "watch" } as const;

/**
 * A newer version comes to a file.
 * @param name the file's here; the service refuses to rename the document after it
 * @returns the folder as it follows from the look before and what was done; null: look again
 */
async function afterNewerVersion(name: string): Promise<LocalTree | null> {
  const rig = createRig(1, { fault: ({ method }) => (method === "PATCH" ? FORBIDDEN : null) });
  rig.app.create("note.md", "a text\n");
  const mirror = rig.mirror();
  await mirror.sync();
  if (name !== "note.md") mirror.disk.user.rename(mirror.path("note.md"), mirror.path(name));
  await mirror.sync();
  rig.app.edit("note.md", "another text\n");
  const planned = await planOnly(mirror.world(), OPTIONS);
  await syncToConvergence(mirror.world(), OPTIONS);
  if (planned.kind !== "planned") throw new Error("the service was offline");
  const { plan, trees } = planned;
  expect(plan.steps.map(({ action }) => action)).toMatchObject([{ kind: "write-local", localPath: name }]);
  expect([...mirror.texts()]).toEqual([[name, "another text\n"]]);
  const ends = [{ kind: "ran", outcome: { kind: "done" } }] as const;
  return treesAfterPass(mirror.world(), { ...planned, ends: [...ends] }, trees.local, trees.remote)?.local ?? null;
}

test("what a pass wrote is known without another look", async () => {
  const after = await afterNewerVersion("note.md");
  expect([...after!.files.values()]).toMatchObject([{ path: "note.md", digest: digestOf("another text\n") }]);
});

test("I08 I09 where base has the file at the place from which its move is held, the folder is looked at again", async () => {
  expect(await afterNewerVersion("plan.md")).toBe(null);
});
