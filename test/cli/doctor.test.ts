import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { useRig } from "./rig.ts";

const rig = useRig();

describe("doctor", () => {
  test("finds no problem in a sound folder, and ends with 0", async () => {
    await rig.init();
    const { code, out } = await rig.run(["doctor", "w"]);
    expect(code).toBe(0);
    const about = out.filter((line) => /^(ok {2}|note)/.test(line)).map((line) => line.slice(5).split(":")[0]);
    expect(about).toEqual(
      expect.arrayContaining([
        "config",
        "key-source",
        "service",
        "key",
        "clock",
        "state",
        "case",
        "unicode",
        "hard-links",
        "disk-space",
        "sync-tools",
      ]),
    );
    expect(readdirSync(join(rig.root, ".mdmirror/tmp"))).toEqual([]);
  });

  test("names what was learned of the service, for people and for programs", async () => {
    await rig.init();
    rig.createRemotely("a/b.md", "b\n");
    await rig.run(["sync", "w"]);
    const json = await rig.run(["doctor", "w", "--json"]);
    const { checks } = JSON.parse(json.out[0]!) as { checks: { about: string; trait?: object }[] };
    const traits = Object.fromEntries(checks.flatMap(({ about, trait }) => (trait ? [[about, trait]] : [])));
    expect(Object.keys(traits)).toHaveLength(10);
    expect(traits).toMatchObject({
      "folder-tree": { learned: "yes", liked: "yes" },
      "move-to-root": { learned: "unknown", liked: "yes" },
    });
  });

  test("warns of another sync tool on the folder (3)", async () => {
    await rig.init();
    mkdirSync(join(rig.root, ".stfolder"));
    const { code, out } = await rig.run(["doctor", "w"]);
    expect([code, out.some((line) => line.startsWith("WARN sync-tools: Syncthing"))]).toEqual([3, true]);
  });

  test("distinguishes a missing service (5), a refused key (5), a bad URL (2) and a damaged state (1)", async () => {
    await rig.init();
    const config = JSON.parse(rig.read(".mdmirror/config.json"));
    // The user chose the other address, so the key may be sent to it.
    const withUrl = async (url: string) => {
      rig.write(".mdmirror/config.json", JSON.stringify({ ...config, url }));
      await rig.run(["trust", "w", "--yes"]);
    };
    expect((await rig.run(["doctor", "w"], { env: { MDMIRROR_API_KEY: "mdm_wrong" } })).code).toBe(5);
    await withUrl("http://127.0.0.1:1");
    expect((await rig.run(["doctor", "w"])).code).toBe(5);
    await withUrl("ftp://example.org");
    expect((await rig.run(["doctor", "w"])).code).toBe(2);
    await withUrl(`${rig.url}/elsewhere`);
    expect((await rig.run(["doctor", "w"])).code).toBe(2);
    await withUrl(rig.url);
    writeFileSync(join(rig.root, ".mdmirror/state.db"), "no database at all ".repeat(300));
    const damaged = await rig.run(["doctor", "w"]);
    expect([damaged.code, damaged.out.some((line) => line.startsWith("BAD  state: state.db: damaged"))]).toEqual([
      1,
      true,
    ]);
  });
});
