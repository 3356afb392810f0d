import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { digestOf } from "../../src/contract/digest.ts";
import type { DocId } from "../../src/contract/ids.ts";
import {
  type Fixture,
  HTML,
  onRealState,
  openFixture,
  putId,
  problem,
  remoteTexts,
  type Seen,
  settle,
} from "./fixture.ts";
import { wordsOf, Writers } from "./stir.ts";
import { runs } from "../property.ts";

/**
 * Every PUT as it passes by, judged at that very moment by what the service and the state file hold
 * then.
 */
type Judge = {
  readonly puts: number;
  /** PUTs by what came before them, so that it shows which situations were met. */
  readonly met: Map<string, number>;
  readonly failures: string[];
  /** What people gave up when they chose between two texts. */
  dropped: ReadonlySet<string>;
  situation: string;
  /** Remembers the versions that are live now. */
  note(): void;
};

function unmarked(changeId: string): string {
  return changeId.replace(/-r\d+$/, "");
}

function judgePuts(fixture: Fixture): Judge {
  const { rig, mirror } = fixture;
  const textOf = new Map<string, string>();
  const judge: Judge & { puts: number } = {
    puts: 0,
    met: new Map(),
    failures: [],
    situation: "plain",
    dropped: new Set(),
    note() {
      for (const { changeId, text } of rig.app.files().values()) textOf.set(changeId, text);
    },
  };
  fixture.onRequest = (request: Seen) => {
    const id = putId(request);
    if (id === null) return;
    judge.note();
    judge.puts++;
    judge.met.set(judge.situation, (judge.met.get(judge.situation) ?? 0) + 1);
    const { baseChangeId, content } = request.body as { baseChangeId: string; content: string };
    const fail = (what: string): void =>
      void judge.failures.push(`PUT ${judge.puts} (${judge.situation}) of ${id} on ${baseChangeId}: ${what}`);
    // Without the variant's own mark on a change id that a rename moved: the same version, which a
    // step on the place may have renamed since the PUT began.
    const version = unmarked(baseChangeId);
    const base = textOf.get(version);
    if (base === undefined) return fail("a base that the service never showed");
    if (!mirror.state.hasText(digestOf(base))) fail("the base's text is not in the store");
    if (mirror.state.text(digestOf(base)) !== base) fail("the store holds another text under the base's digest");
    const link = mirror.state.link(id as DocId);
    if (link === null || unmarked(link.changeId) !== version || link.digest !== digestOf(base))
      fail("not the link's base");
    const words = wordsOf(content);
    const left = [...wordsOf(base)].filter((word) => !words.has(word));
    const lost = left.filter((word) => !judge.dropped.has(word));
    if (left.length > lost.length) judge.met.set("after a choice", (judge.met.get("after a choice") ?? 0) + 1);
    if (lost.length > 0) fail(`the text was never merged with it: ${lost.join(" ")} are missing`);
  };
  return judge;
}

async function live(seed: number, variant: Parameters<typeof openFixture>[1]): Promise<Judge> {
  const fixture = openFixture(seed, variant);
  const { dice } = fixture.rig;
  const writers = new Writers(fixture);
  const judge = judgePuts(fixture);
  for (let n = 0; n < 4; n++) fixture.rig.app.create(`a${n}.md`, writers.text());
  await settle(fixture.mirror);
  for (let step = 0; step < 30; step++) {
    const roll = dice.below(10);
    if (roll < 4) writers.here();
    else if (roll < 7) {
      writers.there();
      judge.note();
    } else if (roll === 7) {
      const dropped = writers.endConflict();
      judge.dropped = judge.dropped.union(dropped);
    } else {
      const end = dice.below(4);
      if (end === 1) fixture.mirror.killAt(1 + dice.below(80));
      if (end === 2) fixture.fault = (request) => (putId(request) && dice.below(2) === 0 ? "drop-after" : null);
      if (end === 3)
        fixture.fault = (request) =>
          putId(request) && dice.below(2) === 0 ? dice.pick(["drop-before" as const, HTML, problem(500, "x")]) : null;
      if (end > 0) judge.situation = ["plain", "in a run that is killed", "answers lost", "requests lost"][end]!;
      const ended = await fixture.mirror.sync();
      if (end > 0) judge.situation = `after ${ended === null ? "a kill" : "lost writes"}`;
      fixture.fault = () => null;
      if (end !== 0) await fixture.mirror.sync();
      judge.situation = "plain";
    }
  }
  for (let n = 0; n < 4; n++) {
    await settle(fixture.mirror);
    judge.dropped = judge.dropped.union(writers.endConflict());
  }
  await settle(fixture.mirror);
  return judge;
}

describe("I07 every PUT is based on a version whose text the store holds, and was merged with", () => {
  test.each([
    ["as the embedded service is", {}],
    ["bare answers", { documentedMembersOnly: true, noLeadingSlashes: true }],
    ["change ids that move on rename", { changeIdMovesOnRename: true }],
    ["no combining, on save normalised", { normalise: true }],
  ])("in lives with kills and lost writes, on a deployment: %s", async (_, variant) => {
    let puts = 0;
    const met = new Map<string, number>();
    for (let seed = 720; seed < 720 + runs(5); seed++) {
      const judge = await live(seed, variant);
      expect({ seed, failures: judge.failures }).toEqual({ seed, failures: [] });
      puts += judge.puts;
      for (const [situation, count] of judge.met) met.set(situation, (met.get(situation) ?? 0) + count);
    }
    // What was never met would prove nothing.
    expect(puts).toBeGreaterThan(10);
    expect([...met.keys()].sort()).toEqual(
      expect.arrayContaining(["after a kill", "after a choice", "answers lost", "plain"]),
    );
  });
});

test("I07 an edit whose base text the store has lost is never sent on a version that nobody here has read", async () => {
  const fixture = openFixture(1);
  const { rig, mirror } = fixture;
  const real = onRealState(fixture);
  const id = rig.app.create("a.md", "one\n\ntwo\n");
  for (let n = 0; n < 2; n++) await real.sync();
  const texts = new Sqlite(join(real.folder, "texts.db"));
  texts.exec("DELETE FROM texts");
  texts.close();
  real.restart();
  mirror.write("a.md", "one, here\n\ntwo\n");
  let edited = false;
  fixture.onRequest = ({ method, path }) => {
    if (edited || method !== "GET" || !path.endsWith(id)) return;
    edited = true;
    rig.app.edit("a.md", "one\n\ntwo, there\n");
  };
  for (let n = 0; n < 2; n++) await real.sync();
  expect(edited).toBe(true);
  expect(fixture.seen.filter((request) => putId(request) !== null)).toEqual([]);
  expect(remoteTexts(rig).get("a.md")).toBe("one\n\ntwo, there\n");
  expect(mirror.texts().get("a.md")).toBe("one, here\n\ntwo\n");
  expect(real.state().conflict(id)).toMatchObject({ shown: [{ digest: digestOf("one\n\ntwo, there\n") }] });
});
