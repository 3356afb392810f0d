import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { openData } from "../../src/service/data.ts";
import { startHttp } from "../../src/service/http/server.ts";
import { openRig, type Rig, useRig } from "../cli/rig.ts";
import { NEWEST_SCHEMA, OLDEST_SCHEMA } from "../../src/service/store/sqlite/schema.ts";
import { STATE_SCHEMA, TEXTS_SCHEMA } from "../../src/mirror/state/schema.ts";
import { copyOf } from "../service/fixture.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/**
 * Fixtures of earlier programs: a linked folder, and the data of a service, which the present
 * program serves.
 */

const FIXTURES = new URL("../fixtures/upgrades/", import.meta.url);

/** Unpacks a fixture: `w` is the rig's linked folder, and `data` is served on a new port. */
async function unpack(rig: Rig, name: string) {
  const { status, stderr } = spawnSync("tar", ["-xzf", new URL(`${name}.tar.gz`, FIXTURES).pathname, "-C", rig.dir]);
  expect([status, String(stderr)]).toEqual([0, ""]);
  const data = await openData(join(rig.dir, "data"));
  const server = await startHttp(data.service);
  rig.beforeClose(() => server.close().then(() => data.close()));
  const config = JSON.parse(rig.read(".mdmirror/config.json")) as { url: string };
  rig.write(".mdmirror/config.json", JSON.stringify({ ...config, url: server.url }));
  const list = async () => {
    const headers = { "x-api-key": data.key };
    const { status: code, body } = await data.service.answer({
      method: "GET",
      path: "/v1/files?limit=1000",
      headers,
      body: null,
    });
    expect(code).toBe(200);
    const { data: files } = JSON.parse(body) as { data: { path: string; id: string; lastChangeId: string }[] };
    return files.map(({ path, id, lastChangeId }): [string, string, string] => [path, id, lastChangeId]);
  };
  return { data, list };
}

/** Returns the content of every local document. */
function documents(rig: Rig): Record<string, string> {
  const names = readdirSync(rig.root, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".md") && !name.startsWith(".mdmirror"),
  );
  return Object.fromEntries(names.toSorted().map((name) => [name, rig.read(name)]));
}

function versionOf(file: string): number {
  const db = new Sqlite(file, { readonly: true });
  const version = db.pragma("user_version", { simple: true }) as number;
  db.close();
  return version;
}

/**
 * Linked folders and services of earlier programs (`scripts/record-upgrades.ts`), opened by the
 * present one.
 */

const rig = useRig();

const own = (name: string) => join(rig.root, ".mdmirror", name);

describe.each(["678de31"])("written by the program of %s", (name) => {
  test("a folder and its service keep all content, send nothing again, and drop the copy with the first proof", async () => {
    const { list, data } = await unpack(rig, name);
    const service = new Sqlite(Buffer.from(await copyOf(data)).fill(1, 18, 20));
    expect(service.pragma("user_version", { simple: true })).toBe(NEWEST_SCHEMA);
    service.close();
    const before = { live: await list(), here: documents(rig), state: versionOf(own("state.db")) };
    expect(Object.keys(before.here).length).toBeGreaterThan(6);
    // The unpacked folder is a copy, which the user must trust once.
    expect((await rig.run(["trust", "w", "--yes"])).code).toBe(0);
    expect((await rig.run(["approve", "w", "--yes"])).code).toBe(0);
    expect((await rig.run(["sync", "w"])).code).toBe(3);
    expect([await list(), documents(rig)]).toEqual([before.live, before.here]);
    expect(versionOf(own("state.db"))).toEqual(STATE_SCHEMA.version);
    expect(versionOf(own("texts.db"))).toEqual(TEXTS_SCHEMA.version);
    const isOlder = before.state < STATE_SCHEMA.version;
    expect(existsSync(own("state.db.before"))).toBe(isOlder);
    if (isOlder) {
      expect(versionOf(own("state.db.before"))).toEqual(before.state);
      expect(statSync(own("state.db.before")).mode & 0o777).toBe(0o600);
    }
    // The history of the earlier program is complete: a version that neither side has can be
    // restored.
    const shown = await rig.run(["show", "w/plan.md@1"]);
    expect([shown.code, shown.out.join()]).toEqual([0, expect.stringContaining("two")]);
    expect((await rig.run(["resolve", "w/plan.md", "--mine"])).code).toBe(0);
    expect(await rig.run(["sync", "w"])).toMatchObject({ code: 0 });
    expect(existsSync(own("state.db.before"))).toBe(false);
    expect((await rig.run(["verify", "w"])).code).toBe(0);
    const kept = (await list()).map(([path, id]) => [path, id]);
    expect(kept).toEqual(before.live.map(([path, id]) => [path, id]));
  });
});

