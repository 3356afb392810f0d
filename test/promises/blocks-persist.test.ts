import { describe, expect, test } from "vitest";
import { BLOCK_REASONS, type BlockReason } from "../../src/mirror/model/block.ts";
import type { Block } from "../../src/mirror/model/record.ts";
import { META } from "../../src/mirror/engine/run/meta.ts";
import type { Settings } from "../../src/mirror/engine/run/world.ts";
import { actLocally, actOnService, readTree } from "../simulator/commands.ts";
import type { Fault, Variant } from "../variants/variant.ts";
import { change, doc, blockOf, openIn, textDigest } from "../state/fixture.ts";
import {
  asText,
  type Fixture,
  isWrite,
  openFixture,
  problem,
  type SeenRequest,
  settle,
  Restartable,
  beforeFirst,
} from "./fixture.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** Options of the fixture, and facts that no command can create. */
type More = {
  readonly make?: (fixture: Fixture) => void;
  readonly variant?: Variant;
  readonly settings?: Partial<Settings>;
  readonly fault?: (request: SeenRequest) => Fault | null;
  readonly ownKey?: true;
};

/**
 * A reason, the synced documents at first, and the changes on each side that cause a block with
 * this reason.
 */
type Case = readonly [reason: BlockReason, start: string, local: string, remote: string, more?: More];

const KEEP = "k.md=k k2.md=k2";
const A = `${KEEP} d/a.md=a d/b.md=b`;
const EDIT = "write d/a.md edited";
const refuse = (status: number, code: string): More => ({
  fault: (request) => (isWrite(request) ? problem(status, code) : null),
});

const CASES: readonly Case[] = [
  ["name-refused", "", "write a_b.md x", "", { settings: { names: "block" } }],
  ["name-clash", "", "write a_b.md 1; write a-b.md 2", ""],
  ["too-large", "", "write a.md $LARGE", ""],
  [
    "not-utf-8",
    "",
    "",
    "",
    { make: ({ mirror }) => mirror.disk.user.write(mirror.path("a.md"), Uint8Array.of(0x61, 0xff, 0xfe)) },
  ],
  ["contains-nul", "", "write a.md a\0b", ""],
  [
    "local-unreadable",
    A,
    EDIT,
    "",
    {
      make: ({ mirror: { disk, path } }) => void disk.fail({ call: "readFile", path: path("d/a.md"), code: "EACCES" }),
    },
  ],
  ["conflict", A, "write d/a.md mine", "edit d/a.md theirs"],
  ["conflict-markers", A, "write d/a.md $MARKERS", ""],
  ["path-taken", "", "write x no-document", "mkdir x"],
  ["renamed-out-of-mirror", A, "mv d/a.md d/a.txt", ""],
  ["no-move-to-root", A, "mv d/a.md a.md", "", { variant: { noMoveToRoot: true } }],
  ["gone-or-unreadable", `${KEEP} d/a.md=a`, EDIT, "rm d", { ownKey: true }],
  ["suspended", A, "write .mdmirrorignore d/", ""],
  ["direction-off", A, EDIT, "", { settings: { direction: "pull" } }],
  ["in-review", A, EDIT, "", { make: ({ rig }) => rig.app.protect("d/a.md", true) }],
  ["read-only", A, EDIT, "", refuse(403, "forbidden")],
  ["refused", A, EDIT, "", refuse(422, "content_too_large")],
  ["occupied-unseen", KEEP, "write a.md x", "", refuse(409, "path_already_exists")],
  [
    "delete-refused",
    A,
    "rm d",
    "",
    {
      fault: ({ method, path }) =>
        method === "DELETE" && path.startsWith("/v1/folders/") ? problem(403, "forbidden") : null,
    },
  ],
  [
    "delete-pending",
    A,
    "rm d/a.md",
    "",
    { fault: ({ method }) => (method === "DELETE" ? problem(409, "changes_in_review") : null) },
  ],
  [
    "review-conflict",
    A,
    EDIT,
    "",
    { make: (fixture) => beforeFirst(fixture, "PUT", () => fixture.rig.app.edit("d/a.md", "otherwise\n")) },
  ],
  ["folder-stays", A, "rm d", "", { variant: { noFolderPatchOrDelete: 405 } }],
];

