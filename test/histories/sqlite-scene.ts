import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Cluster } from "./cluster.ts";
import { killProcess, type Scene } from "./live.ts";
import { ServiceProcess } from "./service-process.ts";

/** Starts one `serve` on SQLite, which the faults kill. */
export async function openSqliteScene(): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), "mdmirror-histories-"));
  const process = new ServiceProcess(["--data", folder]);
  await process.start();
  const cluster = new Cluster([process]);
  const end = async () => {
    await cluster.close();
    rmSync(folder, { recursive: true });
  };
  return { cluster, strikes: [killProcess(cluster)], end };
}
