/** Runs the daemon like its service unit. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { DAEMON_NODE_OPTIONS } from "../../src/mirror/daemon/autostart/service-unit.ts";
import { askDaemon, NO_DAEMON } from "../../src/mirror/daemon/control/ask.ts";
import { PROJECT, track } from "./child.ts";
import type { Mirror } from "./fixture.ts";
import { builtProgram } from "../build/dist.ts";

export type Watched = { readonly pid: number; stop(): Promise<void> };

const LIMIT_MS = 600_000;
export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Starts `mdmirror watch`. Resolves when the first cycle is over and the daemon is idle. */
export async function startDaemon(mirror: Mirror): Promise<Watched> {
  const child = spawn(process.execPath, [...DAEMON_NODE_OPTIONS, builtProgram(PROJECT), "watch", mirror.root], {
    env: { ...process.env, MDMIRROR_API_KEY: mirror.key, MDMIRROR_NOTIFY: "off" },
    stdio: ["ignore", "ignore", "inherit"],
    detached: true,
  });
  track(child);
  const watched = watchedBy(child);
  try {
    for (const end = Date.now() + LIMIT_MS; ; ) {
      const asked = await askDaemon(mirror.root, { do: "status" });
      if (asked !== NO_DAEMON && asked.kind === "ok" && asked.value.pid === child.pid) {
        if (asked.value.phase === "idle" && asked.value.inSyncAsOf !== null) return watched;
      }
      if (child.exitCode !== null) throw new Error(`watch ended with ${child.exitCode}`);
      if (Date.now() > end) throw new Error(`watch was not in sync after ${LIMIT_MS / 1_000} s`);
      await pause(100);
    }
  } catch (error) {
    await watched.stop();
    throw error;
  }
}

function watchedBy(child: ChildProcess): Watched {
  return {
    pid: child.pid!,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    },
  };
}
