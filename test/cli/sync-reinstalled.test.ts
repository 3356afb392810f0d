import { afterEach, beforeEach, expect, test } from "vitest";
import { openRig, type Rig } from "./rig.ts";

/** A service that shows none of the documents any more, as one that was installed again. */

const NAMES = Array.from({ length: 15 }, (_, n) => `n${n}.md`);
let rig: Rig;

beforeEach(async () => {
  rig = await openRig();
  for (const path of NAMES) rig.api("POST", "/v1/files", { path, content: `# ${path}\n` });
  expect((await rig.init()).code).toBe(0);
  for (const path of NAMES) rig.api("DELETE", `/v1/files/${rig.remote(path)!.id}`);
  expect((await rig.run(["sync", "w"])).code).toBe(4);
});
afterEach(() => rig.close());

const missing = () => NAMES.filter((path) => rig.remote(path) === null);

async function stoppedPaths(): Promise<string[]> {
  const { safetyStop, steps } = JSON.parse((await rig.run(["plan", "w", "--json"])).out[0]!) as {
    safetyStop: { reasons: { reason: string }[] } | null;
    steps: { path?: string }[];
  };
  return safetyStop === null ? [] : steps.map(({ path = "" }) => path).sort();
}

test("one approval is the answer, and takes the files to the trash", async () => {
  expect(await stoppedPaths()).toEqual([...NAMES].sort());
  expect((await rig.run(["approve", "w", "--yes"])).code).toBe(0);
  expect((await rig.run(["sync", "w"])).code).toBe(0);
  expect((await rig.run(["status", "w"])).code).toBe(0);
  expect(missing()).toEqual(NAMES);
  expect(() => rig.read("n0.md")).toThrow(/ENOENT/);
});

test("a refusal uploads the files as new documents", async () => {
  expect((await rig.run(["reject", "w", "--yes"])).code).toBe(0);
  expect((await rig.run(["sync", "w"])).code).toBe(0);
  expect([missing(), rig.remote("n0.md")!.content]).toEqual([[], "# n0.md\n"]);
});
