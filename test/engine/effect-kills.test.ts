import { describe, expect, test } from "vitest";
import { showCopy } from "../../src/mirror/engine/apply/conflict.ts";
import { createRemote } from "../../src/mirror/engine/apply/create-remote.ts";
import { deleteDocument } from "../../src/mirror/engine/apply/delete-document.ts";
import { makeFolderRemote, removeFolderRemote } from "../../src/mirror/engine/apply/folder.ts";
import { moveFolderLocal, moveFolderRemote } from "../../src/mirror/engine/apply/folder-move.ts";
import { moveDocument } from "../../src/mirror/engine/apply/move-document.ts";
import { moveFile } from "../../src/mirror/engine/apply/move-file.ts";
import { putContent } from "../../src/mirror/engine/apply/put.ts";
import { removalOf } from "../../src/mirror/engine/apply/presence.ts";
import { trashFile } from "../../src/mirror/engine/apply/trash-file.ts";
import { digestOf } from "../../src/contract/digest.ts";
import { type Effect, type LocalEffect, runEffect, runLocalEffect } from "../../src/mirror/engine/apply/run-effect.ts";
import { writeFile, type FileWrite } from "../../src/mirror/engine/apply/write-file.ts";
import { recoverLocal } from "../../src/mirror/engine/journal/recover.ts";
import { PassContext } from "../../src/mirror/engine/run/pass-context.ts";
import type { Action, ActionOf, Outcome } from "../../src/mirror/model/action.ts";
import { hasCopy } from "../../src/mirror/model/link.ts";
import type { Intent } from "../../src/mirror/ports/state.ts";
import { type Fixture, goOnFrom, isWrite, openFixture, problem, remoteTexts, settle } from "../promises/fixture.ts";
import { SETTINGS } from "../simulator/mirror.ts";
import { Moment } from "../simulator/moment.ts";

/** The process is killed between every two steps of the driver, for every kind and end. */

const STEPS = ["row", "request", "answer", "refusal", "observation", "observed", "end"] as const;
/** Step before which the process is killed; `observed`, `refusal`: after the result is known. */
type Step = (typeof STEPS)[number];

class Killed extends Error {}

function dieAt(step: Step, kill: Step): void {
  if (step === kill) throw new Killed();
}

type Run = (ctx: PassContext, action: Action, kill: Step) => Promise<Outcome>;

function remote<A, Row extends Intent, Beside, Seen>(
  effect: Effect<A, Row, Beside, Seen>,
  asked: (action: Action) => A = (action) => action as A,
): Run {
  return (ctx, action, kill) => {
    const killed: Effect<A, Row, Beside, Seen> = {
      async refuse(...args) {
        const outcome = await effect.refuse!(...args);
        dieAt("refusal", kill);
        return outcome;
      },
      async prepare(...args) {
        const ready = await effect.prepare(...args);
        dieAt("row", kill);
        return ready;
      },
      async perform(...args) {
        dieAt("request", kill);
        const shown = await effect.perform(...args);
        dieAt("answer", kill);
        return shown;
      },
      async observe(...args) {
        dieAt("observation", kill);
        const shown = await effect.observe(...args);
        dieAt("observed", kill);
        return shown;
      },
      conclude(...args) {
        const concluded = effect.conclude(...args);
        dieAt("end", kill);
        return concluded;
      },
    };
    return runEffect(ctx, killed, asked(action));
  };
}

function local<A, Row extends Intent, Beside, Seen>(
  effect: LocalEffect<A, Row, Beside, Seen>,
  asked: (ctx: PassContext, action: Action) => A = (_, action) => action as A,
): Run {
  return async (ctx, action, kill) => {
    const killed: LocalEffect<A, Row, Beside, Seen> = {
      ...effect,
      prepare(...args) {
        const ready = effect.prepare(...args);
        dieAt("row", kill);
        return ready;
      },
      perform(...args) {
        dieAt("request", kill);
        const shown = effect.perform(...args);
        dieAt("answer", kill);
        return shown;
      },
      conclude(...args) {
        const concluded = effect.conclude(...args);
        dieAt("end", kill);
        return concluded;
      },
    };
    return runLocalEffect(ctx, killed, asked(ctx, action));
  };
}

