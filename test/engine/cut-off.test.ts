import { describe, expect, test } from "vitest";
import { digestOf } from "../../src/contract/digest.ts";
import type { Resolution } from "../../src/mirror/operations/manual/resolve.ts";
import { killAtEachCall, type Pair } from "../simulator/moment.ts";
import {
  settle,
  openSynced,
  problem,
  continueFrom,
  openFixture,
  type Fixture,
  openConflicts,
} from "../promises/fixture.ts";
import { Killed } from "../simulator/process.ts";
import { createRig } from "../simulator/rig.ts";
import { cutPowerAtEachCall } from "./cut-power-at-each-call.ts";
import { resolve } from "./resolution.ts";
import { rollDice } from "../simulator/dice.ts";
import { ROOT } from "../simulator/mirror.ts";

/**
 * mdmirror is killed while it replaces a file's content, and the document is edited on the service
 * before the restart. What mdmirror wrote itself must not count as a local edit.
 */

const LINES = Array.from({ length: 16 }, (_, line) => `line ${line}\n\n`);
const OTHER = "another document\n";
const STRANGER = "a new document at the free path\n";
const BASE = LINES.join("");
const LAST = "and a last line\n";
const withEditor = LINES.with(12, "by the editor\n\n").join("");
/** Removes two paragraphs; `backAgain` restores them with a new paragraph between them. */
const without = (lines: readonly string[]): string => [...lines.slice(0, 3), ...lines.slice(5)].join("");
const GAP = `${LINES[2]!}${LINES[5]!}`;
const APP = "by the app\n\n";
const backAgain = (lines: readonly string[]): string => lines.toSpliced(4, 0, APP).join("");

type Course = {
  /** Prepares both sides, so that the next cycle writes to the file. */
  readonly begin: (pair: Pair) => Promise<void>;
  readonly ends: string;
};

const COURSES: Readonly<Record<string, Course>> = {
  "a text of the service": {
    begin: async ({ rig }) => void rig.app.edit("note.md", without(LINES)),
    ends: backAgain(LINES),
  },
  "two edits merged": {
    begin: async ({ rig, mirror }) => {
      mirror.write("note.md", withEditor);
      rig.app.edit("note.md", without(LINES));
    },
    ends: backAgain(LINES.with(12, "by the editor\n\n")),
  },
  "the end of a conflict, as a newer version merges": {
    begin: async ({ rig, mirror }) => {
      mirror.write("note.md", withEditor);
      rig.app.edit("note.md", LINES.with(12, "by the app, in the same place\n\n").join(""));
      await mirror.sync();
      expect([...mirror.texts().keys()]).toContain("note (theirs).md");
      rig.app.edit("note.md", without(LINES));
    },
    ends: backAgain(LINES.with(12, "by the editor\n\n")),
  },
};

async function start({ begin }: Course): Promise<Pair> {
  const { rig, mirror } = await openSynced({ "note.md": BASE, "other.md": OTHER });
  await begin({ rig, mirror });
  return { rig, mirror };
}

/**
 * Kills a sync at each call before its first write request; after that request the service has the
 * new content.
 * @param act changes the folder while no mdmirror runs
 * @returns number of these calls
 */
async function killEverywhere(course: Course, act: (pair: Pair) => void, judge: (pair: Pair, at: number) => void) {
  const begun = await start(course);
  const before = begun.mirror.requests.length;
  const sentBy = ({ mirror }: Pair): string[] => mirror.requests.slice(before);
  return await killAtEachCall(begun, {
    until: (pair) => sentBy(pair).some((request) => !request.startsWith("GET ")),
    async judge(pair, at, lived) {
      const { rig, mirror } = pair;
      const { id, text } = rig.app.files().get("note.md")!;
      // A process that has not downloaded the version cannot have written it.
      if (lived || !sentBy(pair).includes(`GET /v1/files/${id}`)) return;
      act(pair);
      rig.app.edit("note.md", text.replace(GAP, LINES.slice(2, 6).toSpliced(2, 0, APP).join("")));
      await settle(mirror);
      judge(pair, at);
    },
  });
}

