import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect } from "vitest";
import { type OpenData, openData } from "../../src/service/data.ts";
import { startHttp } from "../../src/service/http/server.ts";
import type { Rig } from "../cli/rig.ts";

/**
 * Fixtures of earlier programs: a linked folder, and the data of a service, which the present
 * program serves.
 */

const FIXTURES = new URL("../fixtures/upgrades/", import.meta.url);

export type Live = {
  readonly data: OpenData;
  readonly list: () => Promise<[path: string, id: string, lastChangeId: string][]>;
};

/** Unpacks a fixture: `w` is the rig's linked folder, and `data` is served on a new port. */
export async function unpack(rig: Rig, name: string): Promise<Live> {
  const { status, stderr } = spawnSync("tar", ["-xzf", new URL(`${name}.tar.gz`, FIXTURES).pathname, "-C", rig.dir]);
  expect([status, String(stderr)]).toEqual([0, ""]);
  const data = await openData(join(rig.dir, "data"));
  const server = await startHttp(data.service);
  rig.beforeClose(() => server.close().then(() => data.close()));
  const config = JSON.parse(rig.read(".mdmirror/config.json")) as { url: string };
  rig.write(".mdmirror/config.json", JSON.stringify({ ...config, url: server.url }));
  const list = async () => {
    const headers = { "x-api-key": data.key };
    const { status: code, body } = await data.service.answer({
      method: "GET",
      path: "/v1/files?limit=1000",
      headers,
      body: null,
    });
    expect(code).toBe(200);
    const { data: files } = JSON.parse(body) as { data: { path: string; id: string; lastChangeId: string }[] };
    return files.map(({ path, id, lastChangeId }): [string, string, string] => [path, id, lastChangeId]);
  };
  return { data, list };
}

/** Returns the content of every local document. */
export function documents(rig: Rig): Record<string, string> {
  const names = readdirSync(rig.root, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".md") && !name.startsWith(".mdmirror"),
  );
  return Object.fromEntries(names.toSorted().map((name) => [name, rig.read(name)]));
}

export function versionOf(file: string): number {
  const db = new Sqlite(file, { readonly: true });
  const version = db.pragma("user_version", { simple: true }) as number;
  db.close();
  return version;
}
