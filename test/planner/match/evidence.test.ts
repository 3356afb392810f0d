import { describe, expect, test } from "vitest";
import { makeUnreadable, STILL_WRITTEN_REASON, type UnreadReason } from "../../../src/mirror/model/tree.ts";
import { makePlan } from "../../../src/mirror/planner/plan.ts";
import { describePlan, doLocally, openConflict, planOf, POLICY, SIGNALS, worldAfter } from "../table.ts";
import { type World, treesOf } from "../world.ts";

const B = "b1|b2|b3|b4|b5";
const C = "c1|c2|c3|c4|c5";
const NEW = "n1|n2|n3|n4|n5";
const OTHER = "o1|o2|o3|o4|o5";

function planAfter(base: string, local: string, remote = "", change: (world: World) => void = () => undefined): string {
  const world = worldAfter([base, local, remote, ""]);
  change(world);
  return describePlan(planOf(world));
}

function blind(world: World): void {
  world.inodesTrusted = false;
}

function withoutBirthTimes(world: World): void {
  for (const file of world.files.values()) file.birthMs = 0;
  for (const [id, { stamp }] of world.records) world.patchRecord(id, { stamp: { ...stamp!, birthMs: 0 } });
}

describe("I09 a file at a document's path with another inode and another text loses to the document's own elsewhere", () => {
  test.each([
    ["moved and edited", `mv b.md h.md; edit h.md ${B}|edited; new b.md ${NEW}`],
    ["moved and saved as a new file", `mv b.md h.md; save h.md ${B}|edited; new b.md ${NEW}`],
    ["moved and filled", `mv b.md h.md; edit h.md ${B}|${C}|${C}; new b.md ${NEW}`],
    ["moved and rewritten in place", `mv b.md h.md; edit h.md ${OTHER}; new b.md ${NEW}`],
    ["copied, its path then overwritten by a new file", `cp b.md h.md; save b.md ${NEW}`],
    ["copied, its path then overwritten by a blank file", "cp b.md h.md; save b.md"],
  ])("%s", (_, local) => {
    const edited = planAfter(`b.md=${B}`, local, `edit b.md ${B}|colleague`);
    expect(edited).toMatch(/(?:merge|write-local) h\.md/);
    expect(edited).toContain("rename-remote b.md>h.md");
    expect(edited).toContain("create-remote b.md");
    expect(edited).not.toMatch(/(?:merge|put|write-local) b\.md/);
  });
  test.each([
    ["as they are", `save b.md ${C}; save c.md ${B}`, "write-local c.md"],
    ["edited", `save b.md ${C}|edited; save c.md ${B}|edited`, "merge c.md"],
  ])("two documents whose texts changed places by atomic saves, %s, changed places", (_, local, colleague) => {
    const plan = planAfter(`b.md=${B} c.md=${C}`, local, `edit b.md ${B}|colleague`);
    expect(plan).toContain(colleague);
    expect(plan).toContain("rename-remote c.md>b.md");
    expect(plan).toContain("rename-remote b-TMP.md>c.md");
    expect(plan).not.toMatch(/(?:merge|write-local) b\.md/);
  });
  test("moved with its folder, a new folder of that name having another text at the path", () => {
    const local = `mv d e; edit e/b.md ${B}|edited; new d/b.md ${NEW}`;
    const plan = planAfter(`d/b.md=${B}`, local, `edit d/b.md ${B}|colleague`);
    expect(plan).toContain("merge e/b.md");
    expect(plan).toContain("create-remote d/b.md");
  });
});

describe("I09 a file that was moved over a document and edited is the document that it was before", () => {
  const local = `rm b.md; mv c.md b.md; edit b.md ${C}|edited`;
  test("and a colleague's edit of the other one does not land in it", () => {
    const base = `b.md=${B} c.md=${C}`;
    expect(planAfter(base, local)).toBe("put b.md; delete-remote b.md; rename-remote c.md>b.md; relink b.md");
    const edited = planAfter(base, local, `edit b.md ${B}|colleague`);
    expect(edited).toContain("rename-remote c.md>b-2.md");
    expect(edited).toContain("create-local b.md");
    expect(edited).not.toContain("merge");
  });
  test("but for a disk without birth times, where its inode may have been given again", () => {
    expect(planAfter(`b.md=${B} c.md=${C}`, local, "", withoutBirthTimes)).toBe("put b.md; delete-remote c.md");
  });
});