describe.each(Object.entries(COURSES))("I06 I10 I13 a file that is written when the process dies: %s", (_, course) => {
  test("and so does an edit of what was written", async () => {
    await killEverywhere(
      course,
      ({ mirror }) => {
        // The kill may have left the file set aside; then the user has no file to edit.
        const here = mirror.texts().get("note.md");
        if (here !== undefined) mirror.write("note.md", here + LAST);
      },
      ({ rig, mirror }, at) => {
        const there = rig.app.text("note.md");
        expect({ at, there: there?.replace(LAST, "") }).toEqual({ at, there: course.ends });
        expect({ at, here: [...mirror.texts()] }).toEqual({
          at,
          here: [
            ["note.md", there],
            ["other.md", OTHER],
          ],
        });
      },
    );
  });

  test("and keeps its document when another one came to the free path", async () => {
    const places = new Set<number>();
    await killEverywhere(
      course,
      ({ mirror }) => {
        if (mirror.texts().has("note.md")) return;
        mirror.write("note.md", STRANGER);
        places.add(mirror.requests.length);
      },
      ({ rig }, at) => {
        const texts = [...rig.app.texts().values()];
        const kept = texts.filter((text) => text !== STRANGER).sort();
        expect({ at, kept }).toEqual({ at, kept: [course.ends, OTHER].sort() });
      },
    );
    expect(places.size).toBeGreaterThan(0);
  });
});

/**
 * A user resolves a conflict with another content, the process is killed at each call of this
 * command, and the document is edited on the service. The chosen content then has the shown version
 * as its base, or the conflict is still open.
 */

const EDITED = LINES.with(12, "by the editor\n\n");
const SHOWN = LINES.with(12, "by the app, in the same place\n\n");
const BOTH = LINES.with(12, "by the editor and the app\n\n");
const CHOICES: Readonly<Record<string, { readonly way: Resolution; readonly ends: string }>> = {
  "with the text of the service": { way: { kind: "theirs" }, ends: backAgain(SHOWN) },
  "with a merged text": { way: { kind: "merged", text: without(BOTH) }, ends: backAgain(BOTH) },
};

const inConflict = () =>
  openConflicts({ "note.md": [LINES.join(""), EDITED.join(""), without(SHOWN)] }, { "other.md": "another document\n" });

describe.each(Object.entries(CHOICES))("I06 I10 I13 a conflict is ended %s, and the process dies", (_, choice) => {
  test("an edit that the service received meanwhile stays on the service", async () => {
    const ended = new Set<boolean>();
    await killAtEachCall(await inConflict(), {
      work: ({ mirror }) => resolve(mirror, "note.md", choice.way),
      async judge({ rig, mirror }, at) {
        rig.app.edit("note.md", backAgain(SHOWN));
        await settle(mirror);
        const remote = rig.app.text("note.md");
        const isOpen = mirror.state.load().conflicts.size > 0;
        ended.add(!isOpen);
        const local = [
          ...(isOpen ? [["note (theirs 2).md", backAgain(SHOWN)]] : []),
          ["note.md", isOpen ? EDITED.join("") : choice.ends],
          ["other.md", "another document\n"],
        ];
        expect({ at, remote }).toEqual({ at, remote: isOpen ? backAgain(SHOWN) : choice.ends });
        expect({ at, local: [...mirror.texts()] }).toEqual({ at, local });
      },
    });
    expect(ended).toEqual(new Set([false, true]));
  });
});

test("I13 a block ends with the decision, and the process dies right after that", async () => {
  const rig = createRig(1);
  rig.app.create("note.md", "one\n");
  const id = rig.app.id("note.md")!;
  const mirror = rig.mirror({ key: rig.makeKey().key });
  await mirror.sync();
  mirror.write("note.md", "mine\n");
  await mirror.sync();
  expect([...mirror.state.load().blocks.keys()]).toEqual([id]);
  rig.app.edit("note.md", "theirs\n");
  const { state } = mirror;
  const transact = state.transact.bind(state);
  const dying = <T>(work: () => T): T => {
    const end = transact(work);
    if (state.record(id)?.digest === digestOf("theirs\n")) throw new Killed();
    return end;
  };
  Object.assign(state, { transact: dying });
  await expect(resolve(mirror, "note.md", "theirs")).rejects.toThrow(Killed);
  Object.assign(state, { transact });
  expect([...state.load().blocks.keys()]).toEqual([]);
});

