import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { expect } from "vitest";
import { buildDist } from "../../scripts/build/dist.ts";
import { CHECKOUT, type Installed, makeDir, type Running, run, start } from "./installed.ts";

export type ServedMirror = {
  /** The command as it was built. */
  readonly built: Installed;
  /** In sync with an embedded service that runs. */
  readonly mirror: string;
  /** Ends the service, and removes all that was made. */
  stop(): Promise<void>;
};

/**
 * Builds dist, and mirrors a service by it.
 * @param paths of the documents, each of which is one heading
 */
export async function serveMirror(paths: readonly string[]): Promise<ServedMirror> {
  expect(buildDist(CHECKOUT)).not.toMatchObject({ kind: "failed" });
  const dir = makeDir();
  const env = { PATH: [dirname(process.execPath), "/usr/bin"].join(delimiter), HOME: dir, XDG_RUNTIME_DIR: dir };
  const command = join(CHECKOUT, "dist", "cli", "entry.mjs");
  const built: Installed = { by: "linked", said: "", folder: CHECKOUT, command, env, dir };
  const mirror = join(dir, "notes");
  writeNotes(join(dir, "given"), paths);
  const data = join(dir, "service");
  const service = start(built, "serve", "--data", data, "--port", "0", "--import", join(dir, "given"));
  const url = (await service.line((line) => line.startsWith("serving "))).slice("serving ".length);
  expect(run(built, "init", mirror, "--url", url, "--key-file", join(data, "key"), "--yes")).toMatchObject({
    code: 0,
    err: "",
  });
  // What the first one left is settled by the second.
  expect(run(built, "sync", mirror)).toMatchObject({ code: 0 });
  return { built, mirror, stop: () => endOf(service, dir) };
}

function writeNotes(folder: string, paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), `# ${path}\n`);
  }
}

async function endOf(service: Running, dir: string): Promise<void> {
  await service.stop();
  rmSync(dirname(dir), { recursive: true, force: true });
}