const removal = remote(deleteDocument, (action) => ({
  ...(action as Extract<Action, { kind: "delete-remote" }>),
  onlyWhileAbsent: true,
  refused: (_, outcome) => outcome,
}));

/** The service has the content "two\n" by then. */
function download(ctx: PassContext, planned: Action): FileWrite {
  const { id, localPath: path, expect, changeId, why } = planned as ActionOf<"write-local">;
  const next = { changeId, digest: digestOf("two\n") };
  const event = { kind: "write-local", side: "local", detail: why } as const;
  return { id, path, text: "two\n", writes: next.digest, expect, base: ctx.world.state.link(id), next, event };
}

const BEFORE = { "box/in.md": "in\n", "note.md": "one\n" };

type Case = readonly [
  kind: Action["kind"],
  run: Run,
  change: (fixture: Fixture) => void,
  /** What both sides hold afterwards. */
  after: Readonly<Record<string, string>>,
  /** What makes the plan stale. */
  meanwhile?: (fixture: Fixture) => void,
];

const CASES: readonly Case[] = [
  [
    "put",
    remote(putContent),
    ({ mirror }) => mirror.write("note.md", "two\n"),
    { ...BEFORE, "note.md": "two\n" },
    ({ mirror }) => mirror.write("note.md", "three\n"),
  ],
  [
    "create-remote",
    remote(createRemote),
    ({ mirror }) => mirror.write("new.md", "new\n"),
    { ...BEFORE, "new.md": "new\n" },
    ({ mirror }) => mirror.write("new.md", "newer\n"),
  ],
  [
    "rename-remote",
    remote(moveDocument),
    ({ mirror }) => mirror.disk.user.rename(mirror.path("note.md"), mirror.path("other.md")),
    { "box/in.md": "in\n", "other.md": "one\n" },
  ],
  [
    "reparent-remote",
    remote(moveDocument),
    ({ mirror }) => mirror.disk.user.rename(mirror.path("note.md"), mirror.path("box/note.md")),
    { "box/in.md": "in\n", "box/note.md": "one\n" },
  ],
  [
    "delete-remote",
    removal,
    ({ mirror }) => mirror.disk.user.remove(mirror.path("note.md")),
    { "box/in.md": "in\n" },
    ({ mirror }) => mirror.write("note.md", "back\n"),
  ],
  [
    "write-local",
    local(writeFile, download),
    ({ rig }) => rig.app.edit("note.md", "two\n"),
    { ...BEFORE, "note.md": "two\n" },
    ({ mirror }) => mirror.write("note.md", "two\n"),
  ],
  [
    "move-local",
    local(moveFile),
    ({ rig }) => rig.app.rename("note.md", "other.md"),
    { "box/in.md": "in\n", "other.md": "one\n" },
    ({ mirror }) => mirror.write("other.md", "taken\n"),
  ],
  [
    "trash-local",
    local(trashFile, (ctx, action) => removalOf(ctx, action as ActionOf<"trash-local">)),
    ({ rig }) => rig.app.remove("note.md"),
    { "box/in.md": "in\n" },
    ({ mirror }) => mirror.write("note.md", "edited\n"),
  ],
  [
    "make-folder-remote",
    remote(makeFolderRemote),
    ({ mirror }) => mirror.disk.user.makeFolder(mirror.path("fresh")),
    BEFORE,
  ],
  [
    "rename-folder-remote",
    remote(moveFolderRemote),
    ({ mirror }) => mirror.disk.user.rename(mirror.path("box"), mirror.path("crate")),
    { "crate/in.md": "in\n", "note.md": "one\n" },
  ],
  [
    "remove-folder-remote",
    remote(removeFolderRemote),
    ({ mirror }) => mirror.disk.user.remove(mirror.path("empty")),
    BEFORE,
    ({ mirror }) => mirror.disk.user.makeFolder(mirror.path("empty")),
  ],
  [
    "move-folder-local",
    local(moveFolderLocal),
    ({ rig }) => rig.app.renameFolder("box", "crate"),
    { "crate/in.md": "in\n", "note.md": "one\n" },
  ],
];

