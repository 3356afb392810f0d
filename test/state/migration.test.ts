import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import type { ShownVersion } from "../../src/mirror/model/link.ts";
import { openForWriting } from "../../src/mirror/state/database.ts";
import { openState } from "../../src/mirror/state/open.ts";
import { STATE_SCHEMA, TEXTS_SCHEMA } from "../../src/mirror/state/schema.ts";
import {
  change,
  conflictOf,
  dir,
  dirOf,
  doc,
  eventOf,
  blockOf,
  linkOf,
  openIn,
  opened,
  settableClock,
  tempFolder,
  textDigest,
  tombstoneOf,
} from "./fixture.ts";

/**
 * Both files as version 1 wrote them. The fixtures are never written anew: a later schema gets its
 * own beside them.
 */
function folderOfVersion1(): string {
  const folder = tempFolder();
  for (const file of ["state", "texts"]) {
    const db = new Sqlite(join(folder, `${file}.db`));
    db.exec(readFileSync(fileURLToPath(new URL(`fixtures/${file}-v1.sql`, import.meta.url)), "utf8"));
    db.close();
  }
  return folder;
}

/** A state without its texts counts as damaged. */
function openEmptyTexts(folder: string): void {
  const made = openForWriting(join(folder, TEXTS_SCHEMA.file), TEXTS_SCHEMA);
  if (made.kind !== "opened") throw new Error(made.kind);
  made.db.close();
}

test("a state of version 1 opens with all its rows and texts, at the newest version", () => {
  const folder = folderOfVersion1();
  const state = openIn(folder);
  const long = "a line of some text\n".repeat(30);
  const [digest, short] = [textDigest(long), textDigest("short\n")];
  const full = linkOf("full", {
    ...{ digest: short, localDigest: digest, stamp: null, protected: true, echoDigest: digest, standing: "suspended" },
    submissions: [{ digest, baseChangeId: change("x"), at: 9.5 }],
  });
  expect(state.load()).toEqual({
    links: new Map([
      [doc("plain"), linkOf("plain", { digest })],
      [doc("full"), full],
    ]),
    dirs: new Map([[dir("notes"), dirOf("notes")]]),
    tombstones: new Map([[doc("gone"), tombstoneOf("gone")]]),
    conflicts: new Map([[doc("plain"), conflictOf("plain")]]),
    blocks: new Map([["doc_full", blockOf("doc_full")]]),
  });
  expect([state.text(digest), state.text(short)]).toEqual([long, "short\n"]);
  expect(state.intents()).toHaveLength(1);
  expect(state.versions(doc("plain"))).toHaveLength(1);
  expect(state.meta("marker")).toBe("abc");
  expect(state.runs(9)).toEqual([{ run: 1, kind: "sync", startedAt: 10, endedAt: 20, summary: "in sync" }]);
  expect(state.events({ limit: 9 })).toEqual([eventOf()]);
  state.record(eventOf({ at: 101, kind: "move-local", path: "notes/b.md", from: "notes/a.md" }));
  expect(state.events({ limit: 9 }).map(({ path, from }) => [path, from])).toEqual([
    ["notes/b.md", "notes/a.md"],
    ["notes/a.md", null],
  ]);
  const merged = { base: textDigest("base\n"), theirs: textDigest("theirs\n") };
  state.record(eventOf({ at: 102, kind: "merge", merged }));
  expect(state.events({ limit: 9 }).map((event) => event.merged)).toEqual([merged, null, null]);
  const remoteMove = { from: "a.md", to: "b.md" };
  state.record(eventOf({ at: 103, kind: "rename-remote", remoteMove }));
  expect(state.events({ limit: 9 }).map((event) => event.remoteMove)).toEqual([remoteMove, null, null, null]);
  state.close();
  for (const schema of [STATE_SCHEMA, TEXTS_SCHEMA]) {
    const db = new Sqlite(join(folder, schema.file));
    expect(db.pragma("user_version", { simple: true })).toBe(schema.migrations.length);
    expect(db.pragma("application_id", { simple: true })).toBe(schema.applicationId);
    db.close();
  }
});

