import { describe, expect, test } from "vitest";
import { hashedName } from "../../src/mirror/model/local-name.ts";
import { checkRow, planOf, type Row, say, worldAfter } from "./table.ts";

/**
 * What a plan that was cut short left at a name that only breaks a cycle is finished by the next,
 * or taken back.
 */
const TMP = "mdmirror-0123abcd";

describe("I13 I16 temporary names that were left", () => {
  const rows: Row[] = [
    [`a.md>a-${TMP}.md=1`, "", "", "rename-remote a-TMP.md>a.md; relink a.md"],
    [`a-${TMP}.md>a.md=1`, "", "", "move-local a-TMP.md>a.md; relink a.md"],
    [`a-${TMP}.md=1`, "", "", "rename-remote a-TMP.md>a.md; move-local a-TMP.md>a.md; relink a.md"],
    // its old name is another's by now
    [`a-${TMP}.md=1 a.md=2`, "", "", "rename-remote a-TMP.md>a-HEX.md; move-local a-TMP.md>a-HEX.md; relink a-HEX.md"],
    // a name that the service stores in another form stays the same locally
    [
      `My_notes.md>My-notes-${TMP}.md=1`,
      "",
      "",
      "rename-remote My-notes-TMP.md>My-notes.md; relink My notes.md=My-notes.md",
    ],
    // another folder is renaming it: base records the name, and nothing moves locally
    ["a.md=1", "", `mv a.md a-${TMP}.md`, "relink a.md=a-TMP.md"],
    ["a.md=1 d/b.md=2", "", `mv a.md d/a-${TMP}.md`, "move-local a.md>d/a.md; relink d/a.md=d/a-TMP.md"],
    ["d/a.md=1", "", `mv d d-${TMP}`, "link-folder d=d-TMP"],
    ["", "", `new a-${TMP}.md 1`, "create-local a.md=a-TMP.md"],
    // another folder restored its name, and it was moved locally
    [`a.md>a-${TMP}.md=1`, "mv a.md b.md", `mv a-${TMP}.md a.md`, "rename-remote a.md>b.md; relink b.md"],
    [`a.md>a-${TMP}.md=1`, "", `mv a-${TMP}.md a.md`, "relink a.md"],
    // never sent as a new document's name
    ["", `new a-${TMP}.md 1`, "", "create-remote a-TMP.md=a.md"],
    ["a.md=2", `new a-${TMP}.md 1`, "", "create-remote a-TMP.md=a-2.md"],
    [
      `d/a-${TMP}.md=1 d/b.md=2`,
      `edit d/a-${TMP}.md 3`,
      `rm d/a-${TMP}.md`,
      "forget d/a-TMP.md; create-remote d/a-TMP.md=d/a.md",
    ],
    // no longer on the service, edited locally, and held: base knows what it was called
    [
      `d/a-${TMP}.md>d/a.md=1`,
      `edit d/a-${TMP}.md 2`,
      "rmdir d",
      "forget-folder; move-local d/a-TMP.md>d/a.md; block gone-or-unreadable d/a-TMP.md",
    ],
    [
      `d/a-${TMP}.md=1`,
      `edit d/a-${TMP}.md 2; new d/a.md 3`,
      `rm d/a-${TMP}.md; rmdir d`,
      "forget-folder; make-folder-remote d; move-local d/a-TMP.md>d/a-2.md; create-remote d/a.md; block gone-or-unreadable d/a-TMP.md",
    ],
  ];
  test.each(rows)("%s | %s | %s", (...row) => checkRow(row));

  test.each([
    ["whose way on the service is taken", TMP],
    ["whose own temporary name would be the next one", "mdmirror-3e85da29"],
  ])("one %s gets another temporary name of the name that it had", (_what, mark) => {
    const base = `d/a-${mark}.md=1 d/b.md=4 b/b.md=2 b/a-${mark}.md=3`;
    const local = `mv b/b.md t.md; mv d/a-${mark}.md b/b.md; mv t.md d/x.md`;
    const { steps } = planOf(worldAfter([base, local, "", ""]));
    const names = steps.flatMap(({ action }) => (action.kind === "rename-remote" && action.temporary ? action.to : []));
    expect(names).toEqual([expect.stringMatching(/^d\/a-mdmirror-[0-9a-f]{8}\.md$/)]);
    expect(names).not.toContain(`d/a-${mark}.md`);
  });

  test("one whose way is barred is taken back, beside what has its name by now", () => {
    const row = [`d/x.md>d/a-${TMP}.md=1 d/a.md=2`, "mv d/x.md a.md", "", ""] as const;
    const world = worldAfter(row);
    expect(say(planOf(world, { movesToRoot: false }))).toBe(
      "rename-remote d/a-TMP.md>d/a-2.md; block no-move-to-root a.md",
    );
  });

  test("one whose local name has digits of its id is taken back, too", () => {
    const local = hashedName("a.md", "file", "doc_005", 255);
    const world = worldAfter([`a.md=2 ${local}>a-${TMP}.md=1`, "", "", ""]);
    expect(say(planOf(world))).toBe("rename-remote a-TMP.md>a-HEX.md; relink a-HEX.md");
  });

  test.each(["pull", "push"] as const)("is left where a %s sync writes nothing", (direction) => {
    const [here, there] = direction === "pull" ? ["a.md", `a-${TMP}.md`] : [`a-${TMP}.md`, "a.md"];
    const plan = planOf(worldAfter([`${here}>${there}=1`, "", "", ""]), { direction });
    expect(plan.steps).toEqual([]);
    expect(plan.blocks.map(({ reason, path }) => [reason, path])).toEqual([["direction-off", here]]);
  });
});
