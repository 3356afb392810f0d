import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import type { ShownVersion } from "../../src/mirror/model/record.ts";
import { openForWriting } from "../../src/mirror/state/database.ts";
import { openState } from "../../src/mirror/state/open.ts";
import { type DatabaseSchema, STATE_SCHEMA, TEXTS_SCHEMA } from "../../src/mirror/state/schema.ts";
import {
  change,
  conflictOf,
  dir,
  dirOf,
  doc,
  eventOf,
  blockOf,
  recordOf,
  openDb,
  openIn,
  opened,
  SettableClock,
  textDigest,
  tombstoneOf,
} from "./fixture.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** Unpacks the state that version 6 wrote. Tests never write the fixture itself. */
function folderOfVersion6(add: (db: Sqlite.Database) => void = () => undefined): string {
  const folder = temporaryFolder();
  const db = new Sqlite(join(folder, "state.db"));
  db.exec(readFileSync(fileURLToPath(new URL("fixtures/state-v6.sql", import.meta.url)), "utf8"));
  add(db);
  db.close();
  // Without its contents, the state would count as damaged.
  const texts = openDb(join(folder, TEXTS_SCHEMA.file), TEXTS_SCHEMA);
  texts.pragma("journal_mode = DELETE");
  texts.close();
  return folder;
}

test("a state of version 6 opens with all its rows, at the newest version", () => {
  const folder = folderOfVersion6();
  const state = openIn(folder);
  const [digest, short] = [textDigest("a line of some text\n".repeat(30)), textDigest("short\n")];
  const full = recordOf("full", {
    ...{ digest: short, localDigest: digest, stamp: null, protected: true, echoDigest: digest, state: "suspended" },
    submissions: [{ digest, baseChangeId: change("x"), at: 9.5 }],
  });
  const { conflicts, ...others } = state.load();
  expect(others).toEqual({
    records: new Map([
      [doc("plain"), recordOf("plain", { digest })],
      [doc("full"), full],
    ]),
    dirs: new Map([[dir("notes"), dirOf("notes")]]),
    tombstones: new Map([[doc("gone"), tombstoneOf("gone")]]),
    blocks: new Map([["doc_full", blockOf("doc_full")]]),
  });
  expect(conflicts.size).toBe(4);
  expect(state.intents()).toHaveLength(1);
  expect(state.versions(doc("plain"))).toHaveLength(1);
  expect(state.meta("marker")).toBe("abc");
  expect(state.runs(9)).toEqual([{ run: 1, kind: "sync", startedAt: 10, endedAt: 20, summary: "in sync" }]);
  expect(state.events({ limit: 9 })).toEqual([eventOf()]);
  const remoteMove = { from: "a.md", to: "b.md" };
  state.recordEvent(eventOf({ at: 103, kind: "rename-remote", remoteMove }));
  expect(state.events({ limit: 9 }).map((event) => event.remoteMove)).toEqual([remoteMove, null]);
  expect(JSON.parse(state.meta("losses.lately")!)).toEqual({ after: 1, marks: [] });
  state.close();
  const db = new Sqlite(join(folder, "state.db"));
  expect(db.pragma("user_version", { simple: true })).toBe(STATE_SCHEMA.version);
  expect(db.pragma("application_id", { simple: true })).toBe(STATE_SCHEMA.applicationId);
  db.close();
});

test("an upgraded file has the tables and columns of a new one", () => {
  const upgraded = folderOfVersion6();
  openIn(upgraded).close();
  const created = temporaryFolder();
  openIn(created).close();
  const shapeOf = (folder: string) => {
    const db = new Sqlite(join(folder, "state.db"), { readonly: true });
    const columns = db.prepare(
      `SELECT m.name, c.name, c.type, c."notnull", c.pk FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
       WHERE m.name NOT LIKE 'sqlite%' ORDER BY 1, 2`,
    );
    const indexes = db.prepare("SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name");
    const shape = [columns.raw().all(), indexes.raw().all()];
    db.close();
    return shape;
  };
  expect(shapeOf(upgraded)).toEqual(shapeOf(created));
});

