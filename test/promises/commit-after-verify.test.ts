import { describe, expect, test } from "vitest";
import { digestOf } from "../../src/contract/digest.ts";
import type { Link } from "../../src/mirror/model/link.ts";
import type { State } from "../../src/mirror/ports/state.ts";
import { syncToConvergence } from "../../src/mirror/engine/run/sync.ts";
import type { Variant } from "../variants/variant.ts";
import { Killed, SETTINGS } from "../simulator/mirror.ts";
import { type Fixture, HTML, openFixture, problem, putId, settle } from "./fixture.ts";
import { Writers } from "./stir.ts";
import { runs } from "../property.ts";

/** Each link as it is written, against what the service and the disk hold at that very moment. */
function judgeLinks(fixture: Fixture, failures: string[]): { readonly state: State; readonly judged: () => number } {
  const { rig, mirror } = fixture;
  let judged = 0;
  /**
   * Every version that the service ever showed. Nothing else moves while a mirror is at work, but
   * by its own requests.
   */
  const versions = new Map<string, string>();
  const inodes = (): Set<number> => {
    const { beforeCall } = mirror.disk;
    mirror.disk.beforeCall = null;
    const all = new Set([...mirror.texts().keys()].map((path) => mirror.disk.lstat(mirror.path(path)).ino));
    mirror.disk.beforeCall = beforeCall;
    return all;
  };
  const judge = (link: Link): void => {
    const before = mirror.state.link(link.id);
    if (before !== null && before.changeId === link.changeId && before.digest === link.digest) return;
    judged++;
    for (const { id, changeId, text } of rig.app.files().values()) versions.set(`${id} ${changeId}`, text);
    const text = versions.get(`${link.id} ${link.changeId.replace(/-r\d+$/, "")}`);
    const what = `${link.localPath} on ${link.changeId}`;
    if (text === undefined) failures.push(`${what}: the service never had this version`);
    else if (digestOf(text) !== link.digest) failures.push(`${what}: the service's version has another text`);
    if (!mirror.state.hasText(link.digest)) failures.push(`${what}: the base's text is not kept`);
    // By its inode: where it stands is committed by a step of its own. A stamp that was there
    // before was judged when it came; the file may have been saved anew since, which is the next
    // step's.
    const { stamp } = link;
    const isNew = stamp?.ino !== before?.stamp?.ino;
    if (stamp !== null && isNew && !inodes().has(stamp.ino))
      failures.push(`${what}: the file that it was seen in is not there`);
  };
  const state = new Proxy(mirror.state, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (name === "putLink")
        return (link: Link) => {
          judge(link);
          target.putLink(link);
        };
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  return { state, judged: () => judged };
}

async function live(seed: number, variant: Variant): Promise<{ judged: number; failures: string[] }> {
  const fixture = openFixture(seed, variant);
  const { rig, mirror } = fixture;
  const writers = new Writers(fixture);
  const failures: string[] = [];
  const { state, judged } = judgeLinks(fixture, failures);
  for (let n = 0; n < 4; n++) rig.app.create(`a${n}.md`, writers.text());
  for (let step = 0; step < 25; step++) {
    const roll = rig.dice.below(10);
    if (roll < 4) writers.here();
    else if (roll < 7) writers.there();
    else if (roll === 7) writers.endConflict();
    else {
      const world = mirror.world();
      if (rig.dice.below(2) === 0)
        fixture.fault = (request) =>
          putId(request) && rig.dice.below(2) === 0
            ? rig.dice.pick(["drop-after" as const, "drop-before" as const, HTML, problem(500, "internal_error")])
            : null;
      // A disk that refuses now and then: base must not move on what did not land.
      const mend =
        rig.dice.below(3) === 0
          ? mirror.disk.fail({
              call: rig.dice.pick(["link", "rename", "writeNew"] as const),
              path: null,
              code: "EIO",
              times: 1 + rig.dice.below(3),
            })
          : () => undefined;
      await syncToConvergence({ ...world, state }, { settings: SETTINGS, retryRefused: true, kind: "sync" }).catch(
        (error: unknown) => {
          if (!(error instanceof Killed)) throw error;
        },
      );
      mend();
      fixture.fault = () => null;
      mirror.disk.beforeCall = null;
      mirror.disk.advance(10);
    }
  }
  await settle(mirror);
  return { judged: judged(), failures };
}

describe("I12 base moves only to what both sides were seen to hold", () => {
  test.each([
    ["as the embedded service is", {}],
    ["bare answers", { documentedMembersOnly: true, noLeadingSlashes: true }],
    ["change ids that move on rename", { changeIdMovesOnRename: true }],
    ["normalising on save", { normalise: true }],
  ] as const)(
    "each link written in lives with lost writes and a failing disk is a version of the service, its text kept, its file there: %s",
    async (_, variant) => {
      let judged = 0;
      for (let seed = 1_200; seed < 1_200 + runs(2); seed++) {
        const life = await live(seed, variant);
        expect({ seed, failures: life.failures }).toEqual({ seed, failures: [] });
        judged += life.judged;
      }
      expect(judged).toBeGreaterThan(20);
    },
  );
});
