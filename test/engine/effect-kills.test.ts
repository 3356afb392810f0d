import { describe, expect, test } from "vitest";
import { digestOf } from "../../src/contract/digest.ts";
import { performAction } from "../../src/mirror/engine/run/apply-plan.ts";
import { runManually } from "../../src/mirror/engine/manual/run-manually.ts";
import { protectDocument } from "../../src/mirror/engine/apply/presence.ts";
import { runEffect } from "../../src/mirror/engine/apply/run-effect.ts";
import type { World } from "../../src/mirror/engine/run/world.ts";
import type { Outcome } from "../../src/mirror/model/action.ts";
import type { DocumentRecord } from "../../src/mirror/model/record.ts";
import { recoverLocal } from "../../src/mirror/engine/journal/recover.ts";
import { CycleContext } from "../../src/mirror/engine/run/cycle-context.ts";
import type { Fault } from "../variants/variant.ts";
import { type Fixture, continueFrom, isWrite, openFixture, problem, settle } from "../promises/fixture.ts";
import { actLocally, actOnService, readTree } from "../simulator/commands.ts";
import { killAtEachCall, Moment } from "../simulator/moment.ts";
import { type Mirror, SETTINGS } from "../simulator/mirror.ts";

/**
 * The process is killed at each call of a run, for every kind of effect and each way in which it
 * can end.
 */

/** `after`: the documents of both sides at the end. */
type Row = readonly [kind: string, local: string, remote: string, after: string];

const ROWS: readonly Row[] = [
  ["put", "write note.md two", "", "box/in.md=$X note.md=two"],
  ["create-remote", "write new.md new", "", "box/in.md=$X new.md=new note.md=one"],
  ["rename-remote", "mv note.md other.md", "", "box/in.md=$X other.md=one"],
  ["reparent-remote", "mv note.md box/note.md", "", "box/in.md=$X box/note.md=one"],
  ["delete-remote", "rm note.md", "", "box/in.md=$X"],
  ["write-local", "", "edit note.md two", "box/in.md=$X note.md=two"],
  ["move-local", "", "mv note.md other.md", "box/in.md=$X other.md=one"],
  ["trash-local", "", "rm note.md", "box/in.md=$X"],
  ["make-folder-remote", "mkdir fresh", "", "box/in.md=$X note.md=one"],
  ["rename-folder-remote", "mv box crate", "", "crate/in.md=$X note.md=one"],
  ["remove-folder-remote", "rm empty", "", "box/in.md=$X note.md=one"],
  ["reparent-folder-remote", "mv box empty/box", "", "empty/box/in.md=$X note.md=one"],
  ["move-folder-local", "", "mv box crate", "crate/in.md=$X note.md=one"],
  ["make-folder-local", "", "mkdir fresh", "box/in.md=$X note.md=one"],
  ["remove-folder-local", "", "rm empty", "box/in.md=$X note.md=one"],
  ["create-local", "", "new fresh/new.md new", "box/in.md=$X fresh/new.md=new note.md=one"],
  ["merge", "write box/in.md $X1", "edit box/in.md $X10", "box/in.md=$X1+10 note.md=one"],
  ["meet", "write new.md new", "new new.md new", "box/in.md=$X new.md=new note.md=one"],
];

/** Syncs two documents and an empty folder. */
async function begin(): Promise<Moment> {
  const { rig, mirror } = openFixture(48);
  for (const [path, text] of textsOf("box/in.md=$X note.md=one")) rig.app.create(path, text);
  rig.app.makeFolder("empty");
  await settle(mirror);
  return new Moment({ rig, mirror });
}

const begun = await begin();

function changed(local: string, remote: string): Fixture {
  const fixture = continueFrom(begun);
  actLocally(fixture.mirror, local);
  actOnService(fixture.rig.app, remote);
  return fixture;
}

function textsOf(tree: string): Map<string, string> {
  return new Map(readTree(tree).documents.map(({ path, content }) => [path, content]));
}