function shown(name: string, ino: number): ShownVersion[] {
  return [{ changeId: change(name), digest: textDigest(name), ino, dev: 2049 }];
}

/** In version 6, one conflict copy showed several versions, one after the other. */
test("a conflict of version 6 is on record with the version that its copy shows", () => {
  const state = openIn(folderOfVersion6());
  const conflicts = [...state.load().conflicts.values()];
  expect(conflicts.map(({ id, shown: versions }) => [id, versions])).toEqual([
    [doc("plain"), shown("first", 11)],
    [doc("renewed"), shown("second", 2 ** 60)],
    [doc("edited"), shown("second", 12)],
    [doc("replaced"), shown("second", 0)],
  ]);
  const base = { baseDigest: textDigest("base"), baseChangeId: change("base"), looksGone: 1, since: 4 };
  expect(conflicts[0]).toEqual(conflictOf("plain", { ...base, shown: shown("first", 11) }));
});

test("the codes of version 6 become the plain words, and paths that are spelled like codes stay", () => {
  const digest = textDigest("writes");
  const reasons = ["review-quiet", "holds-nul", "folder-held", "second-look", "delete-waits", "refused"];
  const folder = folderOfVersion6((db) => {
    db.exec("DELETE FROM events; DELETE FROM holds; DELETE FROM intents");
    const event =
      "INSERT INTO events (run, at, kind, side, path, detail, outcome, code) VALUES (1, 1, ?, 'local', ?, '', ?, ?)";
    db.prepare(event).run("halt", "halted", "halted", null);
    db.prepare(event).run("move-sidecar", "a (theirs).md", "done", "review-quiet");
    const block = "INSERT INTO holds (key, path, reason, detail, since) VALUES (?, ?, ?, '', 1)";
    for (const reason of reasons) db.prepare(block).run(reason, `${reason}.md`, reason);
    const copy = JSON.stringify({ kind: "sidecar", id: doc("a"), path: "parked", writes: digest });
    db.prepare("INSERT INTO intents (run, intent) VALUES (1, ?)").run(copy);
    db.prepare("INSERT INTO runs (kind, started_at, summary) VALUES ('sync', 1, ?)").run(
      JSON.stringify({ state: "halted", counts: { holds: 2 } }),
    );
    const meta = db.prepare("INSERT INTO meta (key, value) VALUES (?, ?)");
    meta.run("halt", JSON.stringify({ hash: "x", reasons: [{ reason: "sidecars-gone", detail: "halt" }] }));
    meta.run("approved", JSON.stringify(["sidecars-gone"]));
    meta.run(
      "last.report",
      JSON.stringify({ beside: [{ kind: "holds-nul", path: "held" }], staysLocal: { sidecar: 1 } }),
    );
  });
  const state = openIn(folder);
  expect(state.events({ limit: 9 }).map(({ kind, path, outcome, code }) => [kind, path, outcome, code])).toEqual([
    ["move-conflict-copy", "a (theirs).md", "done", "review-delayed"],
    ["safety-stop", "halted", "stopped", null],
  ]);
  expect([...state.load().blocks.values()].map(({ key, reason }) => [key, reason])).toEqual([
    ["review-quiet", "review-delayed"],
    ["holds-nul", "contains-nul"],
    ["folder-held", "folder-blocked"],
    ["second-look", "second-scan"],
    ["delete-waits", "delete-pending"],
    ["refused", "refused"],
  ]);
  expect(state.intents().map(({ intent }) => intent)).toEqual([
    { kind: "conflict-copy", id: doc("a"), path: "parked", writes: digest },
  ]);
  expect(JSON.parse(state.runs(1)[0]!.summary!)).toEqual({ state: "stopped", counts: { blocked: 2 } });
  const kept = (key: string): unknown => JSON.parse(state.meta(key)!);
  expect(state.meta("halt")).toBeNull();
  expect(kept("safety-stop")).toEqual({ hash: "x", reasons: [{ reason: "conflict-copies-gone", detail: "halt" }] });
  expect(kept("approved")).toEqual(["conflict-copies-gone"]);
  expect(kept("last.report")).toEqual({
    beside: [{ kind: "contains-nul", path: "held" }],
    staysLocal: { "conflict-copy": 1 },
  });
});

