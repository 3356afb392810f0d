import { expect, it, test, describe } from "vitest";
import type { DocId } from "../../src/contract/ids.ts";
import type { DocumentRecord } from "../../src/mirror/model/record.ts";
import type { Remote } from "../../src/mirror/ports/remote.ts";
import { createRig, type Rig } from "../simulator/rig.ts";
import { settle, openSynced, HTML, inSync, problem, type SeenRequest, beforeFirst } from "../promises/fixture.ts";
import { type Mirror, withCalls } from "../simulator/mirror.ts";
import { cutPowerAtEachCall } from "./cut-power-at-each-call.ts";
import { startDaemon } from "./daemon/rig.ts";
import type { Fault, Variant } from "../variants/variant.ts";

const TEXT = "one line of the document\nanother line of the document\nthe last line of the document\n";

it("I04 I09 a document whose path another one has by now is not deleted while an editor saves it elsewhere", async () => {
  const rig = createRig(44);
  const [, id] = [rig.app.create("a.md", "a document of its own\n"), rig.app.create("b.md", TEXT)];
  const mirror = rig.mirror();
  await mirror.sync();
  mirror.rename("b.md", "c.md");
  mirror.rename("a.md", "b.md");
  // An editor is between the two steps of a save when mdmirror scans first.
  mirror.remove("c.md");
  const saved = rig.clock.sleep(1_000).then(() => mirror.write("c.md", `${TEXT}a new line\n`));
  await mirror.sync();
  await saved;
  await mirror.sync();
  expect(mirror.writes("DELETE")).toEqual([]);
  expect(rig.app.files().get("c.md")).toMatchObject({ id, text: `${TEXT}a new line\n` });
});

test("I09 a document that is moved locally and renamed on the service at the same time gets both changes", async () => {
  const fixture = await openSynced({ "e/other.md": "# other\n", "d/note.md": "# note\n\ntext\n" });
  const { rig, mirror } = fixture;
  const id = rig.app.id("d/note.md")!;
  mirror.rename("d/note.md", "e/note.md");
  beforeFirst(fixture, "PATCH", () => rig.app.rename("d/note.md", "named.md"));
  const { state, attention } = await settle(mirror);
  expect([state, attention]).toEqual(["in-sync", []]);
  expect(rig.app.id("e/named.md")).toBe(id);
  expect([...mirror.texts().keys()].toSorted()).toEqual(["e/named.md", "e/other.md"]);
});

it("I09 a folder that is moved while a clone fills it is filled where it is, and stays the folder that it is on the service", async () => {
  const rig = createRig(31);
  const ids = ["a", "b"].map((name) => rig.app.create(`deep/${name}.md`, `document ${name}\n`));
  const mirror = rig.mirror();
  let moved = false;
  mirror.disk.beforeCall = () => {
    if (moved || mirror.state.dirAt("deep") === null) return;
    moved = true;
    mirror.rename("deep", "mine");
  };
  await mirror.sync();
  mirror.disk.beforeCall = null;
  await mirror.sync();
  expect(moved).toBe(true);
  expect([...mirror.texts().keys()]).toEqual(["mine/a.md", "mine/b.md"]);
  expect([...rig.app.files().values()].map(({ id, path }) => [id, path])).toEqual([
    [ids[0], "mine/a.md"],
    [ids[1], "mine/b.md"],
  ]);
  expect(rig.app.folders()).toEqual(["mine"]);
  expect(mirror.writes("POST")).toEqual([]);
});

const NOTE = "# Note\n\na first line of some length\na second line of some length\n";
const NEW = "# New\n\nanother text altogether\n";

function madeRig(): { rig: Rig; id: string } {
  const rig = createRig(71);
  rig.app.create("stays.md", "stays\n");
  return { rig, id: rig.app.create("note.md", NOTE) };
}

/** The user copies a document twice, and an editor replaces the original's content. */
function copyTwice(mirror: Mirror): void {
  for (const name of ["x.md", "y.md"]) mirror.write(name, NOTE);
  mirror.disk.user.saveAtomically(mirror.path("note.md"), NEW);
}

