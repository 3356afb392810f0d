import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import Sqlite from "better-sqlite3";
import type { ChangeId, DirId, DocId } from "../../src/contract/ids.ts";
import { type Digest, digestOf } from "../../src/contract/digest.ts";
import type { Conflict, FolderRecord, Block, DocumentRecord, Tombstone } from "../../src/mirror/model/record.ts";
import type { MirrorEvent, ContentOrigin } from "../../src/mirror/ports/state.ts";
import type { Clock } from "../../src/common/clock.ts";
import { type SqliteDatabase, openForWriting } from "../../src/mirror/state/database.ts";
import type { DatabaseSchema } from "../../src/mirror/state/schema.ts";
import { openState } from "../../src/mirror/state/open.ts";
import type { StoredState } from "../../src/mirror/state/state.ts";
import { closeWithTest } from "../simulator/open-databases.ts";
import { temporaryFolder } from "../temporary-folder.ts";

export const DAY = 86_400_000;

/** A clock that only the test moves; nobody sleeps on it. */
export class SettableClock implements Clock {
  #now: number;

  constructor(start = 1_800_000_000_000) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  sleep(): Promise<void> {
    return Promise.resolve();
  }

  set(to: number): void {
    this.#now = to;
  }
}

/** Expects that a state was opened. It is closed with the test at the latest. */
export function opened(result: ReturnType<typeof openState>): StoredState {
  if (result.kind !== "opened") throw new Error(`not opened: ${JSON.stringify(result)}`);
  const { state } = result;
  const { close } = state;
  let isOpen = true;
  const closeOnce = (): void => {
    if (isOpen) close();
    isOpen = false;
  };
  closeWithTest(closeOnce);
  return Object.assign(state, { close: closeOnce });
}

/** Expects that a database can be opened. It is closed with the test at the latest. */
export function openDb(path: string, schema: DatabaseSchema): SqliteDatabase {
  const result = openForWriting(path, schema);
  if (result.kind !== "opened") throw new Error(`not opened: ${JSON.stringify(result)}`);
  closeWithTest(() => void result.db.close());
  return result.db;
}

export function openIn(folder: string, clock: Clock = new SettableClock()): StoredState {
  return opened(openState({ folder, clock }));
}

export function memoryState(clock: Clock = new SettableClock()): StoredState {
  return openIn(":memory:", clock);
}

export const doc = (name: string | number) => `doc_${name}` as DocId;
export const dir = (name: string | number) => `dir_${name}` as DirId;
export const change = (name: string | number) => `chg_${name}` as ChangeId;
export const textDigest = (text: string): Digest => digestOf(text);

export function recordOf(name: string | number, more: Partial<DocumentRecord> = {}): DocumentRecord {
  const digest = more.digest ?? textDigest(`text of ${name}`);
  return {
    id: doc(name),
    localPath: `notes/${name}.md`,
    remotePath: `notes/${name}.md`,
    changeId: change(name),
    digest,
    localDigest: digest,
    stamp: { dev: 2049, ino: 2 ** 60, size: 7, mtimeMs: 1.5, ctimeMs: 1_700_000_000_000.125, birthMs: 0, nlink: 1 },
    stampTrusted: true,
    protected: false,
    durable: true,
    echoDigest: null,
    submissions: [],
    state: "linked",
    ...more,
  };
}

export function dirOf(name: string, path: string = name, more: Partial<FolderRecord> = {}): FolderRecord {
  return { id: dir(name), localPath: path, remotePath: path, dev: 2049, ino: 5, birthMs: 2.25, ...more };
}

export function blockOf(key: string, more: Partial<Block> = {}): Block {
  return {
    key,
    path: `notes/${key}.md`,
    reason: "refused",
    code: "forbidden",
    detail: "no",
    requestId: "req_1",
    digest: textDigest(key),
    changeId: change("shown"),
    since: 10,
    ...more,
  };
}

export function conflictOf(name: string, more: Partial<Conflict> = {}): Conflict {
  return {
    id: doc(name),
    baseDigest: textDigest("base"),
    baseChangeId: change("base"),
    newestCopyPath: `notes/${name} (theirs).md`,
    shown: [{ changeId: change("shown"), digest: textDigest("shown"), ino: 11, dev: 2049 }],
    looksGone: 0,
    since: 4,
    ...more,
  };
}

export function tombstoneOf(name: string, more: Partial<Tombstone> = {}): Tombstone {
  return {
    id: doc(name),
    localPath: `notes/${name}.md`,
    remotePath: `notes/${name}.md`,
    changeId: change(name),
    digest: textDigest(`text of ${name}`),
    trashPath: `trash/2027-01-15/${name}.md`,
    at: 5,
    ...more,
  };
}

export function eventOf(more: Partial<MirrorEvent> = {}): MirrorEvent {
  return {
    run: 1,
    at: 100,
    kind: "put",
    side: "remote",
    id: "doc_a",
    path: "notes/a.md",
    detail: "edited here",
    outcome: "done",
    code: null,
    requestId: "req_1",
    before: textDigest("before"),
    after: textDigest("after"),
    from: null,
    remoteMove: null,
    merged: null,
    ...more,
  };
}

/**
 * Starts `child.ts` with these arguments. The lines of its output can be read one by one. It is
 * killed with the test at the latest.
 */
export function startChild(...words: string[]): {
  readonly child: ChildProcess;
  readonly lines: AsyncIterator<string>;
} {
  const script = fileURLToPath(new URL("child.ts", import.meta.url));
  const child = spawn(process.execPath, [script, ...words], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return { child, lines: linesOf(child) };
}

async function* linesOf(child: ChildProcess): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of child.stdout!.setEncoding("utf8")) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
}

export async function nextLine(lines: AsyncIterator<string>): Promise<string> {
  const next = await lines.next();
  if (next.done === true) throw new Error("the child ended early");
  return next.value;
}

export function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once("exit", () => resolve());
  });
}

/** Number of records in `usedFolder`. */
export const ROWS = 400;
/** Returns some kB of content that is hard to compress. */
export const textOf = (n: number) => Array.from({ length: 200 }, (_, i) => `${Math.sin(n * 1_000 + i)}`).join(" ");

/**
 * Files of a closed state with records and contents. They are made once, because that takes long.
 */
let filesOfUsed: ReadonlyMap<string, Buffer> | undefined;

function makeUsed(): ReadonlyMap<string, Buffer> {
  const folder = temporaryFolder();
  const state = openIn(folder);
  state.transact(() => {
    for (let n = 0; n < ROWS; n++) state.putRecord(recordOf(n, { digest: state.putText(textOf(n), NAME) }));
  });
  state.close();
  return new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
}

/** Returns a folder with a closed state that has records and contents. */
export function usedFolder(): string {
  filesOfUsed ??= makeUsed();
  const folder = temporaryFolder();
  for (const [name, bytes] of filesOfUsed) writeFileSync(join(folder, name), bytes, { mode: 0o600 });
  return folder;
}

/**
 * Returns an observer that says whether another connection has committed to the file since. SQLite
 * counts that itself (`data_version`).
 */
export function changesSeen(folder: string, file = "state.db"): { moved(): boolean; close(): void } {
  const db = new Sqlite(join(folder, file), { readonly: true });
  const version = db.prepare("PRAGMA data_version").pluck();
  const first = version.get();
  return { moved: () => version.get() !== first, close: () => void db.close() };
}

/** A name for contents, for tests in which it does not matter. */
export const NAME: ContentOrigin = { path: "notes/plan.md", id: null, side: "local", why: "by a test" };
