import { afterEach, beforeEach, expect, test } from "vitest";
import { startHttp } from "../../src/service/http/server.ts";
import { openRig, type Rig } from "./rig.ts";

let rig: Rig;
let front: { readonly url: string; readonly close: () => Promise<void> };
let puts = 0;

beforeEach(async () => {
  rig = await openRig();
  puts = 0;
  front = await startHttp({
    handle: async (request, fault) => {
      if (request.method === "PUT") puts++;
      return rig.service.handle(request, fault);
    },
  });
  rig.api("POST", "/v1/files", { path: "a.md", content: "a\n" });
  await rig.run(["init", "w", "--url", front.url, "--key-file", rig.keyFile, "--yes"]);
  for (const { id } of rig.service.admin.keys()) rig.service.admin.setGrants(id, [{ on: null, level: "read" }]);
  rig.write("a.md", "edited\n");
});
afterEach(async () => {
  await front.close();
  await rig.close();
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