type Ran = { readonly fixture: Fixture; readonly killed: boolean; readonly outcome: Outcome | null };

/** Syncs the documents of `BEFORE` and an empty folder. */
async function begin(): Promise<Moment> {
  const { rig, mirror } = openFixture(48);
  for (const [path, text] of Object.entries(BEFORE)) rig.app.create(path, text);
  rig.app.makeFolder("empty");
  await settle(mirror);
  return new Moment({ rig, mirror });
}

const begun = await begin();

async function runKilled(
  [kind, run, change]: Case,
  kill: Step,
  fault: Fixture["fault"],
  meanwhile: Case[4] = () => undefined,
): Promise<Ran> {
  const fixture = goOnFrom(begun);
  const { mirror } = fixture;
  change(fixture);
  const planned = await mirror.plan();
  if (planned.kind !== "planned") throw new Error(`no plan: ${planned.kind}`);
  // What follows it only records it in base.
  const [action] = planned.plan.steps.map((step) => step.action);
  expect(action?.kind).toBe(kind);
  meanwhile(fixture);
  let isLost = false;
  fixture.fault = (request) => {
    if (isLost || !isWrite(request)) return null;
    isLost = true;
    return fault(request);
  };
  const ctx = new PassContext(mirror.world(), { run: { number: 1 }, settings: SETTINGS });
  const end = await run(ctx, action!, kill).catch((error: unknown) => {
    if (error instanceof Killed) return null;
    throw error;
  });
  fixture.fault = () => null;
  return { fixture, killed: end === null, outcome: end };
}

async function expectSettled({ rig, mirror }: Fixture): Promise<ReadonlyMap<string, string>> {
  await settle(mirror);
  expect(mirror.state.intents()).toEqual([]);
  expect(mirror.texts()).toEqual(remoteTexts(rig));
  return mirror.texts();
}

const ENDS = [
  ["done", () => null, ["row", "request", "answer", "end"]],
  ["done, and its answer is lost", () => "drop-after", STEPS.filter((step) => step !== "refusal")],
  ["not done, and its answer is lost", () => "drop-before", ["row", "request", "answer", "observation", "observed"]],
  ["refused", () => problem(403, "forbidden"), ["row", "request", "answer", "refusal"]],
] as const satisfies readonly (readonly [string, Fixture["fault"], readonly Step[]])[];

describe.each(CASES.map((one) => [one[0], one] as const))(
  "I13 I08 %s, killed before each step of the driver",
  (kind, one) => {
    const after = one[3];
    const isLocal = kind.endsWith("-local");

    test.each(isLocal ? ENDS.slice(0, 1) : ENDS)("%s", async (end, fault, kills) => {
      for (const kill of kills) {
        // A refused deletion is judged with the document that was read before the request.
        if (kill === "refusal" && kind === "delete-remote") continue;
        const { fixture, killed } = await runKilled(one, kill, fault);
        expect([kill, killed]).toEqual([kill, true]);
        expect([kill, end, await expectSettled(fixture)]).toEqual([kill, end, new Map(Object.entries(after))]);
        expect(fixture.rig.app.files().size).toBe(Object.keys(after).length);
      }
    });
  },
);

const STALE = CASES.filter(([, , , , meanwhile]) => meanwhile !== undefined).map((one) => [one[0], one] as const);

test.each(STALE)("I13 I04 %s of a stale plan, killed before each step of the driver", async (_, one) => {
  for (const kill of ["row", "request", "answer"] as const) {
    const { fixture, killed, outcome } = await runKilled(one, kill, () => null, one[4]);
    expect(killed || outcome?.kind === "stale").toBe(true);
    expect(fixture.seen.filter(isWrite)).toEqual([]);
    await expectSettled(fixture);
  }
});

