import { describe, expect, it } from "vitest";
import type { DocId } from "../../src/contract/ids.ts";
import { syncToConvergence } from "../../src/mirror/engine/run/sync.ts";
import type { Link } from "../../src/mirror/model/link.ts";
import type { Remote } from "../../src/mirror/ports/remote.ts";
import { type Mirror, SETTINGS } from "../simulator/mirror.ts";
import { createRig, type Rig } from "../simulator/rig.ts";
import type { Variant } from "../variants/variant.ts";
import { openSynced } from "../promises/fixture.ts";

const LINES = Array.from({ length: 12 }, (_, line) => `line ${line}\n\n`);

/** What a further look would do. */
async function stepsLeft(mirror: Mirror): Promise<unknown> {
  const end = await mirror.plan();
  return end.kind === "planned" ? end.plan.steps : end;
}

it("I02 a run whose rename is answered with an unseen version continues until it has read that version", async () => {
  const fixture = await openSynced({ "a.md": LINES.join("") });
  const { rig, mirror } = fixture;
  mirror.disk.user.rename(mirror.path("a.md"), mirror.path("b.md"));
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
  const before = mirror.state.link(id)!.changeId;
  mirror.disk.user.rename(mirror.path("a.md"), mirror.path("b.md"));
  mirror.write("b.md", LINES.with(3, "written here\n\n").join(""));
  await mirror.sync();
  expect(mirror.state.link(id)).toMatchObject({ remotePath: "b.md", changeId: `${before}-r1` });
  expect(mirror.state.link(id)?.submissions).toHaveLength(1);
  expect(await stepsLeft(mirror)).toEqual([]);
});

it.each([
  ["where change ids move on a rename", true, false],
  ["and edited there meanwhile", false, true],
])(
  "I02 I12 a rename whose answer was lost is over when its version is known as well: %s",
  async (_, changeIdMovesOnRename, isEdited) => {
    const fixture = await openSynced({ "a.md": LINES.join("") }, {}, { changeIdMovesOnRename });
    const { rig, mirror, idOf } = fixture;
    const id = idOf("a.md");
    mirror.disk.user.rename(mirror.path("a.md"), mirror.path("b.md"));
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
    expect(mirror.texts().get("b.md")).toBe(rig.app.files().get("b.md")?.text);
  },
);

async function shownChangeId(mirror: Mirror, id: DocId): Promise<unknown> {
  const answer = await mirror.world().remote.getFile(id);
  return answer.ok ? answer.value.lastChangeId : answer.fault;
}

/** Gives way to the other effect until it has come so far, in virtual time. */
async function until({ clock }: Rig, isSo: () => boolean): Promise<void> {
  for (let turn = 0; turn < 20 && !isSo(); turn++) await clock.sleep(100);
  expect(isSo()).toBe(true);
}

describe("a document that is renamed locally while its text is read or sent", () => {
  type LateAnswers = (remote: Remote, link: () => Link | null) => Partial<Remote>;

  /** Runs with answers that come late; then nothing is left to do. */
  async function settle({ rig, mirror, id }: Begun, lateAnswers: LateAnswers): Promise<void> {
    const world = mirror.world();
    const late = lateAnswers(world.remote, () => mirror.state.link(id));
    const remote = new Proxy(world.remote, {
      get(target, name) {
        const member: unknown = Reflect.get(late, name) ?? Reflect.get(target, name, target);
        return typeof member === "function" ? (member.bind(target) as unknown) : member;
      },
    });
    const run = { settings: SETTINGS, retryRefused: true, kind: "sync" } as const;
    expect((await syncToConvergence({ ...world, remote }, run)).state).toBe("in-sync");
    expect(await stepsLeft(mirror)).toEqual([]);
    expect(await shownChangeId(mirror, id)).toBe(mirror.state.link(id)?.changeId);
    expect([...mirror.texts().keys()]).toEqual([...rig.app.files().keys()]);
  }

  type Begun = { readonly rig: Rig; readonly mirror: Mirror; readonly id: DocId };

  async function begin(seed: number, variant: Variant = {}): Promise<Begun> {
    const rig = createRig(seed, { changeIdMovesOnRename: true, ...variant });
    const id = rig.app.create("a.md", LINES.join("")) as DocId;
    const mirror = rig.mirror();
    await mirror.sync();
    mirror.disk.user.rename(mirror.path("a.md"), mirror.path("b.md"));
    return { rig, mirror, id };
  }

  it("I02 I12 where change ids move on a rename: a read from before it does not take base back to the id from before", async () => {
    const begun = await begin(63);
    // Renamed for a mirror that does not see it: the same text under another id, so it is read.
    const other = begun.rig.mirror();
    await other.sync();
    for (const [from, to] of ["ac", "ca"].map((names) => [...names].map((name) => `${name}.md`))) {
      other.disk.user.rename(other.path(from!), other.path(to!));
      await other.sync();
    }
    let reads = 0;
    await settle(begun, (remote, link) => {
      const late = async <T>(read: Promise<T>): Promise<T> => {
        const isFirst = reads++ === 0;
        const answer = await read;
        if (isFirst) await until(begun.rig, () => link()?.remotePath === "b.md");
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
      await settle(begun, (remote, link) => ({
        async renameFile(id, name) {
          const before = link()?.changeId;
          const answer = await remote.renameFile(id, name);
          isRenamed = true;
          await until(begun.rig, () => link()?.changeId !== before);
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

  it("I02 I12 a PUT that the service takes for its own text does not take base back to the id before a rename", async () => {
    const begun = await begin(65, { normalise: true });
    begun.mirror.write("b.md", LINES.join("").replaceAll("\n", "\r\n"));
    let isSaved = false;
    await settle(begun, (remote, link) => ({
      async renameFile(id, name) {
        await until(begun.rig, () => isSaved);
        return remote.renameFile(id, name);
      },
      async putContent(...put) {
        const answer = await remote.putContent(...put);
        isSaved = true;
        await until(begun.rig, () => link()?.remotePath === "b.md");
        return answer;
      },
    }));
    expect(isSaved).toBe(true);
  });
});
