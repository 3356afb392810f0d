import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, test, describe } from "vitest";
import { digestOf } from "../../src/contract/digest.ts";
import {
  approveAndSettle,
  type Fixture,
  isWrite,
  openFixture,
  openSynced,
  putId,
  Restartable,
  settle,
  stopReasons,
} from "./fixture.ts";
import type { Variant } from "../variants/variant.ts";

test("I07 an edit whose base is missing in the content store is never sent on a version that this folder has not read", async () => {
  const fixture = openFixture(1);
  const { rig, mirror } = fixture;
  const real = new Restartable(fixture);
  const id = rig.app.create("a.md", "one\n\ntwo\n");
  for (let n = 0; n < 2; n++) await real.sync();
  const texts = new Sqlite(join(real.folder, "texts.db"));
  texts.exec("DELETE FROM texts");
  texts.close();
  real.restart();
  mirror.write("a.md", "one, here\n\ntwo\n");
  let edited = false;
  fixture.onRequest = ({ method, path }) => {
    if (edited || method !== "GET" || !path.endsWith(id)) return;
    edited = true;
    rig.app.edit("a.md", "one\n\ntwo, there\n");
  };
  for (let n = 0; n < 2; n++) await real.sync();
  expect(edited).toBe(true);
  expect(fixture.seen.filter((request) => putId(request) !== null)).toEqual([]);
  expect(rig.app.texts().get("a.md")).toBe("one\n\ntwo, there\n");
  expect(mirror.texts().get("a.md")).toBe("one, here\n\ntwo\n");
  expect(real.state().conflict(id)).toMatchObject({ shown: [{ digest: digestOf("one\n\ntwo, there\n") }] });
});

const notes = Array.from({ length: 14 }, (_, n) => `d/n${n}.md`);

/** Documents that both sides change later. */
const kept = ["kept/a.md", "kept/b.md", "kept/c.md", "kept/d.md"];

const inSync = () =>
  openSynced(Object.fromEntries([...notes, ...kept].map((path) => [path, `${path}\n\na text of its own\n`])));

/** Makes one change of each kind that a sync would apply if nothing stopped it. */
function changeBothSides({ rig, mirror }: Fixture): void {
  mirror.write("kept/a.md", "edited locally\n");
  mirror.write("new/local.md", "new locally\n");
  mirror.rename("kept/b.md", "kept/renamed.md");
  mirror.disk.user.makeFolder(mirror.path("empty"));
  rig.app.edit("kept/c.md", "edited on the service\n");
  rig.app.create("new/remote.md", "new on the service\n");
  rig.app.rename("kept/d.md", "moved.md");
}

const STOPS: readonly (readonly [reason: string, remove: (fixture: Fixture, path: string) => void])[] = [
  ["delete-budget-remote", ({ mirror }, path) => mirror.remove(path)],
  ["delete-budget-local", ({ rig }, path) => rig.app.remove(path)],
];

describe("I21 nothing changes on either side between a stop and its answer", () => {
  test.each(STOPS)("%s", async (reason, remove) => {
    const fixture = await inSync();
    const { rig, mirror, seen } = fixture;
    for (const path of notes.slice(1)) remove(fixture, path);
    changeBothSides(fixture);
    const [local, remote] = [mirror.disk.user.texts(mirror.path("."), true), rig.app.texts()];
    let report = (await mirror.sync())!;
    for (let run = 0; run < 2; run++) report = (await mirror.sync())!;
    expect([report.state, stopReasons(report)]).toEqual(["stopped", [reason]]);
    expect(seen.filter(isWrite)).toEqual([]);
    expect(rig.app.texts()).toEqual(remote);
    expect(mirror.disk.user.texts(mirror.path("."), true)).toEqual(local);

    await approveAndSettle(mirror, report);
    expect(mirror.texts()).toEqual(rig.app.texts());
    expect([...mirror.texts().keys()].toSorted()).toEqual([
      "d/n0.md",
      "kept/a.md",
      "kept/c.md",
      "kept/moved.md",
      "kept/renamed.md",
      "new/local.md",
      "new/remote.md",
    ]);
  });
});

const TEXTS = ["plain\n", "", "no final newline", "one\r\ntwo\r\n", "\ufeffBOM\n", "cafe\u0301\n", "x".repeat(20_000)];
const VARIANTS: readonly (readonly [string, Variant])[] = [
  ["as the embedded service is", {}],
  ["bare answers, no leading slashes", { documentedMembersOnly: true, noLeadingSlashes: true }],
  ["change ids that move on rename", { changeIdMovesOnRename: true }],
];
const at = (index: number) => `d/n${index}.md`;

/** Returns inode and times of each file. A rewrite changes them, even with equal bytes. */
function stampsOf({ mirror }: Fixture): Map<string, string> {
  return new Map(
    [...mirror.texts().keys()].map((path) => {
      const { ino, mtimeMs, ctimeMs } = mirror.disk.lstat(mirror.path(path));
      return [path, `${ino} ${mtimeMs} ${ctimeMs}`];
    }),
  );
}

describe.each(VARIANTS)("I10 no echo, on a deployment: %s", (_, variant) => {
  test("content that mdmirror wrote to the disk (new, replaced, merged, moved) causes no PUT", async () => {
    const fixture = openFixture(10, variant);
    const { rig, mirror } = fixture;
    for (const [index, text] of TEXTS.entries()) rig.app.create(at(index), text);
    await settle(mirror);
    for (const [index, text] of TEXTS.entries()) rig.app.edit(at(index), `edited there\n${text}`);
    rig.app.rename(at(0), "moved.md");
    await settle(mirror);
    expect(fixture.seen.filter(isWrite)).toEqual([]);
    const stamps = stampsOf(fixture);
    await settle(mirror);
    expect(fixture.seen.filter(isWrite)).toEqual([]);
    expect(stampsOf(fixture)).toEqual(stamps);
  });

  test("content that mdmirror sent is not written to the disk again: same inode, same times", async () => {
    const fixture = openFixture(10, variant);
    const { mirror } = fixture;
    for (const [index, text] of TEXTS.entries()) mirror.write(at(index), text);
    const created = stampsOf(fixture);
    await settle(mirror);
    expect(stampsOf(fixture)).toEqual(created);
    for (const [index, text] of TEXTS.entries()) mirror.write(at(index), `${text}and edited locally`);
    const edited = stampsOf(fixture);
    await settle(mirror);
    expect(stampsOf(fixture)).toEqual(edited);
    expect(fixture.seen.filter((request) => putId(request) !== null)).toHaveLength(TEXTS.length);
  });
});

test("I10 a saved version that differs from the sent one is written to the disk once, and never sent", async () => {
  const fixture = openFixture(10, { normalise: true });
  const { rig, mirror } = fixture;
  mirror.write("a.md", "first\n");
  await settle(mirror);
  mirror.write("a.md", "one\r\ntwo, cafe\u0301");
  await settle(mirror);
  expect(mirror.texts().get("a.md")).toBe("one\ntwo, caf\u00e9\n");
  expect(rig.app.texts().get("a.md")).toBe("one\ntwo, caf\u00e9\n");
  expect(fixture.seen.filter((request) => putId(request) !== null)).toHaveLength(1);
  const stamps = stampsOf(fixture);
  await settle(mirror);
  expect(stampsOf(fixture)).toEqual(stamps);
});
