import { describe, expect, test } from "vitest";
import { comparePlans, recordFacts, replayPlan, toPlainPlan } from "../../../src/mirror/operations/doctor/bundle.ts";
import type { PlanInput } from "../../../src/mirror/planner/plan-types.ts";
import { makePlan } from "../../../src/mirror/planner/plan.ts";
import { anyPolicy, anyTrees, applyChanges, baseWorld, lookups, scenarios } from "../../planner/arbitrary.ts";
import { POLICY, SIGNALS } from "../../planner/table.ts";
import { treesOf } from "../../planner/world.ts";
import { fc, runs } from "../../property.ts";
import { mapName } from "../../../src/contract/names.ts";
import { pathKey } from "../../../src/contract/path.ts";
import { compareStrings } from "../../../src/mirror/model/by-path.ts";
import {
  makeConflictCopyPath,
  makeHashedName,
  makeNumberedName,
  mayBeHashedName,
} from "../../../src/mirror/model/names.ts";
import { makePseudonyms } from "../../../src/mirror/operations/doctor/pseudonyms.ts";

const SALT = "0".repeat(64);

/**
 * Writes trees to a bundle. Returns the differences between the replayed plan and the original one.
 */
function differences(input: PlanInput, withNames: boolean): readonly string[] {
  const plan = makePlan(input.trees, input.policy, input.signals, input.texts);
  const facts = JSON.parse(JSON.stringify(recordFacts({ plan, input, journal: [] }, withNames, SALT)));
  const replayed = replayPlan(facts);
  expect(replayed.unanswered).toBe(0);
  return comparePlans(facts.planned, toPlainPlan(replayed.plan));
}

describe("a bundle", () => {
  test.each([false, true])("makes the plan that was recorded (with names: %s)", (withNames) => {
    fc.assert(
      fc.property(scenarios(), fc.boolean(), (scenario, isFolding) => {
        const world = baseWorld(scenario);
        if (isFolding) world.disk = { ...world.disk, foldsCase: true, foldsUnicode: true };
        applyChanges(world, scenario);
        const input = { trees: treesOf(world), policy: POLICY, signals: SIGNALS, texts: world.lookup() };
        expect(differences(input, withNames)).toEqual([]);
      }),
      { numRuns: runs(100) },
    );
  });

  test("with names makes the recorded plan of any trees", () => {
    fc.assert(
      fc.property(anyTrees, anyPolicy, (trees, policy) => {
        expect(differences({ trees, policy, signals: SIGNALS, texts: lookups.lookup() }, true)).toEqual([]);
      }),
      { numRuns: runs(100) },
    );
  });
});

const ID = "doc_0123456789abcd";
const LONG = `${"very".repeat(70)}.md`;
const NAMES = [
  ...["My notes.md", "my notes.md", "MY NOTES.md", "My-notes.md", "Plan.md", "plan.md", "log.md", "zoo.md", "Zoo.md"],
  ...["Café.md", "Cafe\u0301.md", "CAFÉ.md", "cafe.md", "Straße.md", "STRASSE.md", "Ärger.md", "日本語.md", "日記.md"],
  ...["2026-10-05 log.md", "10.md", "note.md", "note-2.md", "[.md", "u5b.md", "a:b|c.md", "🎉 party.md", "x.MD"],
  ...["note\u0007.md", "Work", "work", ".hidden", "picture.png", LONG],
];
const FOLDINGS = [false, true].flatMap((foldsCase) =>
  [false, true].map((foldsUnicode) => ({ foldsCase, foldsUnicode })),
);
const made = NAMES.flatMap((name) => [
  mapName(name, "file") ?? name,
  makeNumberedName(name, "file", 2, 255),
  makeConflictCopyPath(name, "theirs", 1, 255),
  makeHashedName(name, "file", ID, 255),
]);
const { path, digest } = makePseudonyms([...NAMES, ...made], [ID], "salt");
const SORTED = NAMES.filter((name) => name !== "u5b.md");
const PAIRS = SORTED.flatMap((one) => SORTED.map((other) => [one, other] as const));

describe("pseudonyms", () => {
  test("keep the order of names, and which names a disk folds to one", () => {
    for (const [one, other] of PAIRS) {
      expect([one, other, Math.sign(compareStrings(path(one), path(other)))]).toEqual([
        one,
        other,
        Math.sign(compareStrings(one, other)),
      ]);
      for (const disk of FOLDINGS)
        expect([one, other, disk, pathKey(path(one), disk) === pathKey(path(other), disk)]).toEqual([
          one,
          other,
          disk,
          pathKey(one, disk) === pathKey(other, disk),
        ]);
    }
  });

  test("keep which name is made of which: mapped, numbered, with digits of an id, of a conflict copy", () => {
    for (const name of NAMES.filter((one) => one !== LONG && one.endsWith(".md"))) {
      const mapped = mapName(name, "file");
      expect([name, mapName(path(name), "file")]).toEqual([name, mapped === null ? null : path(mapped)]);
      expect(makeNumberedName(path(name), "file", 2, 255)).toBe(path(makeNumberedName(name, "file", 2, 255)));
      expect(makeConflictCopyPath(path(name), "theirs", 1, 255)).toBe(
        path(makeConflictCopyPath(name, "theirs", 1, 255)),
      );
      expect(mayBeHashedName(path(makeHashedName(name, "file", ID, 255)), path(name), "file", ID)).toBe(true);
    }
  });

  test("show neither words nor digests, and keep the length of a name that is too long", () => {
    for (const word of ["notes", "plan", "caf", "strasse", "party", "picture", "log"])
      expect(NAMES.map(path).join(" ").toLowerCase()).not.toContain(word);
    expect(path("Work/picture.png")).toMatch(/^[^/]+\/[^/]+\.png$/);
    expect(path(LONG)).toHaveLength(LONG.length);
    const another = makePseudonyms(NAMES, [], "other salt");
    expect(digest("a".repeat(64))).not.toBe(another.digest("a".repeat(64)));
  });
});
