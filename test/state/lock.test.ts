import { existsSync, statSync, writeFileSync, readdirSync, readFileSync, watch } from "node:fs";
import { join, dirname } from "node:path";
import { expect, test } from "vitest";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import Sqlite from "better-sqlite3";
import { acquireLock } from "../../src/mirror/state/lock.ts";
import { keepCopyBeforeMigration } from "../../src/mirror/state/before-migration.ts";
import { openForWriting } from "../../src/mirror/state/database.ts";
import type { Schema } from "../../src/mirror/state/schema.ts";
import { openState } from "../../src/mirror/state/open.ts";
import { ended, nextLine, startChild, tempFolder, change, doc, opened, settableClock } from "./fixture.ts";

const me = { since: 5, what: "sync" };

test("a second taker in the same process is refused immediately, and learns who has the lock", () => {
  const folder = tempFolder();
  const first = acquireLock(folder, me);
  expect(first.kind).toBe("locked");
  expect(acquireLock(folder, me)).toEqual({ kind: "busy", holder: { pid: process.pid, ...me } });
  expect(acquireLock(folder, me).kind, "a refused taker takes nothing away").toBe("busy");
  if (first.kind === "locked") first.release();
});

test("a released lock is free, and releasing twice does no harm to the next holder", () => {
  const folder = tempFolder();
  const first = acquireLock(folder, me);
  if (first.kind !== "locked") throw new Error("busy");
  first.release();
  expect(existsSync(join(folder, "lock.json"))).toBe(false);
  const second = acquireLock(folder, me);
  expect(second.kind).toBe("locked");
  first.release();
  expect(acquireLock(folder, me)).toEqual({ kind: "busy", holder: { pid: process.pid, ...me } });
  if (second.kind === "locked") second.release();
});

test("I13 another process is refused, and kill -9 of the holder frees it", async () => {
  const folder = tempFolder();
  const { child, lines } = startChild("lock", folder);
  expect(await nextLine(lines)).toBe("locked");
  expect(acquireLock(folder, me)).toEqual({ kind: "busy", holder: { pid: child.pid, since: 7, what: "watch" } });
  child.kill("SIGKILL");
  await ended(child);
  const mine = acquireLock(folder, me);
  expect(mine.kind).toBe("locked");
  const other = startChild("lock", folder);
  expect(await nextLine(other.lines)).toBe("busy");
  if (mine.kind === "locked") mine.release();
});

test("a holder whose facts cannot be read is null", () => {
  const folder = tempFolder();
  const lock = acquireLock(folder, me);
  for (const facts of ["{", "null", '{"pid":"1"}']) {
    writeFileSync(join(folder, "lock.json"), facts);
    expect(acquireLock(folder, me)).toEqual({ kind: "busy", holder: null });
  }
  if (lock.kind === "locked") lock.release();
});

test("its files are for the owner alone", () => {
  const folder = tempFolder();
  const lock = acquireLock(folder, me);
  for (const file of ["lock.db", "lock.json"]) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  if (lock.kind === "locked") lock.release();
});

test("a folder that is not there is an exception, not a busy lock", () => {
  expect(() => acquireLock(join(tempFolder(), "none"), me)).toThrow("ENOENT");
});

test("a lock file that is no database any more is a lock again", async () => {
  const folders = ["noise", "noise ".repeat(2_000), "SQLite format 3\0".padEnd(8_192, "x")].map((noise) => {
    const folder = tempFolder();
    writeFileSync(join(folder, "lock.db"), noise);
    return folder;
  });
  const mine = folders.map((folder) => acquireLock(folder, me));
  expect(mine.map(({ kind }) => kind)).toEqual(["locked", "locked", "locked"]);
  const { lines } = startChild("lock", ...folders);
  for (const folder of folders) expect([folder, await nextLine(lines)]).toEqual([folder, "busy"]);
  for (const lock of mine) if (lock.kind === "locked") lock.release();
});

test("a lock whose file is damaged stays locked", async () => {
  const folder = tempFolder();
  const { child, lines } = startChild("lock", folder);
  expect(await nextLine(lines)).toBe("locked");
  writeFileSync(join(folder, "lock.db"), "noise ".repeat(2_000));
  expect(acquireLock(folder, me).kind).toBe("busy");
  child.kill("SIGKILL");
  await ended(child);
  const mine = acquireLock(folder, me);
  expect(mine.kind).toBe("locked");
  if (mine.kind === "locked") mine.release();
});

