import { describe, expect, test } from "vitest";
import { HOLD_REASONS, type HoldReason } from "../../src/mirror/model/hold.ts";
import type { Hold } from "../../src/mirror/model/link.ts";
import { META } from "../../src/mirror/engine/run/meta.ts";
import type { Settings } from "../../src/mirror/engine/run/world.ts";
import type { Fault, Variant } from "../variants/variant.ts";
import { change, doc, holdOf, openIn, tempFolder, textDigest } from "../state/fixture.ts";
import { asText, type Fixture, isWrite, onRealState, openFixture, problem, type Seen, settle } from "./fixture.ts";

/**
 * What makes a hold of a reason, through the whole engine. `start`: documents that both sides hold
 * first.
 */
type Case = {
  readonly reason: HoldReason;
  readonly start?: Readonly<Record<string, string>>;
  readonly make: (fixture: Fixture) => void;
  readonly variant?: Variant;
  readonly settings?: Partial<Settings>;
  readonly fault?: (request: Seen) => Fault | null;
  readonly ownKey?: true;
};

const KEEP = { "k.md": "k\n", "k2.md": "k2\n" };
const A = { ...KEEP, "d/a.md": "a\n", "d/b.md": "b\n" };
const refuse = (status: number, code: string) => (request: Seen) => (isWrite(request) ? problem(status, code) : null);
const bytes = (...all: number[]) => Uint8Array.from(all);

const CASES: readonly Case[] = [
  { reason: "name-refused", settings: { names: "block" }, make: ({ mirror }) => mirror.write("a b.md", "x\n") },
  {
    reason: "name-clash",
    make({ mirror }) {
      mirror.write("a b.md", "1\n");
      mirror.write("a-b.md", "2\n");
    },
  },
  { reason: "too-large", make: ({ mirror }) => mirror.write("a.md", "x".repeat(51_201)) },
  {
    reason: "not-utf-8",
    make: ({ mirror }) => mirror.disk.user.write(mirror.path("a.md"), bytes(0x61, 0xff, 0xfe, 0x0a)),
  },
  { reason: "contains-nul", make: ({ mirror }) => mirror.write("a.md", "a\0b\n") },
  {
    reason: "local-unreadable",
    start: A,
    make({ mirror }) {
      mirror.write("d/a.md", "x\n");
      mirror.disk.fail({ call: "readFile", path: mirror.path("d/a.md"), code: "EACCES" });
    },
  },
  {
    reason: "conflict",
    start: A,
    make({ rig, mirror }) {
      mirror.write("d/a.md", "mine\n");
      rig.app.edit("d/a.md", "theirs\n");
    },
  },
  {
    reason: "conflict-markers",
    start: A,
    make: ({ mirror }) => mirror.write("d/a.md", "<<<<<<< x\na\n=======\nb\n>>>>>>> y\n"),
  },
  {
    reason: "path-taken",
    make({ rig, mirror }) {
      mirror.write("x", "no document");
      rig.app.makeFolder("x");
    },
  },
  {
    reason: "renamed-out-of-mirror",
    start: A,
    make: ({ mirror }) => mirror.disk.user.rename(mirror.path("d/a.md"), mirror.path("d/a.txt")),
  },
  {
    reason: "no-move-to-root",
    start: A,
    variant: { noMoveToRoot: true },
    make: ({ mirror }) => mirror.disk.user.rename(mirror.path("d/a.md"), mirror.path("a.md")),
  },
  {
    reason: "gone-or-unreadable",
    start: { ...KEEP, "d/a.md": "a\n" },
    ownKey: true,
    make({ rig, mirror }) {
      mirror.write("d/a.md", "edited\n");
      rig.app.removeFolder("d");
    },
  },
  { reason: "suspended", start: A, make: ({ mirror }) => mirror.write(".mdmirrorignore", "d/\n") },
  {
    reason: "direction-off",
    start: A,
    settings: { direction: "pull-only" },
    make: ({ mirror }) => mirror.write("d/a.md", "edited\n"),
  },
  {
    reason: "in-review",
    start: A,
    make({ rig, mirror }) {
      rig.app.protect("d/a.md", true);
      mirror.write("d/a.md", "edited\n");
    },
  },
  {
    reason: "read-only",
    start: A,
    make: ({ mirror }) => mirror.write("d/a.md", "x\n"),
    fault: refuse(403, "forbidden"),
  },
  {
    reason: "refused",
    start: A,
    make: ({ mirror }) => mirror.write("d/a.md", "x\n"),
    fault: refuse(422, "content_too_large"),
  },
  {
    reason: "occupied-unseen",
    start: KEEP,
    make: ({ mirror }) => mirror.write("a.md", "x\n"),
    fault: refuse(409, "path_already_exists"),
  },
  {
    reason: "delete-refused",
    start: A,
    make: ({ mirror }) => mirror.disk.user.remove(mirror.path("d")),
    fault: ({ method, path }) =>
      method === "DELETE" && path.startsWith("/v1/folders/") ? problem(403, "forbidden") : null,
  },
  {
    reason: "delete-pending",
    start: A,
    make: ({ mirror }) => mirror.disk.user.remove(mirror.path("d/a.md")),
    fault: ({ method }) => (method === "DELETE" ? problem(409, "changes_in_review") : null),
  },
  {
    reason: "review-conflict",
    start: A,
    make(fixture) {
      fixture.mirror.write("d/a.md", "edited\n");
      fixture.onRequest = ({ method }) => {
        if (method !== "PUT") return;
        fixture.onRequest = () => undefined;
        fixture.rig.app.edit("d/a.md", "otherwise\n");
      };
    },
  },
  {
    reason: "folder-stays",
    start: A,
    variant: { noFolderPatchOrDelete: 405 },
    make: ({ mirror }) => mirror.disk.user.remove(mirror.path("d")),
  },
];

