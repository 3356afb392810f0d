import { spawn, spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Rig } from "../cli/rig.ts";
import { ENTRY, keptCompiled, Running } from "../program.ts";

/** Real processes, for tests of what only a process can show. */

/** Resolves when `watch --json` has finished its first cycle. Rejects if it ends first. */
export async function whenWatching(watch: Running): Promise<void> {
  await watch.line((line) => line.includes('"kind":"run"'));
}

/** Returns the environment of a user whose folders are the rig's. */
function envOf(rig: Rig, more: Readonly<Record<string, string>> = {}) {
  return {
    ...keptCompiled(),
    PATH: process.env["PATH"],
    HOME: rig.dir,
    XDG_RUNTIME_DIR: join(rig.dir, "run"),
    XDG_STATE_HOME: rig.stateHome,
    MDMIRROR_NOTIFY: "off",
    ...more,
  };
}

/** Starts `mdmirror …` in a shell that first runs `before`, in a separate working folder. */
export function startUnder(
  before: string,
  rig: Rig,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Running {
  mkdirSync(join(rig.dir, "run"), { recursive: true, mode: 0o700 });
  mkdirSync(join(rig.dir, "cwd"), { recursive: true });
  const command = ["-c", `${before}; exec "$@"`, "sh", process.execPath, ENTRY, ...args];
  const options = { cwd: join(rig.dir, "cwd"), env: envOf(rig, more) };
  return new Running(spawn("sh", command, { ...options, stdio: ["ignore", "pipe", "pipe"] }));
}

/** Returns the result of another user's attempt to connect. */
export function connectAs(uid: number, path: string): string {
  const code = `require("net").connect(${JSON.stringify(path)}).on("connect",()=>{console.log("connected");process.exit()}).on("error",(e)=>console.log(e.code))`;
  // The other user may not be able to enter the folder of this Node.
  const script = [
    "import socket",
    "s=socket.socket(socket.AF_UNIX)",
    "try:",
    ` s.connect(${JSON.stringify(path)})`,
    " print('connected')",
    "except PermissionError:",
    " print('EACCES')",
  ];
  const python = spawnSync("/usr/bin/python3", ["-c", script.join("\n")], { uid, gid: uid, encoding: "utf8" });
  if (python.error === undefined) return python.stdout.trim();
  return spawnSync(process.execPath, ["-e", code], { uid, gid: uid, encoding: "utf8" }).stdout.trim();
}
