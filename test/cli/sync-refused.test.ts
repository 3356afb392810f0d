import { beforeEach, expect, test } from "vitest";
import { useRig } from "./rig.ts";

let puts = 0;
const rig = useRig();
beforeEach(async () => {
  puts = 0;
  rig.intercept = ({ method }) => {
    if (method === "PUT") puts++;
    return null;
  };
  rig.createRemotely("a.md", "a\n");
  await rig.init();
  for (const { id } of rig.service.admin.keys()) rig.service.admin.setGrants(id, [{ on: null, level: "read" }]);
  rig.write("a.md", "edited\n");
});

/** @returns the PUTs of one run */
async function sync(...options: string[]): Promise<number> {
  const before = puts;
  await rig.run(["sync", "w", ...options]);
  return puts - before;
}

test("I08 what was refused is tried again by every sync that is asked for, in a pipe too", async () => {
  expect(await sync()).toBe(1);
  const { err, out } = await rig.run(["sync", "w"]);
  expect([...out, ...err].join("\n")).toContain("or now: mdmirror sync");
  expect(puts).toBe(2);
  expect(await sync("--json")).toBe(1);
});

test("I08 with --quiet it is tried again once a day", async () => {
  expect(await sync("--quiet")).toBe(1);
  expect(await sync("--quiet")).toBe(0);
  rig.pass(86_400_000);
  expect(await sync("--quiet")).toBe(1);
  expect(await sync("--quiet")).toBe(0);
});