describe("a document that may be any of several files", () => {
  test("I09 a daemon continues as soon as one of them is gone, and sends no request meanwhile", async () => {
    const { rig: made, id } = madeRig();
    const rig = await startDaemon({ rig: made });
    copyTwice(rig.mirrored);
    for (const path of ["x.md", "y.md", "note.md"]) rig.hint({ kind: "path", path });
    await rig.pass(3_000);
    expect(rig.daemon.status().lastReport!.attention).toMatchObject([{ path: "note.md", kind: "ambiguous-file" }]);
    expect(rig.writes()).toEqual([]);
    rig.remove("y.md");
    await rig.pass(3_000);
    expect(rig.app.files().get("x.md")).toMatchObject({ id, text: NOTE });
    expect(rig.app.files().get("note.md")).toMatchObject({ text: NEW });
    await rig.stop();
  });
});

/**
 * A document was renamed locally to a name that another document now has on the service. It gets a
 * number, on both sides.
 */

const ENDS: readonly (readonly [string, Fault])[] = [
  ["never came there", "drop-before"],
  ["was done, and not heard of", "drop-after"],
  ["was answered with HTML", HTML],
];

it.each(ENDS)("I09 a local rename that needs a number is not undone when its PATCH %s", async (_how, fault) => {
  const fixture = await inSync();
  const { rig, mirror } = fixture;
  const id = rig.app.id("d/a.md")!;
  mirror.rename("d/a.md", "d/new.md");
  rig.app.create("d/new.md", "another\n");
  let befallen = 0;
  fixture.fault = ({ method }: SeenRequest) => (method === "PATCH" && befallen++ === 0 ? fault : null);
  await settle(mirror);
  expect(befallen).toBeGreaterThan(0);
  expect(rig.app.id("d/new-2.md")).toBe(id);
  expect([...mirror.texts()]).toEqual([...rig.app.texts()]);
  expect([...mirror.texts().keys()]).toEqual(["d/b.md", "d/c.md", "d/new-2.md", "d/new.md", "e/k.md"]);
});

it("I17 what wants its name arrives in the same run, though the key may not rename", async () => {
  const fixture = await inSync();
  const { rig, mirror } = fixture;
  const id = rig.app.id("d/a.md")!;
  mirror.rename("d/a.md", "d/new.md");
  rig.app.create("d/new.md", "another\n");
  fixture.fault = ({ method }: SeenRequest) => (method === "PATCH" ? problem(403, "forbidden") : null);
  const report = await mirror.sync();
  // The rename was refused. mdmirror drops it and reports it, because another document has the name
  // now.
  expect(report?.state).toBe("in-sync");
  expect(report?.renamed).toEqual([{ from: "d/new.md", to: "d/a.md" }]);
  expect(fixture.seen.filter(({ method }) => method === "PATCH")).toHaveLength(1);
  expect(mirror.state.load().blocks.get(id)).toBeUndefined();
  expect(mirror.texts().get("d/a.md")).toBe("a\n");
  expect([...mirror.texts().values()].sort()).toEqual(["a\n", "another\n", "b\n", "c\n", "k\n"]);
});

const LINES = Array.from({ length: 12 }, (_, line) => `line ${line}\n\n`);

/** Returns the steps that one more cycle would take. */
async function stepsLeft(mirror: Mirror): Promise<unknown> {
  const end = await mirror.plan();
  return end.kind === "planned" ? end.plan.steps : end;
}

it("I02 a run whose rename is answered with an unseen version continues until it has read that version", async () => {
  const fixture = await openSynced({ "a.md": LINES.join("") });
  const { rig, mirror } = fixture;
  mirror.rename("a.md", "b.md");
  const edited = LINES.with(3, "written there\n\n").join("");
  fixture.onRequest = ({ method }) => {
    if (method === "PATCH") rig.app.edit("a.md", edited);
  };
  expect((await mirror.sync())?.state).toBe("in-sync");
  expect(await stepsLeft(mirror)).toEqual([]);
  expect(mirror.texts().get("b.md")).toBe(edited);
});

it("I12 where change ids move on a rename, a text that is sent to review beside a rename leaves base at the change id that the rename gave", async () => {
  const rig = createRig(62, { changeIdMovesOnRename: true });
  const id = rig.app.create("a.md", LINES.join(""));
  rig.app.protect("a.md", true);
  const mirror = rig.mirror();
  await mirror.sync();
  const before = mirror.state.record(id)!.changeId;
  mirror.rename("a.md", "b.md");
  mirror.write("b.md", LINES.with(3, "written here\n\n").join(""));
  await mirror.sync();
  expect(mirror.state.record(id)).toMatchObject({ remotePath: "b.md", changeId: `${before}-r1` });
  expect(mirror.state.record(id)?.submissions).toHaveLength(1);
  expect(await stepsLeft(mirror)).toEqual([]);
});

