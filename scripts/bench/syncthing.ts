/**
 * Two Syncthing instances on loopback: no discovery, no relays, no statistics sent; each with its
 * own home below the bench's folder.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { runChild, track } from "./child.ts";
import type { Fixture } from "./fixture.ts";
import { freePort } from "./peers.ts";
import { pause } from "./watched.ts";

const API_KEY = "bench";
const LIMIT_MS = 300_000;

type Instance = {
  readonly id: string;
  readonly address: string;
  call(method: "GET" | "PUT" | "PATCH" | "POST", path: string, body?: object): Promise<unknown>;
  stop(): Promise<void>;
};

export type SyncthingPair = {
  /** The first instance learns and hashes a folder. */
  offer(folder: string, path: string): Promise<void>;
  /**
   * The second one takes it into an empty folder. @returns milliseconds until it holds so many
   * files
   */
  take(folder: string, path: string, files: number): Promise<number>;
  /**
   * A file of the offered folder was changed: told by its path, as a watcher would. @returns
   * milliseconds until `arrived`
   */
  pass(folder: string, changed: string, arrived: () => boolean): Promise<number>;
  stop(): Promise<void>;
};

export async function startSyncthing(fixture: Fixture): Promise<SyncthingPair> {
  const first = await startInstance(fixture, "syncthing-a");
  let second: Instance;
  try {
    second = await startInstance(fixture, "syncthing-b");
  } catch (error) {
    await first.stop();
    throw error;
  }
  await introduce(first, second);
  await introduce(second, first);
  const folderConfig = (id: string, path: string) => ({
    id,
    path,
    type: "sendreceive",
    fsWatcherEnabled: false,
    rescanIntervalS: 0,
    devices: [{ deviceID: first.id }, { deviceID: second.id }],
  });
  const share = async (instance: Instance, id: string, path: string) => {
    mkdirSync(path, { recursive: true });
    await instance.call("PUT", `/rest/config/folders/${id}`, folderConfig(id, path));
  };
  return {
    async offer(id, path) {
      await share(first, id, path);
      // Answers when the scan is over.
      await first.call("POST", `/rest/db/scan?folder=${id}`);
    },
    async take(id, path, files) {
      const began = performance.now();
      await share(second, id, path);
      await until(async () => {
        const status = (await second.call("GET", `/rest/db/status?folder=${id}`)) as Status;
        return status.state === "idle" && status.needFiles === 0 && status.localFiles >= files;
      });
      return performance.now() - began;
    },
    async pass(id, changed, arrived) {
      const began = performance.now();
      await first.call("POST", `/rest/db/scan?folder=${id}&sub=${encodeURIComponent(changed)}`);
      await until(() => Promise.resolve(arrived()), 2);
      return performance.now() - began;
    },
    async stop() {
      await first.stop();
      await second.stop();
    },
  };
}

type Status = {
  readonly state: string;
  readonly needFiles: number;
  readonly localFiles: number;
};

async function until(reached: () => Promise<boolean>, everyMs = 20): Promise<void> {
  for (const end = Date.now() + LIMIT_MS; !(await reached()); ) {
    if (Date.now() > end) throw new Error(`syncthing was not in sync after ${LIMIT_MS / 1_000} s`);
    await pause(everyMs);
  }
}

async function startInstance(fixture: Fixture, label: string): Promise<Instance> {
  const home = fixture.fresh(label);
  mkdirSync(home, { mode: 0o700 });
  await runChild("syncthing", ["generate", "--home", home, "--no-default-folder", "--skip-port-probing"]);
  const gui = `127.0.0.1:${await freePort()}`;
  const address = `tcp://127.0.0.1:${await freePort()}`;
  const options = ["--home", home, "--gui-address", gui, "--gui-apikey", API_KEY];
  const child = spawn("syncthing", ["serve", ...options, "--no-browser", "--no-restart", "--no-upgrade"], {
    env: { ...process.env, STNOUPGRADE: "1" },
    stdio: "ignore",
    detached: true,
  });
  track(child);
  const call: Instance["call"] = async (method, path, body) => {
    const response = await fetch(`http://${gui}${path}`, {
      method,
      headers: { "x-api-key": API_KEY, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`syncthing ${method} ${path}: ${response.status} ${text.slice(0, 200)}`);
    return text === "" ? null : (JSON.parse(text) as unknown);
  };
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  };
  try {
    await until(() =>
      call("GET", "/rest/system/ping").then(
        () => true,
        // Not listening yet; `until` gives up in the end.
        () => child.exitCode !== null && Promise.reject(new Error(`syncthing ended with ${child.exitCode}`)),
      ),
    );
    const { myID } = (await call("GET", "/rest/system/status")) as { myID: string };
    await call("PATCH", "/rest/config/options", {
      listenAddresses: [address],
      globalAnnounceEnabled: false,
      localAnnounceEnabled: false,
      relaysEnabled: false,
      natEnabled: false,
      urAccepted: -1,
      crashReportingEnabled: false,
      autoUpgradeIntervalH: 0,
      reconnectionIntervalS: 1,
    });
    return { id: myID, address, call, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function introduce(to: Instance, other: Instance): Promise<void> {
  await to.call("PUT", `/rest/config/devices/${other.id}`, { deviceID: other.id, addresses: [other.address] });
  await until(async () => {
    const { connections } = (await to.call("GET", "/rest/system/connections")) as {
      connections: Record<string, { connected: boolean }>;
    };
    // The other one may not know this one yet; it connects when it does.
    return connections[other.id] !== undefined;
  });
}
