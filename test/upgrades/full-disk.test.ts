import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { STATE_SCHEMA } from "../../src/mirror/state/schema.ts";
import { openRig, type Rig } from "../cli/rig.ts";
import { documents, unpack, versionOf } from "./unpack.ts";

/** The migration of a state on a disk that is full, or becomes full during the migration. */

/**
 * Free space. It runs out at texts.db, at the shared-memory file, during the copy of the old state,
 * and after the migration.
 */
const KILOBYTES = [4, 32, 96, 232];
const FULL = /^mdmirror: (.* cannot be used: )?the disk is full \((ENOSPC|SQLITE_FULL|SQLITE_IOERR_SHMSIZE)\)$/;

/** Mounts a small disk. Returns false if this user cannot mount. */
function mountSmall(rig: Rig): boolean {
  mkdirSync(rig.root);
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", rig.root]).status !== 0) return false;
  onTestFinished(() => void execFileSync("umount", [rig.root]));
  return true;
}

/** Fills the disk up to `bytes` of free space. Returns a function that frees the space again. */
function leaveFree(root: string, bytes: number): () => void {
  const filler = join(root, "filler");
  const { bavail, bsize } = statfsSync(root);
  writeFileSync(filler, Buffer.alloc(bavail * bsize - bytes));
  return () => rmSync(filler);
}

test("I06 on a full disk nothing is lost, one sentence says so, and with space it continues", async ({ skip }) => {
  const rig = await openRig();
  onTestFinished(() => rig.close());
  if (!mountSmall(rig)) return skip("no small disk can be mounted here");
  const { list } = await unpack(rig, "678de31");
  const state = rig.path(".mdmirror/state.db");
  const before = { live: await list(), here: documents(rig), version: versionOf(state) };
  const kept = join(rig.dir, "kept");
  execFileSync("cp", ["-a", rig.root, kept]);
  expect((await rig.run(["trust", "w", "--yes"])).code).toBe(0);
  const versions = new Set<number>();
  for (const kilobytes of KILOBYTES) {
    execFileSync("find", [rig.root, "-mindepth", "1", "-delete"]);
    execFileSync("cp", ["-a", `${kept}/.`, rig.root]);
    const free = leaveFree(rig.root, kilobytes * 1_024);
    const { code, err } = await rig.run(["approve", "w", "--yes"]);
    if (code !== 0) {
      expect([kilobytes, code, err[0]]).toEqual([kilobytes, 9, expect.stringMatching(FULL)]);
      expect(err.slice(1)).toEqual(["  next: nothing is lost: free some space, then run the command again"]);
    }
    expect([documents(rig), await list()]).toEqual([before.here, before.live]);
    free();
    versions.add(versionOf(state));
    expect((await rig.run(["approve", "w", "--yes"])).code).toBe(0);
    expect((await rig.run(["sync", "w"])).code).toBe(3);
    expect([documents(rig), await list(), versionOf(state)]).toEqual([before.here, before.live, STATE_SCHEMA.version]);
    // A version that neither side has any more.
    expect((await rig.run(["show", "w/plan.md@1"])).out.join()).toContain("two");
  }
  // The disk became full both before the migration and after it.
  expect([...versions]).toEqual([before.version, STATE_SCHEMA.version]);
});