it.each([
  ["where change ids move on a rename", true, false],
  ["and edited there meanwhile", false, true],
])(
  "I02 I12 a rename without an answer is over when its version is known: %s",
  async (_, changeIdMovesOnRename, isEdited) => {
    const fixture = await openSynced({ "a.md": LINES.join("") }, {}, { changeIdMovesOnRename });
    const { rig, mirror } = fixture;
    const id = rig.app.id("a.md")!;
    mirror.rename("a.md", "b.md");
    fixture.fault = ({ method }) => (method === "PATCH" ? "drop-after" : null);
    let isAsked = false;
    fixture.onRequest = ({ method, path }) => {
      const settles = method === "GET" && path.endsWith(id) && rig.app.files().has("b.md") && !isAsked;
      if (settles) isAsked = true;
      if (settles && isEdited) rig.app.edit("b.md", LINES.with(3, "written there\n\n").join(""));
    };
    expect((await mirror.sync())?.state).toBe("in-sync");
    expect(isAsked).toBe(true);
    expect(await stepsLeft(mirror)).toEqual([]);
    expect(mirror.texts().get("b.md")).toBe(rig.app.text("b.md"));
  },
);

async function shownChangeId(mirror: Mirror, id: DocId): Promise<unknown> {
  const answer = await mirror.world().remote.getFile(id);
  return answer.ok ? answer.value.lastChangeId : answer.fault;
}

/** Lets the other effect run, in virtual time, until the condition is true. */
async function until({ clock }: Rig, isSo: () => boolean): Promise<void> {
  for (let turn = 0; turn < 20 && !isSo(); turn++) await clock.sleep(100);
  expect(isSo()).toBe(true);
}

describe("a document that is renamed locally while its content is read or sent", () => {
  type LateAnswers = (remote: Remote, record: () => DocumentRecord | null) => Partial<Remote>;

  /** Syncs with late answers. Expects that nothing is left to do afterwards. */
  async function settle({ rig, mirror, id }: Begun, lateAnswers: LateAnswers): Promise<void> {
    mirror.alterWorld = ({ remote, ...world }) => {
      const late = lateAnswers(remote, () => mirror.state.record(id));
      return { ...world, remote: withCalls(remote, late) };
    };
    expect((await mirror.sync())?.state).toBe("in-sync");
    mirror.alterWorld = (world) => world;
    expect(await stepsLeft(mirror)).toEqual([]);
    expect(await shownChangeId(mirror, id)).toBe(mirror.state.record(id)?.changeId);
    expect([...mirror.texts().keys()]).toEqual([...rig.app.files().keys()]);
  }

  type Begun = { readonly rig: Rig; readonly mirror: Mirror; readonly id: DocId };

  async function begin(seed: number, variant: Variant = {}): Promise<Begun> {
    const rig = createRig(seed, { changeIdMovesOnRename: true, ...variant });
    const id = rig.app.create("a.md", LINES.join("")) as DocId;
    const mirror = rig.mirror();
    await mirror.sync();
    mirror.rename("a.md", "b.md");
    return { rig, mirror, id };
  }

  it("I02 I12 where change ids move on a rename: a read from before it does not take base back to the id from before", async () => {
    const begun = await begin(63);
    // The document is renamed without mdmirror's knowledge: its path has the same content under
    // another id, so mdmirror reads it.
    const other = begun.rig.mirror();
    await other.sync();
    for (const [from, to] of ["ac", "ca"].map((names) => [...names].map((name) => `${name}.md`))) {
      other.rename(from!, to!);
      await other.sync();
    }
    let reads = 0;
    await settle(begun, (remote, record) => {
      const late = async <T>(read: Promise<T>): Promise<T> => {
        const isFirst = reads++ === 0;
        const answer = await read;
        if (isFirst) await until(begun.rig, () => record()?.remotePath === "b.md");
        return answer;
      };
      return { getFile: (id) => late(remote.getFile(id)) };
    });
    expect(reads).toBeGreaterThan(1);
  });

  it.each([
    [true, 64],
    [false, 66],
  ])(
    "I02 I07 I12 the answer to a rename from before a PUT does not take base back to the id from before; ids that move on a rename: %s",
    async (changeIdMovesOnRename, seed) => {
      const begun = await begin(seed, { changeIdMovesOnRename });
      begun.mirror.write("b.md", LINES.with(3, "written here\n\n").join(""));
      let isRenamed = false;
      await settle(begun, (remote, record) => ({
        async renameFile(id, name) {
          const before = record()?.changeId;
          const answer = await remote.renameFile(id, name);
          isRenamed = true;
          await until(begun.rig, () => record()?.changeId !== before);
          return answer;
        },
        async putContent(...put) {
          await until(begun.rig, () => isRenamed);
          return remote.putContent(...put);
        },
      }));
      expect(isRenamed).toBe(true);
    },
  );

  it("I02 I12 a PUT with the content that the service already has does not set base back to the id before a rename", async () => {
    const begun = await begin(65, { normalise: true });
    begun.mirror.write("b.md", LINES.join("").replaceAll("\n", "\r\n"));
    let isSaved = false;
    await settle(begun, (remote, record) => ({
      async renameFile(id, name) {
        await until(begun.rig, () => isSaved);
        return remote.renameFile(id, name);
      },
      async putContent(...put) {
        const answer = await remote.putContent(...put);
        isSaved = true;
        await until(begun.rig, () => record()?.remotePath === "b.md");
        return answer;
      },
    }));
    expect(isSaved).toBe(true);
  });
});

