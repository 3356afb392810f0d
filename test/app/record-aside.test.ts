import { mkdirSync, renameSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import Sqlite from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { RecordAside, recordThread } from "../../src/app/mirror/record-aside.ts";
import { RootGuard } from "../../src/local/root-guard.ts";
import { diskTime } from "../../src/local/walk.ts";
import type { Fs } from "../../src/ports/fs.ts";
import { mirrorOn } from "../local/benches.ts";
import { rollDice } from "../simulator/dice.ts";
import { createNodeBench } from "../simulator/fs-bench.ts";

const FOLDERS = 10;
/** In each; all of them are more than one message holds. */
const MANY = 450;

/** A mirrored folder, to be read in a thread. */
function setUp(each = 3) {
  const bench = createNodeBench();
  onTestFinished(() => bench.close());
  const { at } = mirrorOn(bench);
  for (let folder = 0; folder < FOLDERS; folder++) {
    mkdirSync(at(`f${folder}`));
    for (let n = 0; n < each; n++) writeFileSync(at(`f${folder}/å${n}.md`), `text ${n}`);
    // What changed in the tick of the record is read again.
    utimesSync(at(`f${folder}`), 1_000, 1_000);
  }
  utimesSync(bench.root, 1_000, 1_000);
  const start = (root = bench.root, checks: string | null = null) => {
    const threads: Worker[] = [];
    const records = new RecordAside(diskTime(new RootGuard(bench.fs, bench.root, rollDice(4))), () => {
      threads.push(recordThread({ root, ignore: [], gitignore: false, checks }));
      return threads[0]!;
    });
    onTestFinished(() => records.close());
    return { records, thread: threads[0]! };
  };
  return { bench, at, start };
}

/** A walk, and how many folders it has read. */
async function walkWith(records: RecordAside, { fs, root, ...bench }: ReturnType<typeof createNodeBench>) {
  let read = 0;
  const readdir: Fs["readdir"] = (path) => {
    read++;
    return fs.readdir(path);
  };
  const { disk } = mirrorOn({ ...bench, root, fs: { ...fs, readdir } }, { records });
  await disk.awaitRecorded?.();
  const walk = disk.walkInParts(
    () => null,
    () => undefined,
  );
  for (let part = walk.next(); ; part = walk.next()) {
    if (part.done === true) return { tree: part.value, read };
    await disk.awaitRecorded?.();
  }
}

test("a walk after a thread has read the folder sees all, and reads no folder again", async () => {
  const { bench, start } = setUp(MANY);
  const { tree, read } = await walkWith(start().records, bench);
  expect([tree.files.size, tree.folders.size, tree.unseen.size, read]).toEqual([FOLDERS * MANY, FOLDERS, 0, 0]);
});

test("where the thread has ended too soon, the walk reads all", async () => {
  const { bench, start } = setUp();
  const { records, thread } = start();
  await thread.terminate();
  const { tree, read } = await walkWith(records, bench);
  expect([tree.files.size, read]).toEqual([3 * FOLDERS, FOLDERS + 1]);
});

test("where the thread fails, or finds no folder, the walk reads all", async () => {
  const { bench, at, start } = setUp();
  renameSync(at("f0"), at("moved"));
  const { tree, read } = await walkWith(start("no absolute path").records, bench);
  expect([tree.folders.has("moved"), tree.files.size, read]).toEqual([true, 3 * FOLDERS, FOLDERS + 1]);
  const other = await walkWith(start("/no/such/folder").records, bench);
  expect([other.tree.files.size, other.read]).toEqual([3 * FOLDERS, FOLDERS + 1]);
});

test("pages of a database are judged before the folder is read", async () => {
  const { bench, at, start } = setUp();
  const path = join(bench.root, ".mdmirror/state.db");
  const db = new Sqlite(path);
  db.exec("CREATE TABLE t (x)");
  db.close();
  expect(await start(bench.root, path).records.pages()).toBe("sound");
  expect(await start(bench.root, at("f0/å0.md")).records.pages()).toMatchObject({ kind: "damaged" });
  expect(await start(bench.root, at("no-such-file")).records.pages()).toBe("unknown");
  const { records, thread } = start(bench.root, path);
  await thread.terminate();
  expect(await records.pages()).toBe("unknown");
});