describe("I09 a file that was moved to the path of a document whose own file has a name that is not synced", () => {
  test.each([
    ["as it was", "mv c.md b.md"],
    ["saved as a new file", `save c.md ${C}|edited; mv c.md b.md`],
    ["edited", `mv c.md b.md; edit b.md ${C}|edited`],
  ])("is the document that it was before: %s", (_, move) => {
    const plan = planAfter(`b.md=${B} c.md=${C}`, `rename-to-other b.md b.md~; ${move}`);
    expect(plan).toContain("renamed-out-of-mirror");
    expect(plan).not.toMatch(/delete-remote|put b\.md.*delete/);
  });
});

describe("I09 the path wins where nothing better speaks for another file", () => {
  const rewritten = `save b.md ${NEW}`;
  test.each([
    ["nothing is elsewhere", rewritten],
    ["an unlike file is new", `${rewritten}; new h.md ${OTHER}`],
    ["the text is in an editor's backup under an ignored name", `rename-to-other b.md b.md~; new b.md ${NEW}`],
    ["the note was filled, and a copy of it is new", `cp b.md h.md; save b.md ${B}|${C}|${C}`],
    ["the note was split, and its larger part is new", "save b.md b1|b2; new h.md b2|b3|b4|b5"],
    ["the file elsewhere is another document's", `${rewritten}; edit c.md ${B}`],
  ])("%s", (_, local) => {
    const plan = planAfter(`b.md=${B} c.md=${C}`, local);
    expect(plan).toContain("put b.md");
    expect(plan).not.toContain("rename-remote");
  });
  test("an inode without a birth time may have been given again", () => {
    const local = `mv b.md h.md; edit h.md ${OTHER}; new b.md ${NEW}`;
    expect(planAfter(`b.md=${B}`, local, "", withoutBirthTimes)).toBe("put b.md; create-remote h.md");
  });
  test("the conflict copy that was moved over its document is the document, wherever a copy of it is", () => {
    const world = worldAfter([`b.md=${B}`, `edit b.md ${B}|mine`, `edit b.md ${NEW}`, ""]);
    openConflict(world, "b.md");
    const [path, copy] = [...world.others][0]!;
    world.others.delete(path);
    world.write("kept.md", world.files.get("b.md")!.text);
    world.files.set("b.md", { ...world.files.get("kept.md")!, ino: copy.ino, text: "n1\nn2\nn3\nn4\nn5" });
    const id = world.idAt("b.md");
    world.blocks.set(id, { ...HOLD, key: id, digest: world.digest(world.files.get("kept.md")!.text) });
    expect(describePlan(planOf(world))).toContain("end-conflict theirs b.md");
  });
  test("a document in conflict is moved with its inode, although its content is unlike base's", () => {
    const world = worldAfter([`b.md=${B}`, `edit b.md ${OTHER}`, `edit b.md ${NEW}`, ""]);
    openConflict(world, "b.md");
    doLocally(world, "mv b.md h.md");
    expect(describePlan(planOf(world))).toContain("rename-remote b.md>h.md");
  });
});

const HOLD = {
  path: "b.md",
  reason: "conflict",
  code: null,
  detail: "",
  requestId: null,
  changeId: null,
  since: 0,
} as const;

