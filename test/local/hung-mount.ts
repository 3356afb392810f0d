/**
 * Mounts a file system that never answers and keeps a descriptor of it open: `node hung-mount.ts
 * FOLDER`. Writes a line when the descriptor is open; writes nothing if this user may not mount.
 */
import { spawnSync } from "node:child_process";
import { constants, openSync } from "node:fs";

const O_PATH = 0o10000000;
const [folder] = process.argv.slice(2) as [string];
const driver = openSync("/dev/fuse", constants.O_RDWR);
const options = "fd=3,rootmode=40000,user_id=0,group_id=0";
const mounted = spawnSync("mount", ["-i", "-t", "fuse", "-o", options, "hung", folder], {
  stdio: ["ignore", "ignore", "ignore", driver],
});
if (mounted.status === 0) {
  openSync(folder, O_PATH);
  process.stdout.write("open\n");
  process.stdin.resume();
}