test.each(["answer", "end"] as const)(
  "I13 a replaced file is logged as the same event if the process is killed before its %s",
  async (kill) => {
    const one = CASES.find(([kind]) => kind === "write-local")!;
    const { fixture } = await runKilled(one, kill, () => null);
    await expectSettled(fixture);
    const events = fixture.mirror.state.events({ limit: 100, path: "note.md" });
    const written = events.filter(({ after }) => after === digestOf("two\n"));
    expect(written.map(({ kind, before }) => [kind, before])).toEqual([["write-local", digestOf("one\n")]]);
  },
);

/** The file was deleted locally and comes back by a command. */
const comesBack: Case = [
  "delete-remote",
  local(writeFile, (ctx, planned) => {
    const { id, localPath: path } = planned as ActionOf<"delete-remote">;
    const event = { kind: "restore", side: "local", detail: "test" } as const;
    const base = ctx.world.state.link(id);
    return { id, path, text: "one\n", writes: digestOf("one\n"), expect: null, base, next: null, event };
  }),
  ({ mirror }) => mirror.disk.user.remove(mirror.path("note.md")),
  BEFORE,
];

test.each(["answer", "end"] as const)(
  "I13 a file that comes back is logged once, killed before its %s",
  async (kill) => {
    const { fixture } = await runKilled(comesBack, kill, () => null);
    expect(await expectSettled(fixture)).toEqual(new Map(Object.entries(BEFORE)));
    expect(fixture.mirror.state.events({ limit: 100, kinds: ["restore"] })).toHaveLength(1);
  },
);

const inConflict: Case = [
  "merge",
  remote(showCopy, (planned) => {
    const { id, localPath: path, changeId } = planned as ActionOf<"merge">;
    const base = { baseDigest: digestOf("one\n"), baseChangeId: null, looksGone: 0, since: 0 };
    const shown = [{ changeId, digest: digestOf("theirs\n"), ino: 0, dev: 0 }];
    const conflict = { id, ...base, newestCopyPath: "note (theirs).md", shown };
    const event = { kind: "conflict", side: "both", id, path, detail: "test", outcome: "conflict" } as const;
    return { conflict, record: null, old: null, opens: true, event, text: "theirs\n" };
  }),
  ({ rig, mirror }) => {
    mirror.write("note.md", "mine\n");
    rig.app.edit("note.md", "theirs\n");
  },
  { ...BEFORE, "note.md": "mine\n", "note (theirs).md": "theirs\n" },
];

test("I13 I27 a conflict opens once, killed before each step of the driver", async () => {
  for (const kill of ["row", "request", "answer", "end"] as const) {
    const { mirror } = (await runKilled(inConflict, kill, () => null)).fixture;
    for (let run = 0; run < 2; run++) await mirror.sync();
    const { conflicts } = mirror.state.load();
    expect([kill, ...mirror.texts()]).toEqual([kill, ...Object.entries(inConflict[3]).toSorted()]);
    expect([...conflicts.values()].map(({ shown }) => shown.map(({ ino }) => ino !== 0))).toEqual([[true]]);
    expect(mirror.state.events({ limit: 100, kinds: ["conflict"] })).toHaveLength(1);
    expect(mirror.state.intents()).toEqual([]);
  }
});

test("I13 I27 a copy that was found after a kill and lost in a power cut is written again", async () => {
  const { mirror, rig } = (await runKilled(inConflict, "request", () => null)).fixture;
  mirror.write("note (theirs).md", "theirs\n");
  recoverLocal(new PassContext(mirror.world(), { run: { number: 1 }, settings: SETTINGS }), mirror.state.intents());
  mirror.disk.losePower(() => 0);
  for (let run = 0; run < 4; run++) await mirror.sync();
  expect([...mirror.texts()]).toEqual(Object.entries(inConflict[3]).toSorted());
  expect(rig.app.files().get("note.md")?.text).toBe("theirs\n");
  expect([...mirror.state.load().conflicts.values()].map(hasCopy)).toEqual([true]);
});
