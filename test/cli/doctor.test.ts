import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { useRig } from "./rig.ts";
import { digestOf } from "../../src/contract/digest.ts";
import type { Bundle } from "../../src/mirror/operations/doctor/bundle.ts";
import { readBundle, replayBundle } from "../simulator/replay.ts";

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
    expect(readdirSync(rig.path(".mdmirror/tmp"))).toEqual([]);
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
    mkdirSync(rig.path(".stfolder"));
    const { code, out } = await rig.run(["doctor", "w"]);
    expect([code, out.some((line) => line.startsWith("WARN sync-tools: Syncthing"))]).toEqual([3, true]);
  });

  test("distinguishes a missing service (5), a refused key (5), a bad URL (2) and a damaged state (1)", async () => {
    await rig.init();
    const config = JSON.parse(rig.read(".mdmirror/config.json"));
    // Sets another URL, which the user has trusted.
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
    rig.write(".mdmirror/state.db", "no database at all ".repeat(300));
    const damaged = await rig.run(["doctor", "w"]);
    expect(damaged.out.some((line) => line.startsWith("BAD  state: state.db: damaged"))).toBe(true);
    expect(damaged.code).toBe(1);
  });
});

describe("doctor --bundle", () => {
  type Made = { readonly text: string; readonly bundle: Bundle; readonly lines: readonly string[] };

  /** Makes a bundle of `w` and replays it. The replay must show the plan that mdmirror made. */
  async function makeBundle(...more: string[]): Promise<Made> {
    const { out } = await rig.run(["doctor", "w", "--bundle", "bundle.json", ...more]);
    expect(out.at(-1)).toMatch(/^ok {3}bundle: /);
    const text = readFileSync(join(rig.dir, "bundle.json"), "utf8");
    const bundle = readBundle(text);
    const { lines, differences } = replayBundle(bundle);
    expect(differences).toEqual([]);
    return { text, bundle, lines };
  }

  /** Returns the captured part of each line of the replay that matches `what`. */
  const shown = ({ lines }: Made, what: RegExp) => lines.flatMap((line) => what.exec(line)?.[1] ?? []);
  const steps = (made: Made) => shown(made, /^step \d+: (\S+)/);
  const blocks = (made: Made) => shown(made, /^blocked: (\S+)/);

  const CHECKOUT = fileURLToPath(new URL("../../", import.meta.url));

  /** Replays the bundle by `npm run simulate`, with a mutant of the planner. */
  function replayWithMutant(id: string): { readonly status: number | null; readonly stdout: string } {
    const args = [join(CHECKOUT, "scripts/simulate.ts"), "--replay", join(rig.dir, "bundle.json")];
    const hook = `--import=${join(CHECKOUT, "test/simulator/mutants/hook.ts")}`;
    const env = { ...process.env, MDMIRROR_MUTANT: id, NODE_OPTIONS: hook };
    return spawnSync(process.execPath, args, { env, encoding: "utf8" });
  }

  /** Names that disks and services treat differently. */
  const NAMES = [
    "Secret plans/My Diary.md",
    "Secret plans/my diary-2.md",
    "Café/Müller (draft).md",
    "2026/10-notes.md",
  ];
  const CONTENT = "# Confidential\n\npassphrase hunter2\nmatching sentence\n";

  async function startFolder(): Promise<void> {
    await rig.init();
    for (const [at, name] of NAMES.entries()) rig.write(name, `${CONTENT}${at}\n`);
    await rig.run(["sync", "w"]);
  }

  test("shows a name clash that blocks a document", async () => {
    await startFolder();
    rig.createRemotely("Secret-plans/Big-news.md", "theirs\n");
    await rig.run(["sync", "w"]);
    rig.write("Secret plans/Big news.md", "mine\n");
    expect(blocks(await makeBundle())).toEqual(["name-clash"]);
  });

  test("shows a stop by the limit of deletions, and where a planner without that limit differs", async () => {
    await startFolder();
    for (let n = 0; n < 20; n++) rig.write(`Letters/Letter ${n}.md`, `letter ${n}\n`);
    await rig.run(["sync", "w"]);
    rig.remove("Letters");
    const made = await makeBundle();
    expect(shown(made, /^verdict: (.*)/)).toEqual(["safety-stop delete-budget-remote"]);
    expect(steps(made).filter((kind) => kind === "delete-remote")).toHaveLength(20);
    const { status, stdout } = replayWithMutant("delete-budget-ignored");
    expect([status, stdout]).toEqual([1, expect.stringMatching(/^- verdict: .*delete-budget-remote/m)]);
  });

  test("shows a conflict of a document that has moved since", async () => {
    await startFolder();
    const [path] = NAMES as [string];
    rig.editRemotely("Secret-plans/My-Diary.md", "# Theirs\n");
    rig.write(path, "# Mine\n");
    await rig.run(["sync", "w"]);
    mkdirSync(rig.path("Old"));
    rig.rename(path, "Old/Renamed diary.md");
    const made = await makeBundle();
    expect(steps(made)).toEqual(expect.arrayContaining(["move-conflict-copy", "reparent-remote"]));
    expect(blocks(made)).toEqual(["conflict"]);
  });

  test("I30 has no content, no name, no digest of content and no key", async () => {
    await startFolder();
    rig.write(NAMES[0]!, `${CONTENT}edited\n`);
    rig.write("Secret plans/Lonely thoughts.md", "unsent whispers\n");
    rig.createRemotely("Board/Minutes-of-June.md", "remote words\n");
    const { text } = await makeBundle();
    const words = [
      ...NAMES,
      "Secret plans/Lonely thoughts.md",
      "Board/Minutes-of-June.md",
      CONTENT,
      "edited",
      "unsent whispers",
    ]
      .flatMap((one) => one.match(/[\p{L}]{3,}/gu) ?? [])
      .filter((word) => word !== "md");
    for (const word of words) expect(text.toLowerCase()).not.toContain(word.toLowerCase());
    for (const [at] of NAMES.entries()) expect(text).not.toContain(digestOf(`${CONTENT}${at}\n`));
    for (const secret of [rig.key, rig.url, rig.dir]) expect(text).not.toContain(secret);
    rmSync(join(rig.dir, "bundle.json"));
    const named = await makeBundle("--with-names");
    expect(named.text).toContain(NAMES[0]);
    expect(named.text).not.toContain("hunter2");
  });

  test("does not overwrite a file (2), and without the service says so (5)", async () => {
    await startFolder();
    await makeBundle();
    expect((await rig.run(["doctor", "w", "--bundle", "bundle.json"])).code).toBe(2);
    expect((await rig.run(["doctor", "w", "--with-names"])).code).toBe(2);
    await rig.stopService();
    const offline = await rig.run(["doctor", "w", "--bundle", "other.json"]);
    expect([offline.code, offline.out.some((line) => line.startsWith("BAD  bundle: "))]).toEqual([5, true]);
  });

  test("is refused by a replay that reads another format", async () => {
    await startFolder();
    const { text } = await makeBundle();
    expect(() => readBundle(text.replace("mdmirror bundle 2", "mdmirror bundle 1"))).toThrow(/mdmirror bundle 1/);
    expect(() => readBundle(text.replace('"answers"', '"replies"'))).toThrow(/answers/);
    expect(() => readBundle("{}")).toThrow(/no bundle/);
  });
});
