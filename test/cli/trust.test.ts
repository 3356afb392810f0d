import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { useRig } from "./rig.ts";

/** The user's list of linked folders: which folders may send without a question. */

const rig = useRig();
beforeEach(async () => {
  rig.createRemotely("a.md", "a\n");
});

const registry = () => join(rig.stateHome, "mdmirror/mirrors");
const at = (name: string) => join(rig.dir, name);
const isRoot = process.getuid?.() === 0;

type Listed = {
  readonly mirrors: readonly {
    readonly root: string;
    readonly state: string;
    readonly place: string;
    readonly name: string | null;
  }[];
};

async function list(): Promise<Listed["mirrors"]> {
  const { exit, mirrors } = await rig.json<Listed>(["list"]);
  expect(exit).toBe(0);
  return mirrors;
}

describe("list", () => {
  test("shows what init linked: the folder, its name and its address; then that the folder is gone", async () => {
    expect((await rig.run(["list"])).out).toEqual(["no folder is linked yet; next: mdmirror init DIR --url URL"]);
    await rig.init("--name", "field notes");
    expect((await rig.run(["list"])).out).toEqual([`field notes  ${rig.root}  ${rig.url}  in-sync`]);
    expect(await list()).toMatchObject([
      { root: rig.root, name: "field notes", addresses: [rig.url], allowHttp: [], place: "present", state: "in-sync" },
    ]);
    rmSync(rig.root, { recursive: true });
    expect((await rig.run(["list"])).out[0]).toContain("missing: moved, deleted or not mounted");
    mkdirSync(rig.root);
    expect((await list()).map(({ place, state }) => [place, state])).toEqual([["other", "other"]]);
  });

  test("contains no key, and nothing of a linking that was refused", async () => {
    expect((await rig.run(["init", "w", "--url", rig.url, "--key-file", rig.keyFile])).code).toBe(0);
    for (const name of readdirSync(registry()))
      expect(rig.read(`../state/mdmirror/mirrors/${name}`)).not.toContain(rig.key);
    rig.write("../v/here.md", "b\n");
    expect((await rig.run(["init", "v", "--url", rig.url, "--key-file", rig.keyFile])).code).toBe(2);
    expect((await list()).map(({ root }) => root)).toEqual([rig.root]);
  });
});

