import { expect, test } from "vitest";
import { syncToConvergence } from "../../src/mirror/engine/run/sync.ts";
import { problem, openSynced } from "../promises/fixture.ts";
import { rollDice } from "../simulator/dice.ts";
import { killAtEachCall } from "../simulator/kill-at-each-call.ts";
import { type Mirror, SETTINGS } from "../simulator/mirror.ts";
import { Moment } from "../simulator/moment.ts";
import { createRig } from "../simulator/rig.ts";

/** New documents of the service, whose files a power loss may damage before they are recorded. */

/** 1,300 bytes: two sectors and a part of one. */
const TEXT = "0123456789 ab".repeat(100);

test("I13 I19 a clone comes to the same end wherever the power is cut in it", async () => {
  const rig = createRig(3);
  const begun = rig.mirror();
  begun.disk.settle();
  rig.app.create("area/short.md", "short\n");
  rig.app.create("long.md", TEXT);
  const [start, files] = [new Moment({ rig, mirror: begun }), rig.app.files()];
  const dice = rollDice(7);
  let damaged = 0;
  for (let at = 1; ; at++) {
    const { mirror } = start.open();
    mirror.killAt(at);
    if ((await mirror.sync()) !== null) break;
    if (mirror.texts().size === 0) continue;
    const later = start.open().rig;
    const after = later.mirror({}, mirror.copyAfterPowerCut());
    after.disk.losePower(dice.fraction);
    if ([...after.texts().values()].some((text) => text !== TEXT && text !== "short\n")) damaged++;
    for (let run = 0; run < 3; run++) await after.sync();
    expect({ at, files: later.app.files() }).toEqual({ at, files });
    expect({ at, texts: Object.fromEntries(after.texts()) }).toEqual({
      at,
      texts: { "area/short.md": "short\n", "long.md": TEXT },
    });
    expect({ at, open: after.state.intents(), held: after.state.blocks() }).toEqual({ at, open: [], held: [] });
  }
  expect(damaged).toBeGreaterThan(5);
});

async function startAgain(mirror: Mirror): Promise<void> {
  await syncToConvergence(
    { ...mirror.world(), bootId: "boot-2" },
    { settings: SETTINGS, retryRefused: false, kind: "sync" },
  );
}

/** A document without a record, and the journalled file that a power loss left of it. */
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
  await startAgain(mirror);
  expect(mirror.texts()).toEqual(new Map([["note.md", TEXT.slice(0, 512)]]));
  expect(mirror.state.intents()).toHaveLength(1);
  fixture.fault = () => null;
  await startAgain(mirror);
  expect(mirror.texts()).toEqual(new Map([["note.md", TEXT]]));
  expect([...rig.app.files().values()].map(({ text }) => text)).toEqual([TEXT]);
  expect(mirror.state.intents()).toEqual([]);
});

test("I13 a damaged new file is created again wherever the power is cut a second time", async () => {
  const { rig, mirror: begun } = await loseRecord(TEXT.slice(0, 512));
  rig.app.create("other.md", "another\n");
  const mirror = rig.mirror({}, { ...begun.copy(), boot: 2 });
  const texts = { "note.md": TEXT, "other.md": "another\n" };
  mirror.disk.settle();
  const cuts = await killAtEachCall(
    { rig, mirror },
    {
      async judge(pair, at, lived) {
        if (lived) return;
        pair.mirror.disk.losePower(() => 0);
        const after = pair.rig.mirror({}, pair.mirror.copyAfterPowerCut());
        for (let run = 0; run < 3; run++) await after.sync();
        expect({ at, texts: Object.fromEntries(after.texts()) }).toEqual({ at, texts });
        expect({ at, open: after.state.intents(), held: after.state.blocks() }).toEqual({ at, open: [], held: [] });
      },
    },
  );
  expect(cuts).toBeGreaterThan(10);
});

test("I14 a new file that its user has edited is not damaged, also if it ends with a sector", async () => {
  const edited = `${TEXT.slice(0, 500)}and an edit\n`;
  const { mirror } = await loseRecord(edited);
  await startAgain(mirror);
  expect(mirror.texts().get("note.md")).toBe(edited);
  expect(mirror.state.intents()).toEqual([]);
});

test("I13 a file that a killed run created, and the next one links, survives a power loss", async () => {
  const { rig, mirror } = await loseRecord(TEXT);
  await mirror.sync();
  mirror.disk.losePower(() => 0);
  await startAgain(mirror);
  expect([mirror.texts().get("note.md"), rig.app.files().get("note.md")?.text]).toEqual([TEXT, TEXT]);
});

test("I05 a new file that is empty after a power loss, whose document is gone by then, is not uploaded", async () => {
  const { rig, mirror } = await loseRecord("");
  rig.app.remove("note.md");
  await startAgain(mirror);
  expect([...rig.app.files().keys()]).not.toContain("note.md");
  expect([...mirror.texts().keys()]).not.toContain("note.md");
});
