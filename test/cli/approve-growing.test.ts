import { unlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { useRig } from "./rig.ts";

/** The limit of deletions is a share of what is known, which does not grow while stopped. */

const NAMES = Array.from({ length: 99 }, (_, n) => `n${n}.md`);
const GONE = NAMES.slice(0, 11);

const rig = useRig();
beforeEach(async () => {
  for (const path of NAMES) rig.createRemotely(path, `${path}\n`);
  await rig.init();
});

const sync = () => rig.run(["sync", "w"]);
const there = (names: readonly string[]) => names.filter((name) => rig.remote(name) !== null);

function growHere(): readonly string[] {
  const made = Array.from({ length: 30 }, (_, n) => `new${n}.md`);
  for (const name of made) rig.write(name, `${name}\n`);
  rig.pass(60_000);
  return made;
}

describe("I21 I22 a stop stays while the workspace grows", () => {
  beforeEach(async () => {
    for (const name of GONE) unlinkSync(join(rig.root, name));
    rig.pass(60_000);
    expect((await sync()).code).toBe(4);
  });

  test("by new local files: they wait with the deletions until approve applies both", async () => {
    const made = growHere();
    for (let run = 0; run < 2; run++) expect([(await sync()).code, there(made), there(GONE)]).toEqual([4, [], GONE]);
    expect((await rig.run(["wait", `w/${GONE[0]}`])).code).toBe(4);
    expect((await rig.run(["approve", "w", "--yes"])).code).toBe(0);
    expect([(await sync()).code, there(made), there(GONE)]).toEqual([0, made, []]);
  });

  test("until few enough are gone; then the share of all that is known counts again", async () => {
    growHere();
    await sync();
    rig.write("n0.md", "n0.md\n");
    rig.pass(60_000);
    expect([(await sync()).code, there(GONE)]).toEqual([0, ["n0.md"]]);
  });
});

test("I21 a stop by documents deleted on the service stays while new local files come", async () => {
  for (const name of GONE) rig.deleteRemotely(name);
  expect((await sync()).code).toBe(4);
  growHere();
  for (let run = 0; run < 2; run++) expect([(await sync()).code, rig.read("n0.md")]).toEqual([4, "n0.md\n"]);
});

test("a change approved before any run was stopped is not in sync until a run has made it", async () => {
  for (const name of GONE) unlinkSync(join(rig.root, name));
  rig.pass(60_000);
  expect((await rig.run(["approve", "w", "--yes"])).code).toBe(0);
  const { code, out } = await rig.run(["status", "w"]);
  expect([code, out]).toEqual([3, expect.arrayContaining(["unproven: approved changes were not carried out yet"])]);
  expect([(await sync()).code, there(GONE)]).toEqual([0, []]);
  expect((await rig.run(["status", "w"])).code).toBe(0);
});
