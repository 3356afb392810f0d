import { describe, expect, test } from "vitest";
import { useRig } from "./rig.ts";

const rig = useRig();

describe("status", () => {
  test("says last sync when, from the state alone", async () => {
    rig.createRemotely("a/b.md", "b\n");
    await rig.init();
    await rig.stopService();
    rig.pass(5 * 60_000);
    const { code, out } = await rig.run(["status", "w"]);
    expect([code, out]).toEqual([
      0,
      [`1 document in 1 folder, linked to ${rig.url}`, "In sync: last sync 5 min ago, nothing pending"],
    ]);
  });

  test("--max-age ends with 3 when the last sync is older", async () => {
    await rig.init();
    expect((await rig.run(["status", "w", "--max-age", "15m"])).code).toBe(0);
    rig.pass(16 * 60_000);
    const { code, err } = await rig.run(["status", "w", "--max-age", "15m"]);
    expect([code, err]).toEqual([3, ["mdmirror: not in sync within 15 min; next: mdmirror sync"]]);
    expect((await rig.run(["status", "w", "--max-age", "1h"])).code).toBe(0);
  });
});
