import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { openData } from "../../src/service/data.ts";
import { MIGRATIONS } from "../../src/service/store/sqlite/schema.ts";
import { STATE_SCHEMA, TEXTS_SCHEMA } from "../../src/mirror/state/schema.ts";
import { useRig } from "../cli/rig.ts";
import { documents, FIXTURES, unpack, versionOf } from "./unpack.ts";

/**
 * Mirrors and services as earlier programs wrote them (`scripts/record-upgrades.ts`), opened by
 * this one.
 */

const NAMES = readdirSync(FIXTURES).map((name) => name.replace(".tar.gz", ""));

const rig = useRig();

const own = (name: string) => join(rig.root, ".mdmirror", name);

test("has services of several formats", () => {
  expect(NAMES.length).toBeGreaterThanOrEqual(8);
});

test.each(NAMES)("a service written by the program of %s keeps all documents", async (name) => {
  const { list, data } = await unpack(rig, name);
  expect((await list()).length).toBeGreaterThan(6);
  const service = new Sqlite(Buffer.from(await data.service.copy()).fill(1, 18, 20));
  expect(service.pragma("user_version", { simple: true })).toBe(MIGRATIONS.length);
  service.close();
});

describe.each(["678de31"])("written by the program of %s", (name) => {
  test("a folder and its service keep all content, send nothing again, and drop the copy with the first proof", async () => {
    const { list } = await unpack(rig, name);
    const before = { live: await list(), here: documents(rig), state: versionOf(own("state.db")) };
    expect(Object.keys(before.here).length).toBeGreaterThan(6);
    // Unpacked it is a copy of the folder that it was, which is asked once.
    expect((await rig.run(["trust", "w", "--yes"])).code).toBe(0);
    expect((await rig.run(["approve", "w", "--yes"])).code).toBe(0);
    expect((await rig.run(["sync", "w"])).code).toBe(3);
    expect([await list(), documents(rig)]).toEqual([before.live, before.here]);
    expect([versionOf(own("state.db")), versionOf(own("texts.db"))]).toEqual([
      STATE_SCHEMA.version,
      TEXTS_SCHEMA.version,
    ]);
    const isOlder = before.state < STATE_SCHEMA.version;
    expect(existsSync(own("state.db.before"))).toBe(isOlder);
    if (isOlder) {
      expect([versionOf(own("state.db.before")), statSync(own("state.db.before")).mode & 0o777]).toEqual([
        before.state,
        0o600,
      ]);
    }
    // The old history is complete: content that neither side has any more can be restored.
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

describe("a newer format", () => {
  const raise = (file: string) => {
    const db = new Sqlite(file);
    db.pragma(`user_version = ${(db.pragma("user_version", { simple: true }) as number) + 1}`);
    db.close();
  };

  test.each(["state.db", "texts.db"])(
    "of %s is refused by every way to open it, with one sentence and 2",
    async (file) => {
      rig.write("a.md", "a\n");
      expect((await rig.init()).code).toBe(0);
      raise(own(file));
      const bytes = readFileSync(own(file)).toString("base64");
      const known = (file === "state.db" ? STATE_SCHEMA : TEXTS_SCHEMA).version;
      const what = `mdmirror: ${file} was written by a newer mdmirror (schema ${known + 1}, this one knows ${known}); nothing was changed`;
      for (const argv of [["sync"], ["plan"], ["watch"], ["log"], ...(file === "state.db" ? [["status"]] : [])]) {
        const { code, err } = await rig.run([...argv, "w"]);
        expect([argv, code, err]).toEqual([argv, 2, [what, expect.stringContaining("next: use the newer mdmirror")]]);
      }
      expect(readFileSync(own(file)).toString("base64")).toBe(bytes);
    },
  );

  test("of the service's data is refused by serve, with one sentence and 2", async () => {
    const dir = mkdtempSync(join(tmpdir(), "mdmirror-newer-"));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    await (await openData(dir)).close();
    raise(join(dir, "service.db"));
    const { code, err } = await rig.run(["serve", "--data", dir, "--port", "0"]);
    const known = MIGRATIONS.length;
    expect([code, err]).toEqual([
      2,
      [
        `mdmirror: ${dir}: service.db was written by a newer mdmirror (schema ${known + 1}, this one knows ${known}); nothing was changed (newer-data)`,
        "  next: use the newer mdmirror, or give another folder with --data",
      ],
    ]);
  });

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
  await unpack(rig, "bdbfa60");
  const before = join(rig.dir, "data/service.db.before");
  expect([versionOf(before), statSync(before).mode & 0o777]).toEqual([1, 0o600]);
});