describe("I09 a document is blocked where several files may be it by equal evidence", () => {
  test.each([
    ["two copies of its text", `cp b.md x.md; cp b.md y.md; save b.md ${NEW}`],
    ["its inode at one file, its text at another", `cp b.md x.md; mv b.md y.md; edit y.md ${OTHER}; new b.md ${NEW}`],
    ["two files that are equally similar", `new x.md ${B}|x; new y.md ${B}|y; save b.md ${NEW}`],
  ])("%s: nothing is done with any of them", (_, local) => {
    for (const remote of ["", `edit b.md ${B}|colleague`, "mv b.md d/b.md"])
      expect(planAfter(`b.md=${B} c.md=${C} d/`, local, remote)).toBe("block ambiguous-file b.md");
  });
  test("two documents that had one text, which is in one file that is new", () => {
    const local = `new x.md ${B}; save b.md ${NEW}; save c.md ${OTHER}`;
    expect(planAfter(`b.md=${B} c.md=${B}`, local)).toBe("block ambiguous-file b.md; block ambiguous-file c.md");
  });
  test("a document with nothing at its path takes such a file before one that has a file at its path", () => {
    const local = `rm c.md; new x.md ${B}; save b.md ${NEW}`;
    const plan = "rename-remote c.md>x.md; put b.md; relink x.md";
    expect(planAfter(`b.md=${B} c.md=${B}`, local, "", blind)).toBe(plan);
  });
  test("I04 a document that may be one of those files is not deleted", () => {
    const similar = "b1|b2|b3|b4|c5";
    const local = `cp b.md x.md; cp b.md y.md; save b.md ${NEW}; rm c.md`;
    const plan = planAfter(`b.md=${B} c.md=${similar}`, local);
    expect(plan).toBe("block ambiguous-file b.md; block ambiguous-file c.md");
  });
  test("it ends when one of the files goes: by what is left", () => {
    const world = worldAfter([`b.md=${B}`, `cp b.md x.md; cp b.md y.md; save b.md ${NEW}`, "", ""]);
    expect(describePlan(planOf(world))).toBe("block ambiguous-file b.md");
    world.files.delete("y.md");
    expect(describePlan(planOf(world))).toBe("rename-remote b.md>x.md; create-remote b.md; relink x.md");
    world.files.delete("x.md");
    expect(describePlan(planOf(world))).toBe("put b.md");
  });
  test("I08 the refusal of a file that may be it stays, and its folder stays where the service removed it", () => {
    const base = `b.md=${B} d/c.md=${C}`;
    const local = `cp b.md d/x.md; cp b.md d/y.md; save b.md ${NEW}`;
    const world = worldAfter([base, local, "rmdir d", ""]);
    world.blocks.set("d/x.md", { ...HOLD, key: "d/x.md", path: "d/x.md", reason: "refused", digest: world.digest(B) });
    const plan = describePlan(planOf(world));
    expect(plan).toContain("block refused d/x.md");
    expect(plan).not.toContain("remove-folder-local");
  });
});

describe("I09 where only the path speaks for a file, the document waits while another file is written or moved", () => {
  function planWhile(unread: UnreadReason, local = `mv b.md h.md; new b.md ${NEW}`, unseen = "h.md"): string {
    const world = worldAfter([`b.md=${B} c.md=${C}`, local, "", ""]);
    world.files.delete("h.md");
    const trees = treesOf(world);
    const hidden = { ...trees, local: { ...trees.local, unseen: new Map([[unseen, unread]]) } };
    return describePlan(makePlan(hidden, POLICY, SIGNALS, world.lookup()));
  }
  test("it may be that file", () => {
    expect(planWhile(STILL_WRITTEN_REASON)).toBe("block still-being-written b.md");
  });
  test("what cannot be read at all delays nothing", () => {
    expect(planWhile(makeUnreadable("EACCES"))).toBe("put b.md");
  });
  test("it may be a file that was moved during the scan", () => {
    expect(planWhile(makeUnreadable("its files keep moving"), undefined, "")).toBe("block local-unreadable b.md");
  });
  test("an edit of the file in place is sent", () => {
    expect(planWhile(STILL_WRITTEN_REASON, `new h.md ${OTHER}; edit b.md ${NEW}`)).toBe("put b.md");
  });
});