test.each([
  ["nobody saves", () => undefined],
  ["its user saves it", (mirror: Mirror, path: string, text: string) => mirror.write(path, text)],
])(
  "I09 I13 power is cut at any call while a moved file gets an edit, then %s: it stays one document",
  async (who, save) => {
    const last = who === "nobody saves" ? "" : "last\n";
    const linesOf = (name: string) => Array.from({ length: 12 }, (_line, line) => `${name}-${line} of ${name}\n\n`);
    const rig = createRig(1);
    const ids = ["a", "b"].map((name) => rig.app.create(`${name}.md`, linesOf(name).join("")));
    rig.app.create("d/c.md", "another document\n");
    const mirror = rig.mirror();
    await settle(mirror);
    const edited = (name: string) => linesOf(name).with(7, "by the app\n\n").join("");
    for (const name of ["a", "b"]) {
      rig.app.edit(`${name}.md`, edited(name));
      mirror.rename(`${name}.md`, `d/${name}.md`);
    }
    const cuts = await cutPowerAtEachCall({ rig, mirror }, async (after, call) => {
      for (const [path, text] of after.mirror.texts()) if (path !== "d/c.md") save(after.mirror, path, text + last);
      await settle(after.mirror);
      const live = [...after.rig.app.files().values()].filter(({ path }) => path !== "d/c.md");
      const ends = live.map(({ id, path, text }) => [call, id, path, text]);
      expect(ends.toSorted()).toEqual(
        ["a", "b"].map((name, at) => [call, ids[at], `d/${name}.md`, edited(name) + last]).toSorted(),
      );
      expect(after.mirror.texts()).toEqual(after.rig.app.texts());
    });
    expect(cuts).toBeGreaterThan(15);
  },
);

test("I13 power is cut at any call while swapped files get edits, then both are replaced: a difference is blocked", async () => {
  const linesOf = (name: string) => Array.from({ length: 12 }, (_line, line) => `${name}-${line} of ${name}\n\n`);
  const rig = createRig(1);
  for (const name of ["a", "b"]) rig.app.create(`${name}.md`, linesOf(name).join(""));
  const mirror = rig.mirror();
  await settle(mirror);
  for (const name of ["a", "b"]) rig.app.edit(`${name}.md`, linesOf(name).with(7, "by the app\n\n").join(""));
  mirror.rename("a.md", "x.md");
  mirror.rename("b.md", "a.md");
  mirror.rename("x.md", "b.md");
  const cuts = await cutPowerAtEachCall({ rig, mirror }, async ({ rig: after, mirror: restarted }, call) => {
    const saved = [...restarted.texts()].map(([path, text]) => [path, `${text}last\n`] as const);
    for (const [path, text] of saved) {
      restarted.remove(path);
      restarted.write(path, text);
    }
    await settle(restarted);
    const [local, remote] = [restarted.texts(), after.app.texts()];
    const blocked = new Set<string>([...restarted.state.load().blocks.values()].map(({ path }) => path));
    const differing = saved.flatMap(([path]) => (local.get(path) === remote.get(path) ? [] : [path]));
    expect([call, differing.filter((path) => !blocked.has(path))]).toEqual([call, []]);
    const ends = [...local.values()].filter((text) => text.endsWith("last\n"));
    expect([call, ends.length]).toEqual([call, saved.length]);
    expect([...remote.values()].filter((text) => text.includes("by the app"))).toHaveLength(2);
  });
  expect(cuts).toBeGreaterThan(15);
});