/** @param fault of the first write request; null if it succeeds */
function openWith(fault: Fault | null): (moment: Moment) => Fixture {
  return (moment) => {
    const fixture = continueFrom(moment);
    let isOver = false;
    fixture.fault = (request) => {
      if (isOver || !isWrite(request)) return null;
      isOver = true;
      return fault;
    };
    return fixture;
  };
}

async function expectSettled({ rig, mirror }: Fixture): Promise<ReadonlyMap<string, string>> {
  await settle(mirror);
  expect(mirror.state.intents()).toEqual([]);
  expect(mirror.texts()).toEqual(rig.app.texts());
  return mirror.texts();
}

/**
 * A request that is never executed is left out: it leaves the same as a kill before the request.
 */
const ENDS: readonly (readonly [string, Fault | null])[] = [
  ["done", null],
  ["done, and its answer is lost", "drop-after"],
  ["refused", problem(403, "forbidden")],
];

describe.each(ROWS)("I13 I08 %s (%s|%s), killed at each call", (kind, local, remote, after) => {
  // A refused deletion restores its document, so this end has another result.
  const isLocal = kind.endsWith("-local") || kind === "meet";
  const ends = ENDS.slice(0, isLocal ? 1 : kind === "delete-remote" ? 2 : 3);
  test.each(ends)("%s", async (_, fault) => {
    const calls = await killAtEachCall(changed(local, remote), {
      open: openWith(fault),
      async judge(fixture, call) {
        fixture.fault = () => null;
        expect([call, await expectSettled(fixture)]).toEqual([call, textsOf(after)]);
        expect(fixture.rig.app.files().size).toBe(textsOf(after).size);
      },
    });
    expect(calls).toBeGreaterThan(5);
  });
});

function contextOf(mirror: Mirror): CycleContext {
  return new CycleContext(mirror.world(), { run: { number: 1 }, settings: SETTINGS });
}

/**
 * `then` and `thenRemote` are commands after planning, local and on the service. They make the plan
 * stale.
 */
type Late = readonly [kind: string, local: string, remote: string, then: string, thenRemote: string];

const STALE: readonly Late[] = [
  ["put", "write note.md two", "", "write note.md three", ""],
  ["create-remote", "write new.md new", "", "write new.md newer", ""],
  ["delete-remote", "rm note.md", "", "write note.md back", ""],
  ["reparent-remote", "mv note.md box/note.md", "", "", "rm box"],
  ["write-local", "", "edit note.md two", "write note.md mine", ""],
  ["create-local", "", "new new.md new", "write new.md mine", ""],
  ["merge", "write box/in.md $X1", "edit box/in.md $X10", "write box/in.md $A", ""],
  ["meet", "write new.md new", "new new.md new", "write new.md newer", ""],
  ["move-local", "", "mv note.md other.md", "write other.md taken", ""],
  ["trash-local", "", "rm note.md", "write note.md edited", ""],
  ["make-folder-local", "", "mkdir fresh", "mkdir fresh", ""],
  ["move-folder-local", "", "mv box crate", "mkdir crate; write crate/x.md x", ""],
  ["remove-folder-local", "", "rm empty", "write empty/x.md x", ""],
  ["reparent-folder-remote", "mv box empty/box", "", "", "rm empty"],
  ["remove-folder-remote", "rm empty", "", "mkdir empty", ""],
];

test.each(STALE)("I04 %s (%s|%s), then %s|%s: the plan is stale", async (kind, local, remote, then, thenRemote) => {
  const fixture = changed(local, remote);
  const { mirror, rig } = fixture;
  const planned = await mirror.plan();
  const [action] = planned.kind === "planned" ? planned.plan.steps.map((step) => step.action) : [];
  expect(action?.kind).toBe(kind);
  actLocally(mirror, then);
  actOnService(rig.app, thenRemote);
  expect(await performAction(contextOf(mirror), action!)).toMatchObject({ kind: "stale" });
  expect(fixture.seen.filter(isWrite)).toEqual([]);
  await settle(mirror);
  expect(mirror.state.intents()).toEqual([]);
  const isInConflict = mirror.state.load().conflicts.size > 0;
  expect(isInConflict ? rig.app.texts() : mirror.texts()).toEqual(rig.app.texts());
});

