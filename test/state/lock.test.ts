import { existsSync, statSync, writeFileSync, readdirSync, readFileSync, watch } from "node:fs";
import { join, dirname } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import Sqlite from "better-sqlite3";
import { acquireLock } from "../../src/mirror/state/lock.ts";
import { keepCopyBeforeMigration } from "../../src/mirror/state/database.ts";
import type { DatabaseSchema } from "../../src/mirror/state/schema.ts";
import { openState } from "../../src/mirror/state/open.ts";
import { ended, nextLine, startChild, change, doc, openDb, opened, SettableClock } from "./fixture.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const me = { since: 5, what: "sync" };

/** Expects that the lock is free. Takes it until it is released or the test ends. */
function take(folder: string): { readonly release: () => void } {
  const lock = acquireLock(folder, me);
  if (lock.kind !== "locked") throw new Error(lock.kind);
  onTestFinished(lock.release);
  return lock;
}

test("a second caller in the same process is refused immediately, and learns who has the lock", () => {
  const folder = temporaryFolder();
  take(folder);
  expect(acquireLock(folder, me)).toEqual({ kind: "busy", holder: { pid: process.pid, ...me } });
  expect(acquireLock(folder, me).kind, "a refused taker takes nothing away").toBe("busy");
});

test("a released lock is free, and releasing twice does no harm to the next holder", () => {
  const folder = temporaryFolder();
  const first = take(folder);
  first.release();
  expect(existsSync(join(folder, "lock.json"))).toBe(false);
  take(folder);
  first.release();
  expect(acquireLock(folder, me)).toEqual({ kind: "busy", holder: { pid: process.pid, ...me } });
});

test("I13 another process is refused, and kill -9 of the holder frees it", async () => {
  const folder = temporaryFolder();
  const { child, lines } = startChild("lock", folder);
  expect(await nextLine(lines)).toBe("locked");
  expect(acquireLock(folder, me)).toEqual({ kind: "busy", holder: { pid: child.pid, since: 7, what: "watch" } });
  child.kill("SIGKILL");
  await ended(child);
  take(folder);
  expect(await nextLine(startChild("lock", folder).lines)).toBe("busy");
});

test("a holder whose facts cannot be read is null", () => {
  const folder = temporaryFolder();
  take(folder);
  for (const facts of ["{", "null", '{"pid":"1"}']) {
    writeFileSync(join(folder, "lock.json"), facts);
    expect(acquireLock(folder, me)).toEqual({ kind: "busy", holder: null });
  }
});

test("its files are for the owner alone", () => {
  const folder = temporaryFolder();
  take(folder);
  for (const file of ["lock.db", "lock.json"]) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
});

test("a missing folder is an exception, not a busy lock", () => {
  expect(() => acquireLock(join(temporaryFolder(), "none"), me)).toThrow("ENOENT");
});

test("a lock file that is no database any more is a lock again", async () => {
  const folders = ["noise", "noise ".repeat(2_000), "SQLite format 3\0".padEnd(8_192, "x")].map((noise) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "lock.db"), noise);
    return folder;
  });
  for (const folder of folders) take(folder);
  const { lines } = startChild("lock", ...folders);
  for (const folder of folders) expect([folder, await nextLine(lines)]).toEqual([folder, "busy"]);
});

test("a lock whose file is damaged stays locked", async () => {
  const folder = temporaryFolder();
  const { child, lines } = startChild("lock", folder);
  expect(await nextLine(lines)).toBe("locked");
  writeFileSync(join(folder, "lock.db"), "noise ".repeat(2_000));
  expect(acquireLock(folder, me).kind).toBe("busy");
  child.kill("SIGKILL");
  await ended(child);
  take(folder);
});

/** @param upgrade SQL from version 1 to 2; undefined: version 1 is the newest */
const schema = (upgrade?: string): DatabaseSchema => ({
  file: "state.db",
  applicationId: 5,
  version: upgrade === undefined ? 1 : 2,
  tables: FIRST,
  upgrades: upgrade === undefined ? {} : { 1: upgrade },
});
const FIRST = "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3);";
/** SQL of one transaction that takes some seconds and does not fit into any cache. */
const LONG =
  "CREATE TABLE long AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000000) SELECT i, hex(randomblob(50)) AS x FROM n;";

function made(): string {
  const path = join(temporaryFolder(), "state.db");
  openDb(path, schema()).close();
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
    openDb(path, schema(upgrade)).close();
    return existsSync(`${path}.before`);
  };
  expect(open()).toBe(false);
  expect([open("DELETE FROM t"), rowsOf(path), rowsOf(`${path}.before`)]).toEqual([true, [2, 0], [1, 3]]);
});

test("a copy that was cut off is made again", () => {
  const path = made();
  writeFileSync(`${path}.before.new`, "half a copy");
  openDb(path, schema("DELETE FROM t")).close();
  expect([rowsOf(`${path}.before`), existsSync(`${path}.before.new`)]).toEqual([[1, 3], false]);
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
  // Once the WAL exists, the migration's transaction has written pages.
  const isUnderWay = () => existsSync(`${path}.before`) && readdirSync(dirname(path)).includes("state.db-wal");
  const looking = watch(dirname(path));
  while (!isUnderWay()) await once(looking, "change");
  looking.close();
  child.kill("SIGKILL");
  await once(child, "close");
  expect(said).toBe("begins\n");
  expect([rowsOf(`${path}.before`)]).toEqual([[1, 3]]);
  openDb(path, schema()).close();
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
  const folder = temporaryFolder();
  const { child, lines } = startChild("write", folder);
  let last = -1;
  while (last < count) last = Number(await nextLine(lines));
  child.kill("SIGKILL");
  await ended(child);
  for (let line = await lines.next(); line.done !== true; line = await lines.next()) last = Number(line.value);

  const state = opened(openState({ folder, clock: new SettableClock() }));
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
