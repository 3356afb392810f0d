import { beforeEach, expect, test } from "vitest";
import { useRig } from "./rig.ts";

/** A command wrote a local edit that no run has sent: the folder reports that it is not in sync. */

const rig = useRig();
beforeEach(async () => {
  rig.createRemotely("a.md", "one\n");
  await rig.init();
  rig.write("a.md", "one\ntwo\nthree\n");
  rig.pass(60_000);
  await rig.run(["sync", "w"]);
});

async function status(): Promise<readonly [code: number, state: string, attention: readonly object[]]> {
  const { code, out } = await rig.run(["status", "w", "--json"]);
  const { state, attention } = JSON.parse(out[0]!) as { state: string; attention: object[] };
  return [code, state, attention];
}

test.each([
  ["restore", ["restore", "w/a.md@1"]],
  ["undo", ["undo", "w", "--yes"]],
])("content that %s wrote locally is not in sync before a run has sent it", async (what, argv) => {
  expect(await status()).toEqual([0, "in-sync", []]);
  expect((await rig.run([...argv, "--no-sync"])).code).toBe(0);
  const detail = `the files that ${what} changed are not uploaded yet`;
  const unsent = { path: "", kind: "unproven", code: null, detail, next: "mdmirror sync" };
  expect(await status()).toEqual([3, "attention", [unsent]]);
  await rig.run(["sync", "w"]);
  expect(await status()).toEqual([0, "in-sync", []]);
});