/** @param upgrade from version 1 to 2; left out: version 1 is the newest */
const schema = (upgrade?: string): Schema => ({
  file: "state.db",
  applicationId: 5,
  version: upgrade === undefined ? 1 : 2,
  tables: FIRST,
  upgrades: upgrade === undefined ? {} : { 1: upgrade },
});
const FIRST = "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3);";
/** Some seconds of work in one transaction, larger than any cache. */
const LONG =
  "CREATE TABLE long AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000000) SELECT i, hex(randomblob(50)) AS x FROM n;";

function made(): string {
  const path = join(tempFolder(), "state.db");
  const opened = openForWriting(path, schema());
  if (opened.kind !== "opened") throw new Error(opened.kind);
  opened.db.close();
  return path;
}

function rowsOf(path: string): [version: number, rows: number] {
  const db = new Sqlite(path, { readonly: true });
  const found: [number, number] = [
    db.pragma("user_version", { simple: true }) as number,
    db.prepare("SELECT count(*) FROM t").pluck().get() as number,
  ];
  db.close();
  return found;
}

test("a file that is created, or needs no migration, leaves no copy; a migrated file leaves the previous file", () => {
  const path = made();
  const open = (upgrade?: string) => {
    const opened = openForWriting(path, schema(upgrade));
    if (opened.kind === "opened") opened.db.close();
    return opened.kind;
  };
  expect([open(), existsSync(`${path}.before`)]).toEqual(["opened", false]);
  expect([open("DELETE FROM t"), rowsOf(path), rowsOf(`${path}.before`)]).toEqual(["opened", [2, 0], [1, 3]]);
});

test("a copy that was cut off is made again", () => {
  const path = made();
  writeFileSync(`${path}.before.new`, "half a copy");
  const opened = openForWriting(path, schema("DELETE FROM t"));
  if (opened.kind === "opened") opened.db.close();
  expect([opened.kind, rowsOf(`${path}.before`), existsSync(`${path}.before.new`)]).toEqual(["opened", [1, 3], false]);
});

test("I13 killed in the middle of a migration, the file is as it was, and so is its copy", async () => {
  const path = made();
  const database = fileURLToPath(new URL("../../src/mirror/state/database.ts", import.meta.url));
  const child = spawn(process.execPath, [
    "--input-type=module",
    "--eval",
    `import { openForWriting } from ${JSON.stringify(database)};
     process.stdout.write("begins\\n");
     openForWriting(${JSON.stringify(path)}, ${JSON.stringify(schema(LONG))});
     process.stdout.write("ended\\n");`,
  ]);
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => {
    said += chunk.toString("utf8");
  });
  // It is in the transaction when pages of it lie in the journal.
  const isUnderWay = () => existsSync(`${path}.before`) && readdirSync(dirname(path)).includes("state.db-wal");
  const looking = watch(dirname(path));
  while (!isUnderWay()) await once(looking, "change");
  looking.close();
  child.kill("SIGKILL");
  await once(child, "close");
  expect(said).toBe("begins\n");
  expect([rowsOf(`${path}.before`)]).toEqual([[1, 3]]);
  const again = openForWriting(path, schema());
  if (again.kind !== "opened") throw new Error(again.kind);
  again.db.close();
  expect(rowsOf(path)).toEqual([1, 3]);
}, 90_000);

test("a disk that has no space for the copy is reported, and nothing is changed", () => {
  const path = made();
  const bytes = readFileSync(path).toString("base64");
  const full = Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
  const db = {
    prepare: () => ({
      run: () => {
        throw full;
      },
    }),
  } as unknown as Sqlite.Database;
  expect(() => keepCopyBeforeMigration(db, path)).toThrow(full);
  expect(readdirSync(dirname(path))).toEqual(["state.db"]);
  expect(readFileSync(path).toString("base64")).toBe(bytes);
});

test.each([1, 40, 700])("I13 kill -9 after %i transactions: each one is whole, with its content", async (count) => {
  const folder = tempFolder();
  const { child, lines } = startChild("write", folder);
  let last = -1;
  while (last < count) last = Number(await nextLine(lines));
  child.kill("SIGKILL");
  await ended(child);
  for (let line = await lines.next(); line.done !== true; line = await lines.next()) last = Number(line.value);

  const state = opened(openState({ folder, clock: settableClock() }));
  const { records } = state.load();
  expect(records.size).toBeGreaterThan(last);
  for (let n = 0; n < records.size; n++) {
    const record = records.get(doc(n));
    expect(record?.changeId).toBe(change(n));
    expect(state.text(record!.digest)).toBe(`text number ${n} `.repeat(40));
    expect(state.versions(doc(n))).toHaveLength(1);
  }
  expect(state.missingTexts()).toEqual([]);
  state.close();
});
