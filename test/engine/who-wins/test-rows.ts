import { describe, expect, it } from "vitest";
import type { Mirror } from "../../simulator/mirror.ts";
import { createRig, type Deployment, type Rig } from "../../simulator/rig.ts";
import { DEPLOYMENTS } from "./deployments.ts";
import { Disk, type Row } from "./row.ts";

/**
 * Who wins, row by row, through the whole engine: real planner, client, disk layer, state and
 * service; only disk, clock and wire are in memory.
 */
export function testRows(what: string, rows: readonly Row[]): void {
  describe.each(DEPLOYMENTS)(`${what}, on a deployment: %s`, (_, deployment) => {
    it.each(rows.map((row) => [row.name, onDeployment(row, deployment)] as const))("%s", async (_name, row) => {
      const rig = createRig(1, deployment);
      const mirror = rig.mirror();
      const ids = await begin(row, rig, mirror);
      row.here?.(mirror, new Disk(mirror));
      row.there?.(rig.app);
      const holds = await settle(mirror);

      expect({ local: mirror.texts(), remote: remoteTexts(rig) }).toEqual({
        local: documentsOf(row.local ?? row.both ?? {}),
        remote: documentsOf(row.remote ?? row.both ?? {}),
      });
      for (const [before, after] of Object.entries(row.sameIds ?? {}))
        expect([after, rig.app.files().get(after)?.id]).toEqual([after, ids.get(before)]);
      if (deployment.noFolderPatchOrDelete === undefined) {
        expect(holds).toEqual(row.holds ?? []);
        expectEmptyFolders(row, rig, mirror);
      }
      expectBaseIsTrue(rig, mirror);
      await expectQuietPass(mirror);
    });
  });
}

function onDeployment(row: Row, deployment: Deployment): Row {
  const [isTrue, differs] = row.where ?? [];
  return isTrue?.(deployment) ? { ...row, ...differs } : row;
}

/** @returns the id of each document that the row starts with, by its path */
async function begin(row: Row, rig: Rig, mirror: Mirror): Promise<ReadonlyMap<string, string>> {
  for (const [path, text] of Object.entries(row.start ?? {})) rig.app.create(path, text);
  const ids = new Map([...rig.app.files()].map(([path, file]) => [path, file.id] as const));
  await settle(mirror);
  expect(mirror.texts()).toEqual(documentsOf(row.start ?? {}));
  return ids;
}

async function settle(mirror: Mirror): Promise<string[]> {
  let holds: string[] = [];
  for (let n = 0; n < 3; n++) {
    const report = await mirror.sync();
    holds = [...mirror.state.load().holds.values()].map((hold) => hold.reason);
    expect(report?.fault ?? null).toBeNull();
  }
  return holds.sort();
}

function remoteTexts(rig: Rig): Map<string, string> {
  return new Map(
    [...rig.app.files().values()].map((file) => [file.path, file.text] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function documentsOf(expected: Readonly<Record<string, string>>): Map<string, string> {
  return new Map(
    Object.entries(expected)
      .filter(([path]) => !path.endsWith("/"))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function expectEmptyFolders(row: Row, rig: Rig, mirror: Mirror): void {
  for (const path of Object.keys(row.both ?? {}).filter((name) => name.endsWith("/"))) {
    expect(rig.app.folders()).toContain(path.slice(0, -1));
    expect(mirror.disk.user.exists(mirror.path(path.slice(0, -1)))).toBe(true);
  }
}

/** I12: base says where both sides have each document. */
function expectBaseIsTrue(rig: Rig, mirror: Mirror): void {
  const byId = new Map([...rig.app.files().values()].map((file) => [file.id, file.path] as const));
  const { links, holds } = mirror.state.load();
  for (const link of links.values()) {
    expect({ id: link.id, there: link.remotePath }).toEqual({ id: link.id, there: byId.get(link.id) });
    // A move that is held has not moved base: the hold says where the file is.
    const hold = holds.get(link.id);
    expect(mirror.texts().has(hold?.reason === "no-move-to-root" ? hold.path : link.localPath)).toBe(true);
  }
}

/** I02: a pass after convergence writes nothing on either side. */
async function expectQuietPass(mirror: Mirror): Promise<void> {
  mirror.requests.length = 0;
  const before = mirror.texts();
  const report = await mirror.sync();
  expect(mirror.requests.filter((request) => !request.startsWith("GET "))).toEqual([]);
  expect(mirror.texts()).toEqual(before);
  expect(report?.counts).toMatchObject({
    uploaded: 0,
    downloaded: 0,
    createdLocal: 0,
    createdRemote: 0,
    movedLocal: 0,
    movedRemote: 0,
    deletedLocal: 0,
    deletedRemote: 0,
    merged: 0,
  });
}