/** 1,300 bytes: two whole sectors and a part of the third. */
const TEXT = "0123456789 ab".repeat(100);

test("I13 I19 a clone comes to the same end wherever the power is cut in it", async () => {
  const rig = createRig(3);
  const begun = rig.mirror();
  begun.disk.settle();
  rig.app.create("area/short.md", "short\n");
  rig.app.create("long.md", TEXT);
  const files = rig.app.files();
  const dice = rollDice(7);
  let damaged = 0;
  await killAtEachCall(
    { rig, mirror: begun },
    {
      async judge(pair, at, lived) {
        // Each power cut of this moment can use the same service, because a clone only reads from
        // it.
        const seen = new Set<string>();
        for (let cut = 0; cut < 10 && !lived && pair.mirror.texts().size > 0; cut++) {
          const after = pair.rig.mirror({}, pair.mirror.copyAfterPowerCut());
          after.disk.losePower(dice.fraction);
          const left = JSON.stringify([...after.disk.user.texts(ROOT, true)]);
          if (seen.has(left)) continue;
          seen.add(left);
          if ([...after.texts().values()].some((text) => text !== TEXT && text !== "short\n")) damaged++;
          await after.syncTimes(3);
          expect({ at, files: pair.rig.app.files() }).toEqual({ at, files });
          expect({ at, texts: Object.fromEntries(after.texts()) }).toEqual({
            at,
            texts: { "area/short.md": "short\n", "long.md": TEXT },
          });
          expect({ at, open: after.state.intents(), held: after.state.blocks() }).toEqual({ at, open: [], held: [] });
        }
      },
    },
  );
  expect(damaged).toBeGreaterThan(10);
});

/** Creates a document without a record, and its journalled file as a power loss left it. */
async function loseRecord(left: string) {
  const fixture = await openSynced({});
  const { rig, mirror } = fixture;
  const id = rig.app.create("note.md", TEXT);
  mirror.write("note.md", left);
  mirror.state.openIntent(1, { kind: "create", files: [{ id, path: "note.md" }] });
  return fixture;
}

test("I13 a damaged new file waits until its document can be read", async () => {
  const fixture = await loseRecord(TEXT.slice(0, 512));
  const { rig, mirror } = fixture;
  fixture.fault = ({ path }) => (path.includes("/doc_") ? problem(503, "unavailable") : null);
  await mirror.restart();
  expect(mirror.texts()).toEqual(new Map([["note.md", TEXT.slice(0, 512)]]));
  expect(mirror.state.intents()).toHaveLength(1);
  fixture.fault = () => null;
  await mirror.restart();
  expect(mirror.texts()).toEqual(new Map([["note.md", TEXT]]));
  expect([...rig.app.texts().values()]).toEqual([TEXT]);
  expect(mirror.state.intents()).toEqual([]);
});

test("I13 a damaged new file is created again wherever the power is cut a second time", async () => {
  const { rig, mirror: begun } = await loseRecord(TEXT.slice(0, 512));
  rig.app.create("other.md", "another\n");
  const mirror = rig.mirror({}, { ...begun.copy(), boot: 2 });
  const texts = { "note.md": TEXT, "other.md": "another\n" };
  const cuts = await cutPowerAtEachCall({ rig, mirror }, async ({ mirror: after }, at) => {
    await after.syncTimes(3);
    expect({ at, texts: Object.fromEntries(after.texts()) }).toEqual({ at, texts });
    expect({ at, open: after.state.intents(), held: after.state.blocks() }).toEqual({ at, open: [], held: [] });
  });
  expect(cuts).toBeGreaterThan(10);
});