describe("a linked folder stays usable", () => {
  test("moved: one line, once, and the list follows", async () => {
    await rig.init();
    renameSync(rig.root, at("moved"));
    const look = await rig.run(["diff", "moved"]);
    const line = `mdmirror: ${at("moved")} was ${rig.root} before; it is still one of your linked folders`;
    expect([look.code, look.err]).toEqual([0, [line]]);
    // A command that only reads has written nothing to the list.
    expect((await list()).map(({ root }) => root)).toEqual([rig.root]);
    expect(await rig.run(["sync", "moved"])).toMatchObject({ code: 0, err: [line] });
    expect(await rig.run(["sync", "moved"])).toMatchObject({ code: 0, err: [] });
    expect(await list()).toMatchObject([{ root: at("moved"), place: "present" }]);
  });

  test("I18 copied: the safety check asks once; then both are listed", async () => {
    await rig.init();
    cpSync(rig.root, at("copy"), { recursive: true });
    const { code, err } = await rig.run(["sync", "copy"]);
    expect([code, err[0]]).toEqual([4, expect.stringMatching(/^Stopped: .*\(root-moved-or-copied\)$/)]);
    expect((await rig.run(["approve", "copy", "--yes"])).code).toBe(0);
    expect(await rig.run(["sync", "copy"])).toMatchObject({ code: 0, err: [] });
    expect((await list()).map(({ root, place }) => [root, place])).toEqual([
      [at("copy"), "present"],
      [rig.root, "present"],
    ]);
    expect((await rig.run(["sync", "w"])).code).toBe(0);
  });

  describe("copied, the name stays with the folder that had it", () => {
    const named = async () => (await list()).map(({ root, name, place }) => [root, name, place]);

    beforeEach(async () => {
      await rig.init();
      cpSync(rig.root, at("copy"), { recursive: true });
      expect((await rig.run(["sync", "copy"])).code).toBe(4);
      renameSync(rig.root, at("moved"));
    });

    test("and means no copy while it is away", async () => {
      expect((await rig.run(["sync", "copy"])).code).toBe(4);
      expect(await named()).toContainEqual([rig.root, "w", "gone"]);
      expect((await rig.run(["status", "w"])).code).toBe(2);
    });

    test("until the user approves the copy while it is away", async () => {
      expect((await rig.run(["approve", "copy", "--yes"])).code).toBe(0);
      for (const _run of [1, 2]) expect((await rig.run(["sync", "copy"])).code).toBe(0);
      expect(await named()).toContainEqual([at("copy"), "w", "present"]);
    });
  });

  test("restored from a backup of an earlier linking: its older marker is still known", async () => {
    await rig.init();
    cpSync(rig.root, at("backup"), { recursive: true, preserveTimestamps: true });
    renameSync(rig.path(".mdmirror"), at("aside"));
    expect((await rig.init()).code).toBe(0);
    expect((await list()).map(({ root }) => root)).toEqual([rig.root]);
    rig.remove(".mdmirror");
    cpSync(at("backup/.mdmirror"), rig.path(".mdmirror"), { recursive: true, preserveTimestamps: true });
    expect(await rig.run(["sync", "w"])).toMatchObject({ code: 0, err: [] });
  });

  test("with its marker lost along with its state: the marker is rebuilt, and the folder known again", async () => {
    await rig.init();
    for (const file of ["marker", "state.db", "texts.db"]) rmSync(join(rig.root, ".mdmirror", file));
    expect((await rig.run(["sync", "w"])).code).toBe(0);
    renameSync(rig.root, at("moved"));
    expect((await rig.run(["sync", "moved"])).code).toBe(0);
  });

  test("without a list (lost, or a linked folder older than it): asked once, with a stored key too, then as before", async () => {
    await rig.init();
    rmSync(rig.stateHome, { recursive: true });
    const { code, out, err } = await rig.run(["sync", "w", "--quiet"]);
    expect(out).toEqual([]);
    expect(err).toEqual([
      `mdmirror: ${rig.root} is not in the list of your linked folders (${registry()}): 1 Markdown file would go to ${rig.url}, with the key in the folder itself; nothing was sent (untrusted)`,
      `  next: to allow it: mdmirror trust ${rig.root}`,
    ]);
    expect(code).toBe(2);
    expect((await rig.run(["trust", "w", "--yes"])).out.slice(-2)).toEqual([
      `trusted: ${rig.root} with ${rig.url}`,
      `next: mdmirror sync ${rig.root}`,
    ]);
    expect((await rig.run(["sync", "w"])).code).toBe(0);
  });

  test("without a list: init with the same --url is the user's word too", async () => {
    await rig.init();
    rmSync(rig.stateHome, { recursive: true });
    expect((await rig.run(["init", "w", "--key-file", rig.keyFile])).code).toBe(2);
    expect((await rig.run(["init", "w", "--url", `${rig.url}/`, "--key-file", rig.keyFile])).code).toBe(0);
    expect((await rig.run(["sync", "w"])).code).toBe(0);
  });

  test("with another address by --url or MDMIRROR_URL, which the user named: as before", async () => {
    await rig.init();
    rig.write(".mdmirror/config.json", JSON.stringify({ url: "https://files.example.org" }));
    expect((await rig.run(["sync", "w", "--url", rig.url])).code).toBe(0);
    expect((await rig.run(["sync", "w"], { env: { MDMIRROR_URL: rig.url } })).code).toBe(0);
    expect((await rig.run(["sync", "w"])).code).toBe(2);
    // A known address is not enough: mdmirror does not sync a foreign folder with the user's own
    // workspace.
    rmSync(rig.stateHome, { recursive: true });
    expect((await rig.run(["sync", "w", "--url", rig.url])).code).toBe(2);
  });

  test.skipIf(isRoot)("with a read-only list: a moved folder syncs, and says so (not as root)", async () => {
    await rig.init();
    renameSync(rig.root, at("moved"));
    chmodSync(registry(), 0o500);
    const { code, err } = await rig.run(["sync", "moved"]);
    chmodSync(registry(), 0o700);
    expect([code, err[1]]).toEqual([0, expect.stringContaining("cannot be written")]);
  });

  test("linked where no list can be written: one line, and nothing is linked", async () => {
    writeFileSync(rig.stateHome, "a file\n");
    const { code } = await rig.init();
    expect(code).toBe(2);
    expect(existsSync(rig.root)).toBe(false);
  });

  test("with a damaged entry: reported, asked once, and the entry is set aside", async () => {
    await rig.init();
    const [name] = readdirSync(registry());
    writeFileSync(join(registry(), name!), "{");
    expect((await rig.run(["sync", "w"])).err[0]).toContain(`because ${join(registry(), name!)} is damaged`);
    expect((await rig.run(["list"])).err[0]).toContain("is damaged");
    expect((await rig.run(["trust", "w", "--yes"])).err[0]).toContain(
      `was set aside as ${join(registry(), name!)}.damaged`,
    );
    expect((await rig.run(["sync", "w"])).code).toBe(0);
  });
});

describe("trust", () => {
  beforeEach(async () => {
    await rig.init();
    rmSync(rig.stateHome, { recursive: true });
  });

  test("shows folder, owner, address and key on a terminal, and asks", async () => {
    const no = await rig.run(["trust", "w"], { terminal: true, answers: ["n"] });
    expect([no.code, no.err[0]]).toEqual([2, "mdmirror: nothing was done"]);
    expect((await rig.run(["sync", "w"])).code).toBe(2);
    const yes = await rig.run(["trust", "w", "--name", "notes"], { terminal: true, answers: ["y"] });
    expect(yes.asked).toEqual(["send these documents and the key to this address? [y/N] "]);
    const facts = yes.out.join("\n");
    for (const fact of [rig.root, "1 Markdown file", "you (", `${rig.url}, with the key in the folder itself`])
      expect(facts).toContain(fact);
    expect([yes.code, (await rig.run(["sync", "w"])).code]).toEqual([0, 0]);
    expect((await list())[0]!.name).toBe("notes");
  });

  test("without a terminal and without --yes trusts nothing", async () => {
    const { code, err } = await rig.run(["trust", "w"]);
    expect([code, err[1]]).toEqual([2, `  next: to continue: mdmirror trust ${rig.root} --yes`]);
    expect((await rig.run(["sync", "w"])).code).toBe(2);
  });

  test("of a linked folder that is trusted says so, and gives it a name", async () => {
    await rig.run(["trust", "w", "--yes"]);
    expect((await rig.run(["trust", "w"])).out).toEqual([
      `${rig.root} is already a linked folder of yours, linked to ${rig.url}`,
    ]);
    expect((await rig.run(["trust", "w", "--name", "n"])).out).toEqual([`${rig.root} is called n`]);
    expect((await list())[0]!.name).toBe("n");
  });
});
