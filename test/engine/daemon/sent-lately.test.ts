import { expect, test } from "vitest";
import { openFixture } from "../../promises/fixture.ts";
import { startDaemon } from "./rig.ts";

const LINES = Array.from({ length: 9 }, (_, line) => `line ${line}\n`);
const BASE = LINES.join("");
const SENT = LINES.with(4, "line 4, and a sentence\n").join("");

test("I06 I29 content that a daemon sent in vain, and its user undid, later counts as an edit and beats a deletion, although the wall clock stops", async () => {
  const fixture = openFixture(62);
  const { rig, mirror } = fixture;
  const at = rig.clock.now();
  rig.clock.now = () => at;
  rig.app.create("note.md", BASE);
  const daemon = await startDaemon({ rig, mirror });
  fixture.fault = ({ method }) => (method === "PUT" ? "drop-before" : null);
  daemon.save("note.md", SENT);
  await daemon.pass(5_000);
  expect(mirror.state.events({ limit: 9 }).map(({ outcome }) => outcome)).toContain("absent");
  daemon.save("note.md", BASE);
  fixture.fault = () => null;
  await daemon.pass(600_000);
  daemon.remove("note.md");
  rig.app.edit("note.md", SENT);
  await daemon.pass(600_000);
  expect([mirror.texts().get("note.md"), rig.app.files().get("note.md")?.text]).toEqual([SENT, SENT]);
});