test("I14 a new file that its user has edited is not damaged, also if it ends with a sector", async () => {
  const edited = `${TEXT.slice(0, 500)}and an edit\n`;
  const { mirror } = await loseRecord(edited);
  await mirror.restart();
  expect(mirror.texts().get("note.md")).toBe(edited);
  expect(mirror.state.intents()).toEqual([]);
});

test("I13 a file that a killed run created, and the next one links, survives a power loss", async () => {
  const { rig, mirror } = await loseRecord(TEXT);
  await mirror.sync();
  mirror.disk.losePower(() => 0);
  await mirror.restart();
  expect([mirror.texts().get("note.md"), rig.app.text("note.md")]).toEqual([TEXT, TEXT]);
});

test("I05 a new file that is empty after a power loss, whose document is gone by then, is not uploaded", async () => {
  const { rig, mirror } = await loseRecord("");
  rig.app.remove("note.md");
  await mirror.restart();
  expect([...rig.app.files().keys()]).not.toContain("note.md");
  expect([...mirror.texts().keys()]).not.toContain("note.md");
});

/** Syncs three documents, then edits `d/a.md` on the service. */
async function edited(): Promise<Pair> {
  const { rig, mirror } = openFixture(41);
  for (const name of ["a", "b"]) rig.app.create(`d/${name}.md`, `${name}\n\nas it was\n`);
  rig.app.create("k.md", "k\n");
  await settle(mirror);
  rig.app.edit("d/a.md", "a\n\nedited there\n");
  return { rig, mirror };
}

/** Kills a sync at each call, and continues from each kill that leaves an intent in the journal. */
async function eachMoment(then: (fixture: Fixture) => Promise<void>): Promise<void> {
  let aside = 0;
  await killAtEachCall(await edited(), {
    open: continueFrom,
    async judge(fixture, call, lived) {
      const { rig, mirror } = fixture;
      if (lived || mirror.state.intents().length === 0) return;
      if (asideOf(fixture).length > 0) aside++;
      await then(fixture);
      expect({ call, open: mirror.state.intents() }).toEqual({ call, open: [] });
      expect([...mirror.texts()].toSorted()).toEqual([...rig.app.texts()].toSorted());
    },
  });
  expect(aside).toBeGreaterThan(1);
}

describe("I13 I14 a set-aside file returns to its folder, which was moved after the process was killed", () => {
  test.each([
    ["renamed", "e"],
    ["moved into another", "box/d"],
  ])("%s", async (_how, to) => {
    await eachMoment(async ({ rig, mirror, seen }) => {
      const ids = new Set(rig.app.files().keys());
      const id = rig.app.id("d/a.md")!;
      if (to.includes("/")) mirror.disk.user.makeFolder(mirror.path("box"));
      mirror.rename("d", to);
      seen.length = 0;
      await settle(mirror);
      expect(rig.app.files().get(`${to}/a.md`)).toMatchObject({ id, text: "a\n\nedited there\n" });
      expect(rig.app.files().size).toBe(ids.size);
      expect(
        seen.filter(({ method, path }) => method === "DELETE" || (method === "POST" && path === "/v1/files")),
      ).toEqual([]);
    });
  });

  test("and its document, deleted on the service since, leaves nothing open", async () => {
    await eachMoment(async ({ rig, mirror }) => {
      mirror.rename("d", "e");
      rig.app.remove("d/a.md");
      await settle(mirror);
      expect([...rig.app.texts().keys()]).toEqual(expect.arrayContaining(["e/b.md", "k.md"]));
    });
  });

  test("and if the folder was deleted, it is created again for the restored file", async () => {
    await eachMoment(async ({ rig, mirror }) => {
      mirror.remove("d");
      await settle(mirror);
      expect([...rig.app.texts().keys()]).not.toContain("d/b.md");
    });
  });
});

function asideOf({ mirror }: Fixture): string[] {
  return [...mirror.disk.user.texts(mirror.path(".mdmirror/tmp"), true).keys()].filter((path) =>
    path.startsWith("park-"),
  );
}