test("I13 a replaced file is logged as one event, wherever the process is killed", async () => {
  await killAtEachCall(changed("", "edit note.md two"), {
    open: continueFrom,
    async judge(fixture, call) {
      await expectSettled(fixture);
      const events = fixture.mirror.state.events({ limit: 100, path: "note.md" });
      const written = events.filter(({ after }) => after === digestOf("two\n"));
      const logged = written.map(({ kind, before }) => [kind, before]);
      expect({ call, logged }).toEqual({ call, logged: [["write-local", digestOf("one\n")]] });
    },
  });
});

describe("a conflict whose process is killed at each call", () => {
  const start = (): Fixture => changed("write note.md mine", "edit note.md theirs");
  const texts = textsOf("box/in.md=$X note.md=mine note_(theirs).md=theirs");

  test("I13 I27 opens once", async () => {
    await killAtEachCall(start(), {
      open: continueFrom,
      async judge({ mirror }, call) {
        await mirror.syncTimes(2);
        const shown = [...mirror.state.load().conflicts.values()].map((one) => one.shown.map(({ ino }) => ino !== 0));
        const opened = mirror.state.events({ limit: 100, kinds: ["conflict"] }).length;
        expect({ call, texts: mirror.texts(), shown, opened }).toEqual({ call, texts, shown: [[true]], opened: 1 });
        expect(mirror.state.intents()).toEqual([]);
      },
    });
  });

  test("I13 I27 has its copy after a power cut in the next run", async () => {
    await killAtEachCall(start(), {
      open: continueFrom,
      async judge({ rig, mirror }, call) {
        recoverLocal(contextOf(mirror), mirror.state.intents());
        mirror.disk.beforeCall = null;
        mirror.disk.losePower(() => 0);
        await mirror.syncTimes(4);
        expect({ call, texts: mirror.texts() }).toEqual({ call, texts });
        expect(rig.app.text("note.md")).toBe("theirs\n");
      },
    });
  });

  test.each([
    ["drop-conflict", "rm note.md", "", "note.md=theirs"],
    ["move-conflict-copy", "mv note.md plan.md", "", "plan.md=mine plan_(theirs).md=theirs"],
    ["renew-conflict", "", "edit note.md newer", "note.md=mine note_(theirs_2).md=newer"],
    ["end-conflict", "rm note_(theirs).md", "", "note.md=mine"],
  ])("I13 I27 %s (%s|%s)", async (_, local, remote, after) => {
    const conflicting = start();
    await conflicting.mirror.sync();
    actLocally(conflicting.mirror, local);
    actOnService(conflicting.rig.app, remote);
    await killAtEachCall(conflicting, {
      open: continueFrom,
      async judge({ mirror }, call) {
        await mirror.syncTimes(4);
        expect([call, mirror.texts()]).toEqual([call, textsOf(`box/in.md=$X ${after}`)]);
        expect(mirror.state.intents()).toEqual([]);
      },
    });
  });
});

describe("I13 a change of protection, killed at each call", () => {
  test.each(ENDS)("%s", async (_, fault) => {
    await killAtEachCall(changed("", ""), {
      open: openWith(fault),
      work: ({ mirror }) =>
        runManually(mirror.world(), "protect", async (ctx) => [{ outcome: await protectNote(ctx), notes: [] }]),
      async judge(fixture, call) {
        fixture.fault = () => null;
        await expectSettled(fixture);
        const isProtected = noteOf(fixture.mirror).protected;
        const logged = fixture.mirror.state.events({ limit: 100, kinds: ["protect"] }).length;
        expect({ call, logged }).toEqual({ call, logged: isProtected ? 1 : 0 });
      },
    });
  });
});

function noteOf({ state }: Pick<World, "state">): DocumentRecord {
  return [...state.load().records.values()].find(({ localPath }) => localPath === "note.md")!;
}

function protectNote(ctx: CycleContext): Promise<Outcome> {
  const action = { id: noteOf(ctx.world).id, localPath: "note.md", value: true, why: "asked" };
  return runEffect(ctx, protectDocument, action);
}