test("rows of the journal get the members that version 6 did not write, under the present names", () => {
  const digest = textDigest("a");
  const file = { path: '"parkAt":.md', writes: digest, baseChangeId: null, baseDigest: null };
  const parkAt = "tmp/park-1";
  const put = { kind: "put", id: doc("a"), localPath: "a.md", baseChangeId: change("a"), baseDigest: digest, digest };
  const rows = [
    { ...put, review: false },
    { ...put, review: true, why: "edited locally", stampTrusted: true },
    { kind: "post", localPath: "a.md", remotePath: "a.md", digest },
    { kind: "patch", id: doc("a"), from: "a.md", to: "b.md" },
    { kind: "patch-folder", dirId: dir("a"), from: "a", to: "b" },
    { kind: "replace", id: doc("a"), ...file, parkAt, expect: null, nextChangeId: change("b"), nextDigest: digest },
    { kind: "replace", id: doc("a"), ...file, parkAt, expect: digest },
  ];
  const folder = folderOfVersion6((db) => {
    const insert = db.prepare("INSERT INTO intents (run, intent) VALUES (1, ?)");
    for (const row of rows) insert.run(JSON.stringify(row));
    db.prepare("INSERT INTO dirs VALUES (?, 'here', 'a', 1, 1, 1)").run(dir("a"));
  });
  const state = openIn(folder);
  const why = expect.any(String) as string;
  const event = { kind: "recover", side: "local", id: doc("a"), path: file.path, after: digest };
  const replace = { kind: "replace", id: doc("a"), ...file, setAsideAt: parkAt };
  expect(
    state
      .intents()
      .map(({ intent }) => intent)
      .slice(1),
  ).toMatchObject([
    { ...rows[0], why, stamp: null, stampTrusted: false },
    { ...rows[1], why: "edited locally", stamp: null, stampTrusted: true },
    { ...rows[2], why, stamp: null, stampTrusted: false, replaces: null },
    { ...rows[3], why, lastLocalPath: "a.md" },
    { ...rows[4], why, lastLocalPath: "here" },
    { ...replace, expect: null, event: { ...event, before: null } },
    { ...replace, expect: digest, event: { ...event, before: digest } },
  ]);
  state.close();
});

test("a state of version 15 opens with the present words for manual runs and rows of the journal", () => {
  const folder = temporaryFolder();
  openIn(folder).close();
  const move = { kind: "patch", id: doc("a"), from: "a.md", to: "stands.md", why: "renamed", temporary: false };
  const db = new Sqlite(join(folder, "state.db"));
  db.pragma("user_version = 15");
  const intent = db.prepare("INSERT INTO intents (run, intent) VALUES (1, ?)");
  intent.run(JSON.stringify({ ...move, stands: "old/a.md" }));
  intent.run(JSON.stringify({ kind: "trash", id: doc("b"), path: "b.md", setAsideAt: "tmp/b", why: '"stands":' }));
  const run = db.prepare("INSERT INTO runs (kind, started_at, ended_at, summary) VALUES (?, 1, 2, ?)");
  run.run("resolve", JSON.stringify({ state: "by-hand", counts: { trash: 1 } }));
  run.run("sync", JSON.stringify({ state: "in-sync", counts: {} }));
  db.close();
  const state = openIn(folder);
  expect(state.intents().map((row) => row.intent)).toEqual([
    { ...move, lastLocalPath: "old/a.md" },
    { kind: "trash", id: doc("b"), path: "b.md", setAsideAt: "tmp/b", why: '"stands":' },
  ]);
  expect(state.runs(2).map(({ summary }) => JSON.parse(summary!))).toEqual([
    { state: "in-sync", counts: {} },
    { state: "manual", counts: { trash: 1 } },
  ]);
  state.close();
});

