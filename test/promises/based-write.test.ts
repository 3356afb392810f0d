import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { digestOf } from "../../src/contract/digest.ts";
import { onRealState, openFixture, putId, remoteTexts } from "./fixture.ts";

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
