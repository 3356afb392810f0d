import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import Sqlite from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/app/mirror/clock.ts";
import { WriteAside, writeThread } from "../../src/app/mirror/write-aside.ts";
import { writeCreated } from "../../src/engine/journal/write-created.ts";
import type { CreatedRows } from "../../src/ports/row-writer.ts";
import { openState } from "../../src/state/open.ts";
import type { StoredState } from "../../src/state/state.ts";
import { encodeText } from "../../src/state/text-codec.ts";
import { createdRows } from "../state/created-rows.ts";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "mdmirror-write-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function open(folder: string): StoredState {
  const opened = openState({ folder, clock: systemClock() });
  if (opened.kind !== "opened") throw new Error(opened.kind);
  return opened.state;
}

/** A state that is open, and a thread that writes to it. */
function setUp() {
  const folder = newFolder();
  const state = open(folder);
  const threads: Worker[] = [];
  const writer = new WriteAside(() => {
    const worker = writeThread(folder);
    threads.push(worker);
    return worker;
  });
  const close = async () => {
    await writer.end();
    state.close();
  };
  onTestFinished(close);
  return { folder, state, writer, threads, close };
}

/** Packed texts in shared memory, of which each document has a part. */
function inShared(rows: readonly CreatedRows[]): readonly CreatedRows[] {
  const packed = rows.map(({ text }) => encodeText(text as string));
  const memory = Buffer.from(new SharedArrayBuffer(packed.reduce((sum, { bytes }) => sum + bytes.length, 0)));
  let at = 0;
  return rows.map((row, n) => {
    const { codec, size, bytes } = packed[n]!;
    const part = memory.subarray(at, at + bytes.length);
    part.set(bytes);
    at += bytes.length;
    return { ...row, text: { codec, size, bytes: part } };
  });
}

const TABLES = {
  "state.db": ["links", "versions", "events"],
  "texts.db": ["texts", "seen"],
} as const;

/** All rows, without the times at which texts were stored. */
function contents(folder: string): unknown {
  return Object.entries(TABLES).flatMap(([file, tables]) => {
    const db = new Sqlite(join(folder, file), { readonly: true });
    const rows = tables.map((table) => db.prepare(`SELECT * FROM ${table}`).all() as Record<string, unknown>[]);
    db.close();
    return rows.map((all) => all.map((row) => ({ ...row, ...(file === "texts.db" && { used: 0, at: 0 }) })));
  });
}

const many = (count: number) =>
  Array.from({ length: count }, (_, n) => createdRows(`${n}.md`, `line ${n}\n`.repeat(n)));

test("I25 rows that a thread writes are those that are written here, whatever their texts lie in", async () => {
  const { folder, state, writer, threads, close } = setUp();
  const rows = many(100);
  const [plain, shared, own] = [rows.slice(0, 10), rows.slice(10, 90), rows.slice(90)];
  const packed = own.map((row) => ({ ...row, text: encodeText(row.text as string) }));
  expect(await writer.write([...plain, ...inShared(shared), ...packed])).toBe(true);
  expect(state.load().links.size).toBe(100);
  expect(await writer.write([createdRows("last.md")])).toBe(true);
  expect(threads).toHaveLength(1);
  await close();

  const here = newFolder();
  const other = open(here);
  other.transact(() => writeCreated(other, rows));
  other.transact(() => writeCreated(other, [createdRows("last.md")]));
  other.close();
  expect(contents(folder)).toEqual(contents(here));
});

test("when it has ended, the files are as nobody had written beside, and it can be begun again", async () => {
  const { folder, state, writer, threads, close } = setUp();
  await writer.write([createdRows("a.md")]);
  await writer.end();
  expect(await writer.write([createdRows("b.md")])).toBe(true);
  expect(threads).toHaveLength(2);
  expect([...state.load().links.values()].map(({ localPath }) => localPath)).toEqual(["a.md", "b.md"]);
  await close();
  const db = new Sqlite(join(folder, "state.db"), { readonly: true });
  expect(db.pragma("journal_mode", { simple: true })).toBe("delete");
  db.close();
});

test("I03 what it cannot write it does not claim: a damaged file, a thread that ends", async () => {
  const folder = newFolder();
  writeFileSync(join(folder, "texts.db"), "no database at all, but long enough to be read as one".repeat(100));
  const damaged = new WriteAside(() => writeThread(folder));
  expect(await damaged.write([createdRows("a.md")])).toBe(false);
  await damaged.end();

  const { state, writer, threads } = setUp();
  const answer = writer.write([createdRows("a.md")]);
  await threads[0]!.terminate();
  expect(await answer).toBe(false);
  expect(state.load().links.size).toBe(0);
  await writer.end();
});

test("one that was never asked has nothing to end", async () => {
  const { writer, threads } = setUp();
  await writer.end();
  expect(threads).toEqual([]);
});

test("one that was closed takes nothing any more, and one without work keeps no process", async () => {
  const { state, writer, threads } = setUp();
  expect(await writer.write([createdRows("a.md")])).toBe(true);
  const keeps = () => process.getActiveResourcesInfo().filter((name) => name === "MessagePort").length;
  const resting = keeps();
  const answer = writer.write([createdRows("b.md")]);
  expect(keeps()).toBe(resting + 1);
  await answer;
  expect(keeps()).toBe(resting);
  await writer.close();
  expect(await writer.write([createdRows("c.md")])).toBe(false);
  expect([threads.length, state.load().links.size]).toEqual([1, 2]);
});
