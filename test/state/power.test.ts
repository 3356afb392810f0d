import { join, basename } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, test, vi, onTestFinished } from "vitest";
import type { Digest } from "../../src/contract/digest.ts";
import { leaveWal, type SqliteDatabase } from "../../src/mirror/state/database.ts";
import { STATE_SCHEMA, TEXTS_SCHEMA } from "../../src/mirror/state/schema.ts";
import { Transactions } from "../../src/mirror/state/state.ts";
import { recordOf, openDb, openIn, NAME } from "./fixture.ts";
import { copyFileSync, statSync, truncateSync } from "node:fs";
import { temporaryFolder } from "../temporary-folder.ts";

/**
 * Observes which part of a folder's databases a power cut would leave: the files at the last
 * checkpoint, and the flushed part of each WAL. With `synchronous = FULL`, SQLite flushes the WAL
 * at each commit. Must begin before the files are opened.
 */
function watchMedium(folder: string): () => ReturnType<typeof openIn> {
  const fsynced = new Map<string, number>();
  const before = new Map<Sqlite.Database, number>();
  const { pragma } = Sqlite.prototype;
  const spy = vi.spyOn(Sqlite.prototype, "pragma");
  spy.mockImplementation(function (this: Sqlite.Database, ...asked) {
    const size = walSize(this.name);
    if (asked[0] === "synchronous = FULL") before.set(this, size);
    if (asked[0] === "synchronous = NORMAL" && size > (before.get(this) ?? size)) fsynced.set(this.name, size);
    return pragma.apply(this, asked);
  });
  onTestFinished(() => spy.mockRestore());
  return () => {
    const left = temporaryFolder();
    for (const name of ["texts.db", "state.db"]) {
      copyFileSync(join(folder, name), join(left, name));
      const [size] = [...fsynced].flatMap(([path, bytes]) => (basename(path) === name ? [bytes] : []));
      if (size === undefined) continue;
      copyFileSync(join(folder, `${name}-wal`), join(left, `${name}-wal`));
      truncateSync(join(left, `${name}-wal`), size);
    }
    return openIn(left);
  };
}

/** Opens a state in a new folder that is observed from the beginning. */
function openWatched() {
  const folder = temporaryFolder();
  const afterPowerCut = watchMedium(folder);
  return { folder, state: openIn(folder), afterPowerCut };
}