function shown(name: string, ino: number): ShownVersion[] {
  return [{ changeId: change(name), digest: textDigest(name), ino, dev: 2049 }];
}

/** What one copy showed, one version after the other, as version 6 wrote it. */
test("a conflict of version 6 is on record with the version that its copy shows", () => {
  const folder = tempFolder();
  const db = new Sqlite(join(folder, "state.db"));
  db.exec(readFileSync(fileURLToPath(new URL("fixtures/state-v6.sql", import.meta.url)), "utf8"));
  db.close();
  openEmptyTexts(folder);
  const state = openIn(folder);
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

/** The first part of the schema, as an earlier program has it. */
function stateOfVersion(folder: string, version: number): Sqlite.Database {
  const made = openForWriting(join(folder, "state.db"), {
    ...STATE_SCHEMA,
    migrations: STATE_SCHEMA.migrations.slice(0, version),
  });
  if (made.kind !== "opened") throw new Error(made.kind);
  return made.db;
}

test("the codes of version 10 become the plain words, and paths that are spelled like codes stay", () => {
  const folder = tempFolder();
  const db = stateOfVersion(folder, 10);
  const event =
    "INSERT INTO events (run, at, kind, side, path, detail, outcome, code) VALUES (1, 1, ?, 'local', ?, '', ?, ?)";
  db.prepare(event).run("halt", "halted", "halted", null);
  db.prepare(event).run("move-sidecar", "a (theirs).md", "done", "review-quiet");
  const block = "INSERT INTO holds (key, path, reason, detail, since) VALUES (?, ?, ?, '', 1)";
  const reasons = ["review-quiet", "holds-nul", "folder-held", "second-look", "delete-waits", "refused"];
  for (const reason of reasons) db.prepare(block).run(reason, `${reason}.md`, reason);
  const digest = textDigest("writes");
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
  db.close();
  openEmptyTexts(folder);
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
  expect([state.meta("halt"), kept("safety-stop"), kept("approved"), kept("last.report")]).toEqual([
    null,
    { hash: "x", reasons: [{ reason: "conflict-copies-gone", detail: "halt" }] },
    ["conflict-copies-gone"],
    { beside: [{ kind: "contains-nul", path: "held" }], staysLocal: { "conflict-copy": 1 } },
  ]);
});

test("the open intents of version 11 keep what they name under the present words", () => {
  const folder = tempFolder();
  const db = stateOfVersion(folder, 11);
  const digest = textDigest("expect");
  const row = { kind: "set-aside", id: doc("a"), path: '"parkAt":.md', expect: digest, baseChangeId: null };
  const stored = { ...row, baseDigest: null, parkAt: "tmp/park-1" };
  db.prepare("INSERT INTO intents (run, intent) VALUES (1, ?)").run(JSON.stringify(stored));
  const { newestCopyPath, ...conflict } = conflictOf("a");
  const shows = { conflict: { ...conflict, sidecarPath: newestCopyPath }, record: null, old: null, opens: true };
  const copy = { kind: "conflict-copy", id: doc("a"), path: "a (theirs).md", writes: digest };
  db.prepare("INSERT INTO intents (run, intent) VALUES (1, ?)").run(JSON.stringify({ ...copy, shows }));
  db.prepare("INSERT INTO meta (key, value) VALUES ('files.torn', 'yes')").run();
  db.close();
  openEmptyTexts(folder);
  const state = openIn(folder);
  expect(state.intents().map(({ intent }) => intent)).toEqual([
    { ...row, baseDigest: null, setAsideAt: "tmp/park-1" },
    { ...copy, shows: { ...shows, conflict: conflictOf("a") } },
  ]);
  expect(state.meta("files.torn")).toBeNull();
  state.close();
});

test("content that version 12 logged as sent and not found is in the journal", () => {
  const folder = tempFolder();
  const db = stateOfVersion(folder, 12);
  const event =
    "INSERT INTO events (run, at, kind, side, id, path, detail, outcome, before, after) " +
    "VALUES (?, 1, 'fault', 'remote', ?, ?, '', ?, ?, ?)";
  const [base, sent] = [textDigest("base"), textDigest("sent")];
  db.prepare(event).run(3, doc("a"), "before.md", "absent", base, sent);
  db.prepare(event).run(4, doc("a"), "a.md", "combined", base, sent);
  db.prepare(event).run(5, null, "new.md", "absent", null, sent);
  db.prepare(event).run(5, doc("a"), "a.md", "uncertain", base, null);
  db.prepare("INSERT INTO meta (key, value) VALUES ('synced.run', '3')").run();
  db.close();
  openEmptyTexts(folder);
  const state = openIn(folder);
  expect(state.intents().map(({ run, intent }) => [run, intent])).toEqual([
    [4, { kind: "sent", id: doc("a"), localPath: "a.md", baseDigest: base, digest: sent, isCombined: true }],
    [5, { kind: "sent", id: null, localPath: "new.md", baseDigest: null, digest: sent, isCombined: false }],
  ]);
  expect(state.meta("synced.run")).toBeNull();
  state.close();
});

test("rows of the journal get the members that older versions did not write", () => {
  const folder = tempFolder();
  const db = stateOfVersion(folder, 13);
  const digest = textDigest("a");
  const file = { path: "a.md", setAsideAt: "tmp/a-1", writes: digest, baseChangeId: null, baseDigest: null };
  const insert = db.prepare("INSERT INTO intents (run, intent) VALUES (1, ?)");
  const put = { kind: "put", id: doc("a"), localPath: "a.md", baseChangeId: change("a"), baseDigest: digest, digest };
  const rows = [
    { ...put, review: false },
    { ...put, review: true, why: "edited locally", stampTrusted: true },
    { kind: "post", localPath: "a.md", remotePath: "a.md", digest },
    { kind: "patch", id: doc("a"), from: "a.md", to: "b.md" },
    { kind: "patch-folder", dirId: dir("a"), from: "a", to: "b" },
    { kind: "replace", id: doc("a"), ...file, expect: null, nextChangeId: change("b"), nextDigest: digest },
    { kind: "replace", id: doc("a"), ...file, expect: digest },
    { kind: "replace", id: doc("a"), ...file, expect: digest, event: { kind: "merge" } },
  ];
  for (const row of rows) insert.run(JSON.stringify(row));
  db.prepare("INSERT INTO dirs VALUES (?, 'here', 'a', 1, 1, 1)").run(dir("a"));
  db.close();
  openEmptyTexts(folder);
  const state = openIn(folder);
  const why = expect.any(String) as string;
  const event = { kind: "recover", side: "local", id: doc("a"), path: "a.md", after: digest };
  expect(state.intents().map(({ intent }) => intent)).toMatchObject([
    { ...rows[0], why, stamp: null, stampTrusted: false },
    { ...rows[1], why: "edited locally", stamp: null, stampTrusted: true },
    { ...rows[2], why, stamp: null, stampTrusted: false, replaces: null },
    { ...rows[3], why, stands: "a.md" },
    { ...rows[4], why, stands: "here" },
    { ...rows[5], event: { ...event, before: null } },
    { ...rows[6], event: { ...event, before: digest } },
    rows[7]!,
  ]);
  state.close();
});

test("the marks of losses of version 14 keep their runs and times", () => {
  const folder = tempFolder();
  const db = stateOfVersion(folder, 14);
  const insert = db.prepare("INSERT INTO meta (key, value) VALUES ('losses.lately', ?)");
  insert.run(
    JSON.stringify({
      after: 3,
      marks: [
        [4, "boot-1", 1.5],
        [6, null, 20],
      ],
    }),
  );
  db.close();
  openEmptyTexts(folder);
  const state = openIn(folder);
  expect(JSON.parse(state.meta("losses.lately")!)).toEqual({
    after: 3,
    marks: [
      [4, 1.5],
      [6, 20],
    ],
  });
  state.close();
});

test("I23 read-only, a state of version 1 shows all its rows and texts at the newest version, and its files stay as they are", () => {
  const folder = folderOfVersion1();
  const bytes = () => readdirSync(folder).map((file) => [file, readFileSync(join(folder, file)).toString("base64")]);
  const before = bytes();
  const reader = opened(openState({ folder, clock: settableClock(), readOnly: true }));
  expect([...reader.load().links.keys()]).toEqual([doc("plain"), doc("full")]);
  expect(reader.load().blocks.get("doc_full")).toEqual(blockOf("doc_full"));
  expect(reader.text(textDigest("short\n"))).toBe("short\n");
  expect(reader.events({ limit: 9 }).map(({ from }) => from)).toEqual([null]);
  expect(() => reader.removeLink(doc("plain"))).toThrow("readonly");
  reader.close();
  expect(bytes()).toEqual(before);
});

test("read-only, what an older program is still writing is seen up to its last commit", () => {
  const folder = folderOfVersion1();
  const writer = new Sqlite(join(folder, "state.db"));
  writer.pragma("journal_mode = WAL");
  writer.prepare("DELETE FROM holds").run();
  const reader = opened(openState({ folder, clock: settableClock(), readOnly: true }));
  expect(reader.load().blocks.size).toBe(0);
  expect(reader.load().links.size).toBe(2);
  reader.close();
});

test("only the migrations that a file lacks are run, in their order", () => {
  const path = join(tempFolder(), "state.db");
  const migrations = ["CREATE TABLE t (a)", "INSERT INTO t VALUES (1)", "UPDATE t SET a = a + 1"];
  for (const count of [1, 3, 3]) {
    const made = openForWriting(path, { file: "state.db", applicationId: 5, migrations: migrations.slice(0, count) });
    if (made.kind !== "opened") throw new Error(made.kind);
    if (count === 3) expect(made.db.prepare("SELECT a FROM t").pluck().all()).toEqual([2]);
    made.db.close();
  }
});

function pages(path: string, pageSize?: number) {
  const schema = { file: "texts.db", applicationId: 5, migrations: ["CREATE TABLE t (a)"] } as const;
  const made = openForWriting(path, pageSize === undefined ? schema : { ...schema, pageSize });
  if (made.kind !== "opened") throw new Error(made.kind);
  const ask = (pragma: string) => made.db.pragma(pragma, { simple: true }) as number;
  const size = ask("page_size");
  const wal = [ask("wal_autocheckpoint") * size, ask("journal_size_limit")];
  made.db.close();
  return [size, ...wal];
}

test("a file that is made has pages of its schema's size, one that is there keeps its own, and the WAL of each is written back at as many bytes, and kept at a quarter of them", () => {
  const [small, large] = [join(tempFolder(), "texts.db"), join(tempFolder(), "texts.db")];
  const wal = [64 * 1024 * 1024, 16 * 1024 * 1024];
  expect(pages(small)).toEqual([4_096, ...wal]);
  expect(pages(small, 16_384)).toEqual([4_096, ...wal]);
  expect(pages(large, 16_384)).toEqual([16_384, ...wal]);
});

test("a migration that fails leaves the file at its version", () => {
  const path = join(tempFolder(), "state.db");
  const first = "CREATE TABLE t (a)";
  const open = (...migrations: string[]) => openForWriting(path, { file: "state.db", applicationId: 5, migrations });
  expect(() => open(first, "INSERT INTO t VALUES (1)", "INSERT INTO none VALUES (1)")).toThrow("none");
  const made = open(first);
  if (made.kind !== "opened") throw new Error(made.kind);
  expect(made.db.prepare("SELECT count(*) FROM t").pluck().get()).toBe(0);
  made.db.close();
});
