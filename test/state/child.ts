/**
 * Work of tests in another process: `write FOLDER`, `lock FOLDER…`, `read FOLDER`. Prints lines on
 * stdout; runs until it is killed.
 */
import { writeSync } from "node:fs";
import type { ChangeId, DocId } from "../../src/contract/ids.ts";
import { acquireLock } from "../../src/mirror/state/lock.ts";
import { openState } from "../../src/mirror/state/open.ts";

const [, , job, ...targets] = process.argv;
const [target] = targets;
const clock = { now: () => 1, monotonic: () => 1, sleep: () => Promise.resolve() };
/** Writes synchronously, so that a kill cannot lose the line. */
const say = (line: string) => void writeSync(1, `${line}\n`);

function writeForEver(folder: string): void {
  const opened = openState({ folder, clock });
  if (opened.kind !== "opened") throw new Error(opened.kind);
  const { state } = opened;
  for (let n = 0; ; n++) {
    state.transact(() => {
      const id = `doc_${n}` as DocId;
      const changeId = `chg_${n}` as ChangeId;
      const path = `${n}.md`;
      const digest = state.putText(`text number ${n} `.repeat(40), { path, id, side: "local", why: "by a test" });
      state.putRecord({
        ...{ id, localPath: path, remotePath: path, changeId, digest, localDigest: digest, stamp: null },
        ...{ stampTrusted: false, protected: false, durable: false, echoDigest: null },
        ...{ submissions: [], state: "linked" },
      });
      state.addVersion({ id, changeId, digest, at: n });
    });
    say(String(n));
  }
}

/** Keeps a reference: a database that is garbage-collected is closed, which releases its lock. */
function holdLock(folder: string): void {
  const lock = acquireLock(folder, { since: 7, what: "watch" });
  say(lock.kind);
  process.stdin.resume();
  process.stdin.once("end", () => lock.kind === "locked" && lock.release());
}

function countRecords(folder: string): void {
  const opened = openState({ folder, clock, readOnly: true });
  say(opened.kind === "opened" ? `${opened.state.load().records.size} links` : JSON.stringify(opened));
}

if (target === undefined) throw new Error("names no folder");
if (job === "write") writeForEver(target);
else if (job === "lock") for (const folder of targets) holdLock(folder);
else if (job === "read") countRecords(target);
else throw new Error(`no job ${job}`);
