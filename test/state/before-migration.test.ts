import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, watch, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { keepBefore } from "../../src/mirror/state/before-migration.ts";
import { openForWriting } from "../../src/mirror/state/database.ts";
import type { Schema } from "../../src/mirror/state/schema.ts";
import { tempFolder } from "./fixture.ts";

/** What a migration keeps of before, whatever becomes of it. */

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
  expect(() => keepBefore(db, path)).toThrow(full);
  expect(readdirSync(dirname(path))).toEqual(["state.db"]);
  expect(readFileSync(path).toString("base64")).toBe(bytes);
});
