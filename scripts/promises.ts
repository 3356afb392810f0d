/**
 * What `test/README.md` says of each promise. `scripts/check-promises.ts` adds the files of its
 * tests.
 */

export type Promised = {
  readonly id: string;
  readonly name: string;
  /** True if every simulation run checks it. */
  readonly inLives: boolean;
  readonly how: string;
  readonly amount: string;
};

const promised = (id: string, name: string, how: string, amount: string): Promised => ({
  id,
  name,
  inLives: !["I05", "I15", "I17", "I18", "I20", "I23", "I24", "I25", "I29", "I31"].includes(id),
  how,
  amount,
});

export const PROMISED: readonly Promised[] = [
  promised("I01", "converge", "planner: any changes in any allowed order; table; two daemons", "225 + 100 scenarios"),
  promised("I02", "no more writes", "planner; table: one more sync sends and writes nothing", "225 scenarios"),
  promised("I03", "no content lost", "all content of both sides is looked for after each sync", "23 runs"),
  promised("I04", "proof before removal", "planner, on nonsense too; a walk with each call failing", "150 trees"),
  promised("I05", "first sync deletes nothing", "planner without links; lost and damaged state", "100 trees"),
  promised("I06", "an edit beats a deletion", "symmetry of all content cells; table; daemon", "9 cells, both ways"),
  promised("I07", "based writes", "each PUT is checked as it is sent: its base is read and kept", "23 runs"),
  promised("I08", "no blind retry", "8 kinds of write × 5 unknown ends; client by status", "40 cases"),
  promised("I09", "ids stay", "table; editors' ways of saving; bulk moves", "each way known to us"),
  promised("I10", "no echo", "inodes and times before and after; daemon", "7 contents × 3 deployments"),
  promised("I11", "one path, one id", "planner; disks that fold case and Unicode", "225 scenarios"),
  promised("I12", "commit after verify", "each record is compared with both sides after a run", "23 runs"),
  promised("I13", "crash anywhere", "killed at each port call and each disk call; kill -9", "every call"),
  promised(
    "I14",
    "late writes survive",
    "each effect × each way to save × each moment, on 3 disks",
    "500 races a disk",
  ),
  promised("I15", "order-free", "planner; engine with steps shuffled and answers late", "225 orders; 16 runs"),
  promised("I16", "terminates", "every write refused; every disk call failing; planner", "17 refusals, 6 faults"),
  promised("I17", "isolation", "planner with a failing step; executor", "100 scenarios"),
  promised("I18", "scope is no deletion", "ignore rules, mode, names, root moved or copied, subtree", "12 tests"),
  promised("I19", "access is no deletion", "key, workspace or grants taken and given back", "7 losses"),
  promised("I20", "a list is atomic", "each page of documents and of folders, 6 faults", "every page"),
  promised("I21", "delete budget", "verdict tables; approve and undo on real files; rm -rf under watch", "7 tests"),
  promised("I22", "blocks persist", "made, closed, opened, synced offline and online", "22 of 34 reasons"),
  promised("I23", "dry commands write nothing", "bytes, modes and times of all files before and after", "8 tests"),
  promised("I24", "the plan is pure", "planner on frozen nonsense: purity and totality", "150 trees"),
  promised("I25", "round trip", "26 contents downloaded, uploaded, edited and merged", "4 deployments"),
  promised("I26", "inside the root", "symlinks and swapped folders before each call; hostile lists", "1,900 swaps"),
  promised("I27", "one conflict", "planner; simulation runs", "23 runs"),
  promised("I28", "honest merge", "the laws, byte for byte; words counted; changes kept", "1,600 merges"),
  promised("I29", "clock-free", "6 wrong clocks, 5 kinds of wrong times: the same writes", "11 scenarios"),
  promised("I30", "secret-free", "key and contents are searched in everything that is written", "10 tests"),
  promised(
    "I31",
    "reviews are stable",
    "each outcome × why it is in review; edits, moves, deletions, a lost answer",
    "78 outcomes",
  ),
  promised("I32", "deterministic", "same seed, same trace: simulation runs, disk, planner", "3 seeds twice"),
  promised("I33", "bounded", "requests counted by kind; heap of a process with long contents", "12 counts"),
];