function factsOf({ key, path, reason, code, detail, digest, since }: Block): Partial<Block> {
  return { key, path, reason, code, detail, digest, since };
}

describe("I22 a block survives a restart until its subject changes", () => {
  test.each(CASES.map((row) => [row[0], row] as const))("%s", async (reason, [, start, local, remote, row = {}]) => {
    const fixture = openFixture(
      22,
      row.variant ?? {},
      row.ownKey ? (rig) => ({ key: rig.makeKey({ on: null, level: "full" }).key }) : {},
    );
    const { rig, mirror } = fixture;
    const state = new Restartable(fixture);
    for (const { path, content } of readTree(start).documents) rig.app.create(path, content);
    await state.sync(row.settings);
    actLocally(mirror, local);
    actOnService(rig.app, remote);
    row.make?.(fixture);
    if (row.fault !== undefined) fixture.fault = row.fault;
    for (let run = 0; run < 3; run++) await state.sync(row.settings);
    const blocks = [...state.state().load().blocks.values()].filter((block) => block.reason === reason);
    expect(blocks.length).toBeGreaterThan(0);
    const before = blocks.map(factsOf);

    state.restart();
    const blocksNow = () =>
      [...state.state().load().blocks.values()].filter((block) => block.reason === reason).map(factsOf);
    expect(blocksNow()).toEqual(before);
    // The block also stays after a run without the service and after a run with it, and neither
    // sends the change again.
    fixture.fault = () => "drop-before";
    await state.sync(row.settings);
    state.restart();
    expect(blocksNow()).toEqual(before);
    fixture.fault = row.fault ?? (() => null);
    fixture.seen.length = 0;
    await state.sync(row.settings);
    expect(blocksNow()).toEqual(before);
    expect(fixture.seen.filter(isWrite).map(asText)).toEqual([]);
  });

  test("edits of documents that are all gone, once somebody has confirmed this, are blocked and stop no later run", async () => {
    const { rig, mirror } = openFixture(23);
    const paths = Array.from({ length: 6 }, (_, n) => `d/n${n}.md`);
    for (const path of paths) rig.app.create(path, `${path}\n`);
    await settle(mirror);
    for (const path of paths) mirror.write(path, `${path}, edited\n`);
    rig.app.removeFolder("d");
    expect((await mirror.sync())?.state).toBe("stopped");
    mirror.state.setMeta(META.approved, JSON.stringify(["wrong-workspace"]));
    for (let run = 0; run < 3; run++) {
      expect(await mirror.sync()).toMatchObject({ state: "attention", counts: { blocked: 6 } });
      const blocks = [...mirror.state.load().blocks.values()].map(({ path, reason }) => `${path} ${reason}`);
      expect(blocks.sort()).toEqual(paths.map((path) => `${path} gone-or-unreadable`));
    }
    // The earlier approval does not cover these documents, so their deletion stops the sync as
    // usual.
    for (const path of ["e/1.md", "e/2.md", "e/3.md", "e/4.md", "e/5.md"]) rig.app.create(path, "new\n");
    await settle(mirror);
    rig.app.removeFolder("e");
    expect(await mirror.sync()).toMatchObject({ state: "stopped" });
    expect(mirror.texts().size).toBe(11);
  });

  test("a block of each reason is read from the file with all its facts", () => {
    const folder = temporaryFolder();
    const reasons = Object.keys(BLOCK_REASONS) as BlockReason[];
    const blocks = reasons.map((reason, index) =>
      blockOf(doc(`h${index}`), {
        reason,
        path: `d/${reason} "ü".md`,
        detail: `because of ${reason}`,
        code: index % 2 === 0 ? reason : null,
        requestId: index % 3 === 0 ? `req_${index}` : null,
        digest: index % 2 === 0 ? textDigest(reason) : null,
        changeId: index % 5 === 0 ? change(index) : null,
        since: index + 1,
      }),
    );
    const state = openIn(folder);
    state.replaceBlocks(blocks);
    state.close();
    const again = openIn(folder);
    expect([...again.load().blocks.values()].sort((a, b) => a.since - b.since)).toEqual(blocks);
    again.close();
  });
});