test("I23 read-only, a state of version 6 shows all its rows at the newest version, and its files stay as they are", () => {
  const folder = folderOfVersion6();
  const bytes = () => readdirSync(folder).map((file) => [file, readFileSync(join(folder, file)).toString("base64")]);
  const before = bytes();
  const reader = opened(openState({ folder, clock: new SettableClock(), readOnly: true }));
  expect([...reader.load().records.keys()]).toEqual([doc("plain"), doc("full")]);
  expect(reader.load().blocks.get("doc_full")).toEqual(blockOf("doc_full"));
  expect(reader.events({ limit: 9 }).map(({ from }) => from)).toEqual([null]);
  expect(() => reader.removeRecord(doc("plain"))).toThrow("readonly");
  reader.close();
  expect(bytes()).toEqual(before);
});

test("read-only, what an older program is still writing is seen up to its last commit", () => {
  const folder = folderOfVersion6();
  const writer = new Sqlite(join(folder, "state.db"));
  writer.pragma("journal_mode = WAL");
  writer.prepare("DELETE FROM holds").run();
  const reader = opened(openState({ folder, clock: new SettableClock(), readOnly: true }));
  expect(reader.load().blocks.size).toBe(0);
  expect(reader.load().records.size).toBe(2);
  reader.close();
});

const FIRST = { file: "state.db", applicationId: 5, version: 1, tables: "CREATE TABLE t (a)", upgrades: {} } as const;

/** Returns a later version of the schema FIRST with that upgrade. */
function secondOf(upgrade: string): DatabaseSchema {
  return { ...FIRST, version: 2, tables: "CREATE TABLE t (a, b)", upgrades: { 1: upgrade } };
}

test("a file is created with the newest tables, and an older one is upgraded once", () => {
  const second = secondOf("ALTER TABLE t ADD COLUMN b; INSERT INTO t VALUES (1, 2)");
  const [older, newer] = [join(temporaryFolder(), "state.db"), join(temporaryFolder(), "state.db")];
  const rows = [
    [older, FIRST] as const,
    [older, second] as const,
    [older, second] as const,
    [newer, second] as const,
  ].map(([path, schema]) => {
    const db = openDb(path, schema);
    const found = db.prepare("SELECT * FROM t").raw().all();
    db.close();
    return found;
  });
  expect(rows).toEqual([[], [[1, 2]], [[1, 2]], []]);
});

test("a file of a version without an upgrade counts as damaged, and stays as it is", () => {
  const path = join(temporaryFolder(), "state.db");
  openDb(path, FIRST).close();
  const bytes = readFileSync(path).toString("base64");
  expect(openForWriting(path, { ...secondOf(""), version: 3, upgrades: { 2: "" } })).toMatchObject({ kind: "damaged" });
  expect(readFileSync(path).toString("base64")).toBe(bytes);
});

function pages(path: string, pageSize?: number) {
  const schema = { ...FIRST, file: "texts.db" } as const;
  const db = openDb(path, pageSize === undefined ? schema : { ...schema, pageSize });
  const ask = (pragma: string) => db.pragma(pragma, { simple: true }) as number;
  const size = ask("page_size");
  const wal = [ask("wal_autocheckpoint") * size, ask("journal_size_limit")];
  db.close();
  return [size, ...wal];
}

test("a file that is made has pages of its schema's size, an existing one keeps its own, and the WAL of each is written back at as many bytes, and kept at a quarter of them", () => {
  const [small, large] = [join(temporaryFolder(), "texts.db"), join(temporaryFolder(), "texts.db")];
  const wal = [64 * 1024 * 1024, 16 * 1024 * 1024];
  expect(pages(small)).toEqual([4_096, ...wal]);
  expect(pages(small, 16_384)).toEqual([4_096, ...wal]);
  expect(pages(large, 16_384)).toEqual([16_384, ...wal]);
});

test("an upgrade that fails leaves the file at its version", () => {
  const path = join(temporaryFolder(), "state.db");
  const open = (schema: DatabaseSchema) => {
    const db = openDb(path, schema);
    const count = db.prepare("SELECT count(*) FROM t").pluck().get();
    db.close();
    return count;
  };
  open(FIRST);
  expect(() => open(secondOf("INSERT INTO t VALUES (1); INSERT INTO none VALUES (1)"))).toThrow("none");
  expect(open(FIRST)).toBe(0);
});