describe("another format", () => {
  const setVersion = (file: string, version: number) => {
    const db = new Sqlite(file);
    db.pragma(`user_version = ${version}`);
    db.close();
  };

  test.each(["state.db", "texts.db"])(
    "of %s is refused by every way to open it, with one sentence and 2",
    async (file) => {
      rig.write("a.md", "a\n");
      expect((await rig.init()).code).toBe(0);
      setVersion(own(file), versionOf(own(file)) + 1);
      const bytes = readFileSync(own(file)).toString("base64");
      const known = (file === "state.db" ? STATE_SCHEMA : TEXTS_SCHEMA).version;
      const what = `mdmirror: ${file} was written by a newer mdmirror (schema ${known + 1}, this one knows ${known}); nothing was changed`;
      for (const argv of [
        ["sync"],
        ["plan"],
        ["watch"],
        ["log"],
        ["init", "--gitignore"],
        ...(file === "state.db" ? [["status"]] : []),
      ]) {
        const { code, out, err } = await rig.run([...argv, "w"]);
        const lines = [what, expect.stringContaining("next: use the newer mdmirror")];
        expect([argv, code, out, err]).toEqual([argv, 2, [], lines]);
      }
      expect(readFileSync(own(file)).toString("base64")).toBe(bytes);
    },
  );

  test.each([
    ["state.db", "texts.db"],
    ["texts.db", "state.db"],
  ])("of %s is refused before %s, which is missing, is created", async (file, missing) => {
    rig.write("a.md", "a\n");
    expect((await rig.init()).code).toBe(0);
    setVersion(own(file), versionOf(own(file)) + 1);
    rmSync(own(missing));
    for (const argv of [["sync"], ["init", "--gitignore"]]) {
      const { code, out, err } = await rig.run([...argv, "w"]);
      expect([argv, code, out]).toEqual([argv, 2, []]);
      expect(err[0]).toContain(`${file} was written by a newer mdmirror`);
    }
    expect(existsSync(own(missing))).toBe(false);
  });

  test.each([
    ["newer", NEWEST_SCHEMA + 1, `${NEWEST_SCHEMA}`, "the newer mdmirror"],
    ["older", OLDEST_SCHEMA - 1, `${OLDEST_SCHEMA} to ${NEWEST_SCHEMA}`, "the mdmirror that wrote it"],
  ])(
    "of the service's data, if it is %s, is refused by serve, with one sentence and 2",
    async (age, version, known, next) => {
      const dir = temporaryFolder();
      await (await openData(dir)).close();
      setVersion(join(dir, "service.db"), version);
      const { code, err } = await rig.run(["serve", "--data", dir, "--port", "0"]);
      const which = age === "newer" ? "a newer" : "an older";
      expect(err).toEqual([
        `mdmirror: ${dir}: service.db was written by ${which} mdmirror (schema ${version}, this one knows ${known}); nothing was changed (${age}-data)`,
        `  next: use ${next}, or give another folder with --data`,
      ]);
      expect(code).toBe(2);
    },
  );

  test("of the list of folders is reported as such, and the folder is asked for again", async () => {
    rig.write("a.md", "a\n");
    expect((await rig.init()).code).toBe(0);
    const folder = join(rig.stateHome, "mdmirror/mirrors");
    const file = join(folder, readdirSync(folder)[0]!);
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), version: 2 }));
    expect((await rig.run(["sync", "w"])).err[0]).toContain("was written by a newer mdmirror");
  });
});

test("the service keeps its data as they were until a start finds nothing more to do", async () => {
  await unpack(rig, "678de31");
  const before = join(rig.dir, "data/service.db.before");
  expect([versionOf(before), statSync(before).mode & 0o777]).toEqual([OLDEST_SCHEMA, 0o600]);
});

/**
 * Free space. It runs out at texts.db, at the shared-memory file, during the copy of the old state,
 * and after the migration.
 */
const KILOBYTES = [4, 32, 96, 232];
const FULL = /^mdmirror: (.* cannot be used: )?the disk is full \((ENOSPC|SQLITE_FULL|SQLITE_IOERR_SHMSIZE)\)$/;

/** Mounts a small disk. Returns false if this user cannot mount. */
function mountSmall(rig: Rig): boolean {
  mkdirSync(rig.root);
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", rig.root]).status !== 0) return false;
  onTestFinished(() => void execFileSync("umount", [rig.root]));
  return true;
}

/** Fills the disk up to `bytes` of free space. Returns a function that frees the space again. */
function leaveFree(root: string, bytes: number): () => void {
  const filler = join(root, "filler");
  const { bavail, bsize } = statfsSync(root);
  writeFileSync(filler, Buffer.alloc(bavail * bsize - bytes));
  return () => rmSync(filler);
}

test("I06 on a full disk nothing is lost, one sentence says so, and with space it continues", async ({ skip }) => {
  const rig = await openRig();
  onTestFinished(() => rig.close());
  if (!mountSmall(rig)) return skip("no small disk can be mounted here");
  const { list } = await unpack(rig, "678de31");
  const state = rig.path(".mdmirror/state.db");
  const before = { live: await list(), here: documents(rig), version: versionOf(state) };
  const kept = join(rig.dir, "kept");
  execFileSync("cp", ["-a", rig.root, kept]);
  expect((await rig.run(["trust", "w", "--yes"])).code).toBe(0);
  const versions = new Set<number>();
  for (const kilobytes of KILOBYTES) {
    execFileSync("find", [rig.root, "-mindepth", "1", "-delete"]);
    execFileSync("cp", ["-a", `${kept}/.`, rig.root]);
    const free = leaveFree(rig.root, kilobytes * 1_024);
    const { code, err } = await rig.run(["approve", "w", "--yes"]);
    if (code !== 0) {
      expect([kilobytes, code, err[0]]).toEqual([kilobytes, 9, expect.stringMatching(FULL)]);
      expect(err.slice(1)).toEqual(["  next: nothing is lost: free some space, then run the command again"]);
    }
    expect([documents(rig), await list()]).toEqual([before.here, before.live]);
    free();
    versions.add(versionOf(state));
    expect((await rig.run(["approve", "w", "--yes"])).code).toBe(0);
    expect((await rig.run(["sync", "w"])).code).toBe(3);
    expect([documents(rig), await list(), versionOf(state)]).toEqual([before.here, before.live, STATE_SCHEMA.version]);
    // A version that neither side has any more.
    expect((await rig.run(["show", "w/plan.md@1"])).out.join()).toContain("two");
  }
  // The disk became full both before the migration and after it.
  expect([...versions]).toEqual([before.version, STATE_SCHEMA.version]);
});