function factsOf({ key, path, reason, code, detail, digest, since }: Hold): Partial<Hold> {
  return { key, path, reason, code, detail, digest, since };
}

describe("I22 a hold stays over a restart until what it is about changes", () => {
  test.each(CASES.map((row) => [row.reason, row] as const))("%s", async (reason, row) => {
    const fixture = openFixture(
      22,
      row.variant ?? {},
      row.ownKey ? (rig) => ({ key: rig.makeKey({ on: null, level: "full" }).key }) : {},
    );
    const state = onRealState(fixture);
    for (const [path, text] of Object.entries(row.start ?? {})) fixture.rig.app.create(path, text);
    await state.sync(row.settings);
    row.make(fixture);
    if (row.fault !== undefined) fixture.fault = row.fault;
    for (let run = 0; run < 3; run++) await state.sync(row.settings);
    const held = [...state.state().load().holds.values()].filter((hold) => hold.reason === reason);
    expect(held.length).toBeGreaterThan(0);
    const before = held.map(factsOf);

    state.restart();
    const heldNow = () =>
      [...state.state().load().holds.values()].filter((hold) => hold.reason === reason).map(factsOf);
    expect(heldNow()).toEqual(before);
    // Also over a run that sees nothing of the service, and one that does, with nothing sent again.
    fixture.fault = () => "drop-before";
    await state.sync(row.settings);
    state.restart();
    expect(heldNow()).toEqual(before);
    fixture.fault = row.fault ?? (() => null);
    fixture.seen.length = 0;
    await state.sync(row.settings);
    expect(heldNow()).toEqual(before);
    expect(fixture.seen.filter(isWrite).map(asText)).toEqual([]);
  });

  test("edits of documents that are all gone, once somebody has said that this is so, are held and halt no later run", async () => {
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
      const held = [...mirror.state.load().holds.values()].map(({ path, reason }) => `${path} ${reason}`);
      expect(held.sort()).toEqual(paths.map((path) => `${path} gone-or-unreadable`));
    }
    // What was never said to be gone is asked about, as ever.
    for (const path of ["e/1.md", "e/2.md", "e/3.md", "e/4.md", "e/5.md"]) rig.app.create(path, "new\n");
    await settle(mirror);
    rig.app.removeFolder("e");
    expect(await mirror.sync()).toMatchObject({ state: "stopped" });
    expect(mirror.texts().size).toBe(11);
  });

  test("a hold of every reason there is comes back from the file with all its facts", () => {
    const folder = tempFolder();
    const reasons = Object.keys(HOLD_REASONS) as HoldReason[];
    const holds = reasons.map((reason, index) =>
      holdOf(doc(`h${index}`), {
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
    state.replaceHolds(holds);
    state.close();
    const again = openIn(folder);
    expect([...again.load().holds.values()].sort((a, b) => a.since - b.since)).toEqual(holds);
    again.close();
  });
});
