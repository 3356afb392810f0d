import { MANY_RUNS } from "../property.ts";
import { createRig, type Deployment, type Rig } from "../simulator/rig.ts";
import { PROFILES } from "../variants/variant.ts";
import { expect } from "vitest";
import type { Mirror } from "../simulator/mirror.ts";
import { actLocally, actOnService, readTree, type Tree } from "../simulator/commands.ts";
import { settle } from "../promises/fixture.ts";

/** All profiles, and single traits whose effect another trait of the profiles would hide. */
const ALL: readonly (readonly [string, Deployment])[] = [
  ...Object.entries(PROFILES).map(([name, profile]) => [`the profile ${name}`, profile] as const),
  ["no such route for folders", { noFolderPatchOrDelete: 404 }],
  [
    "change ids that move on rename, unknown members, no move to the root",
    { changeIdMovesOnRename: true, unknownMembers: true, noMoveToRoot: true },
  ],
  [
    "pages of two, and empty ones, no leading slashes, bare answers",
    { maxPageSize: 2, noLeadingSlashes: true, documentedMembersOnly: true },
  ],
  [
    "names folded, and more characters refused in them",
    { foldsCase: true, foldsUnicode: true, refusedCharacters: "=+" },
  ],
];

/**
 * The default deployment and the one that answers with the least; in a long run all deployments.
 */
const USUAL = ["the profile deployed", "the profile minimal"];

export const DEPLOYMENTS = MANY_RUNS ? ALL : ALL.filter(([name]) => USUAL.includes(name));

type End = { readonly ends: string; readonly blocked?: readonly string[] };

/**
 * A case: the synced documents at first, what users do on each side, and the documents at the end.
 * `ends` is the tree of both sides, or `LOCAL / REMOTE`. `where` gives another end for some
 * deployments.
 */
export type Row = readonly [
  start: string,
  local: string,
  remote: string,
  ends: string,
  more?: { readonly blocked?: readonly string[]; readonly where?: readonly [(deployment: Deployment) => boolean, End] },
];

export function titled(rows: readonly Row[]): [title: string, row: Row][] {
  return rows.map((row) => [row.slice(0, 4).join(" | "), row]);
}

/**
 * Starts with synced documents, acts as users on both sides, syncs until nothing changes, and
 * compares both sides, ids, blocks and records with the row.
 */
export async function checkRow([start, local, remote, ends, more = {}]: Row, deployment: Deployment): Promise<void> {
  const rig = createRig(1, deployment);
  const mirror = rig.mirror();
  const ids = await begin(readTree(start), rig, mirror);
  actLocally(mirror, local);
  actOnService(rig.app, remote);
  await settle(mirror);
  const blocked = [...mirror.state.load().blocks.values()].map((block) => block.reason).sort();

  const [differs, end] = more.where ?? [];
  const expected: End = differs?.(deployment) === true ? end! : { ends, ...more };
  const [localEnd, remoteEnd = localEnd] = expected.ends.split(" / ").map(readTree);
  expect({ local: mirror.texts(), remote: rig.app.texts() }).toEqual({
    local: textsOf(localEnd!),
    remote: textsOf(remoteEnd!),
  });
  for (const { path, from } of remoteEnd!.documents)
    if (from !== null) expect([path, rig.app.id(path)]).toEqual([path, ids.get(from)]);
  if (deployment.noFolderPatchOrDelete === undefined) {
    expect(blocked).toEqual(expected.blocked ?? []);
    for (const folder of localEnd!.folders) {
      expect(rig.app.folders()).toContain(folder);
      expect(mirror.disk.user.exists(mirror.path(folder))).toBe(true);
    }
  }
  expectRecords(rig, mirror);
  await expectUnchanged(mirror);
}

/** Creates and syncs the documents at the start of the row. Returns their ids by path. */
async function begin(start: Tree, rig: Rig, mirror: Mirror): Promise<ReadonlyMap<string, string>> {
  for (const { path, content } of start.documents) rig.app.create(path, content);
  const ids = rig.app.ids();
  await settle(mirror);
  expect(mirror.texts()).toEqual(textsOf(start));
  return ids;
}

function textsOf({ documents }: Tree): Map<string, string> {
  return new Map(documents.map(({ path, content }) => [path, content]));
}

/** Expects I12: each record has the paths at which both sides have the document. */
function expectRecords(rig: Rig, mirror: Mirror): void {
  const byId = new Map([...rig.app.files().values()].map((file) => [file.id, file.path] as const));
  const { records, blocks } = mirror.state.load();
  for (const record of records.values()) {
    expect({ id: record.id, remote: record.remotePath }).toEqual({ id: record.id, remote: byId.get(record.id) });
    // A blocked move has not changed the record; the block has the file's path.
    const block = blocks.get(record.id);
    expect(mirror.texts().has(block?.reason === "no-move-to-root" ? block.path : record.localPath)).toBe(true);
  }
}

/** Expects I02: one more sync writes nothing on either side. */
async function expectUnchanged(mirror: Mirror): Promise<void> {
  mirror.requests.length = 0;
  const before = mirror.texts();
  const report = await mirror.sync();
  expect(mirror.writes()).toEqual([]);
  expect(mirror.texts()).toEqual(before);
  const { blocked: _, ...done } = report!.counts;
  expect(Object.values(done).every((count) => count === 0)).toBe(true);
}