function walSize(database: string): number {
  return statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

test.each([
  ["state.db", STATE_SCHEMA],
  ["texts.db", TEXTS_SCHEMA],
])("macOS is asked to bring %s to the medium, not to its cache alone", (name, schema) => {
  expect(openDb(join(temporaryFolder(), name), schema).pragma("fullfsync", { simple: true })).toBe(1);
});

test("I03 a content that was made durable survives a power cut, also from within a transaction", () => {
  const { state, afterPowerCut } = openWatched();
  state.setMeta("any", "row");
  const first = state.putText("first\n", NAME);
  expect(afterPowerCut().hasText(first)).toBe(false);
  state.secureTexts();
  expect(afterPowerCut().hasText(first)).toBe(true);
  const second = state.transact(() => {
    const digest = state.putText("second\n", NAME);
    state.secureTexts();
    return digest;
  });
  expect(afterPowerCut().text(second)).toBe("second\n");
});

test("I03 content is made safe when asked for, and nothing is flushed for content that is safe already", () => {
  const { state, afterPowerCut } = openWatched();
  const first = state.putText("first\n", NAME);
  state.secureTexts(first);
  const second = state.putText("second\n", NAME);
  state.secureTexts(first);
  expect([first, second].map((digest) => afterPowerCut().hasText(digest))).toEqual([true, false]);
  state.secureTexts(second);
  expect(afterPowerCut().hasText(second)).toBe(true);
});

test("I03 a content is made durable also while another process reads an earlier snapshot", () => {
  const { folder, state, afterPowerCut } = openWatched();
  state.putText("before\n", NAME);
  const reader = new Sqlite(join(folder, "texts.db"), { readonly: true });
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM texts").get();
  // A checkpoint alone would not be enough: it flushes only what the open reader does not need any
  // more. The second time it flushes nothing.
  for (const text of ["first\n", "second\n"]) {
    const digest = state.putText(text, NAME);
    state.secureTexts();
    expect(afterPowerCut().text(digest)).toBe(text);
  }
  reader.close();
});

test("I03 a content that could not be made durable is made durable by the next attempt", () => {
  const { state, afterPowerCut } = openWatched();
  const digest = state.putText("text\n", NAME);
  vi.mocked(Sqlite.prototype.pragma).mockImplementationOnce(() => {
    throw new Sqlite.SqliteError("the disk failed", "SQLITE_IOERR_FSYNC");
  });
  expect(() => state.secureTexts()).toThrow();
  state.secureTexts();
  expect(afterPowerCut().text(digest)).toBe("text\n");
});

/** Returns SQLite's setting. 1: a commit writes the WAL; 2: it flushes the WAL too. */
function synchronous(db: SqliteDatabase): unknown {
  return db.pragma("synchronous", { simple: true });
}

test("a transaction that must survive a power cut fsyncs the WAL with its commit, and none after it does", () => {
  const db = openDb(join(temporaryFolder(), "state.db"), STATE_SCHEMA);
  const nothing = (): void => undefined;
  const transactions = new Transactions(db, { begin: nothing, commit: nothing, abandon: nothing, secure: nothing });
  expect(transactions.runSafely(() => synchronous(db))).toBe(2);
  expect(transactions.run(() => synchronous(db))).toBe(1);
  const fails = (): void => {
    throw new Error("no");
  };
  expect(() => transactions.runSafely(fails)).toThrow("no");
  expect(synchronous(db)).toBe(1);
  expect(() => transactions.run(() => transactions.runSafely(nothing))).toThrow("part of a transaction");
});

test("rows that survive a power cut name only contents that survive too", () => {
  const { state, afterPowerCut } = openWatched();
  const digest = state.putText("text\n", NAME);
  state.transactSafely(() => state.setMeta("names", digest));
  expect(afterPowerCut().text(digest)).toBe("text\n");
});

/**
 * Cuts the power just before each file is closed. Returns the contents that the state names and
 * does not have then.
 */
function watchClosing(
  close: () => void,
  afterPowerCut: ReturnType<typeof watchMedium>,
): readonly (readonly Digest[])[] {
  const missing: (readonly Digest[])[] = [];
  let isCut = false;
  const original = Sqlite.prototype.close;
  const spy = vi.spyOn(Sqlite.prototype, "close").mockImplementation(function (this: Sqlite.Database) {
    if (!isCut) {
      isCut = true;
      const left = afterPowerCut();
      missing.push(left.missingTexts());
      left.close();
      isCut = false;
    }
    return original.apply(this);
  });
  close();
  spy.mockRestore();
  return missing;
}

test.each(["nobody", "a reader"])("I03 closing makes no row safe before its content while %s has it open", (who) => {
  const { folder, state, afterPowerCut } = openWatched();
  state.putText("before\n", NAME);
  const reader = new Sqlite(join(folder, "texts.db"), { readonly: true });
  if (who === "a reader") reader.exec("BEGIN; SELECT count(*) FROM texts");
  state.putRecord(recordOf(1, { digest: state.putText("text\n", NAME) }));
  expect(watchClosing(state.close, afterPowerCut)).toEqual([[], []]);
});

test("I03 a checkpoint in use makes no row safe before its content", () => {
  const { state, afterPowerCut } = openWatched();
  for (let n = 0; n < 70; n++)
    state.transact(() => {
      state.setMeta(`megabyte ${n}`, "x".repeat(1024 * 1024));
      state.putRecord(recordOf(n, { digest: state.putText(`text ${n}\n`, NAME) }));
    });
  const left = afterPowerCut();
  expect(left.load().records.size).toBeGreaterThan(0);
  expect(left.missingTexts()).toEqual([]);
});

test("what is written after the file was opened is fsynced as usual", () => {
  const db = openDb(join(temporaryFolder(), "state.db"), STATE_SCHEMA);
  expect([db.pragma("journal_mode", { simple: true }), synchronous(db)]).toEqual(["wal", 1]);
  leaveWal(db);
  expect([db.pragma("journal_mode", { simple: true }), synchronous(db)]).toEqual(["delete", 1]);
});

test("I23 a file that another process reads stays in WAL mode, with all that was written", () => {
  const path = join(temporaryFolder(), "state.db");
  const db = openDb(path, STATE_SCHEMA);
  const reader = new Sqlite(path, { readonly: true });
  const count = (of: SqliteDatabase) => of.prepare("SELECT count(*) FROM meta").pluck().get();
  reader.exec("BEGIN");
  expect(count(reader)).toBe(0);
  db.exec("INSERT INTO meta VALUES ('a', '1')");
  db.pragma("busy_timeout = 0");
  leaveWal(db);
  expect([db.pragma("journal_mode", { simple: true }), synchronous(db), count(reader)]).toEqual(["wal", 1, 0]);
  db.close();
  reader.close();
  const again = new Sqlite(path, { readonly: true });
  expect(count(again)).toBe(1);
});
