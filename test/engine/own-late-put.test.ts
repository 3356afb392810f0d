import { expect, test } from "vitest";
import { openFixture, settle } from "../promises/fixture.ts";

const LINES = Array.from({ length: 9 }, (_, line) => `line ${line}\n`);
const BASE = LINES.join("");
const SENT = LINES.with(4, "line 4, and a sentence\n").join("");

/** What is sent first, and what its user makes of it before the service carries that out. */
const SAVES = [
  ["the rest of a file that was sent half written", BASE.slice(0, 20), BASE],
  ["what was taken back", SENT, BASE],
  ["what was written on in the same line", SENT, SENT.replace("sentence", "sentence that goes on")],
  ["what was taken out of the line that was sent", SENT, LINES.with(4, "line 4\n").with(8, "the end\n").join("")],
] as const;

test.each(SAVES)(
  "I06 a PUT that is carried out long after it was read as not done does not undo %s",
  async (_, sent, then) => {
    const fixture = openFixture(53);
    const { rig, mirror } = fixture;
    rig.app.create("note.md", BASE);
    await settle(mirror);
    mirror.write("note.md", sent);
    let left = 1;
    fixture.fault = ({ method }) => (method === "PUT" && left-- > 0 ? "drop-before" : null);
    let isRead = false;
    fixture.onRequest = ({ method, path }) => {
      if (left > 0 || isRead) return;
      // The read that settles the PUT still finds the version before it; the next look does not.
      if (path.startsWith("/v1/files/doc_")) mirror.write("note.md", then);
      if (method !== "GET" || !path.startsWith("/v1/files?")) return;
      isRead = true;
      rig.app.edit("note.md", sent);
    };
    await settle(mirror);
    expect(isRead).toBe(true);
    expect(mirror.texts()).toEqual(new Map([["note.md", then]]));
    expect(rig.app.files().get("note.md")?.text).toBe(then);
  },
);

test("I06 somebody else's edit that equals a text that was sent long ago is an edit", async () => {
  const fixture = openFixture(54);
  const { rig, mirror } = fixture;
  rig.app.create("note.md", BASE);
  await settle(mirror);
  mirror.write("note.md", SENT);
  let left = 1;
  fixture.fault = ({ method }) => (method === "PUT" && left-- > 0 ? "drop-before" : null);
  await settle(mirror);
  expect(rig.app.files().get("note.md")?.text).toBe(SENT);
  // Base's text is the same again, in another version.
  rig.app.edit("note.md", BASE);
  await settle(mirror);
  rig.app.edit("note.md", SENT);
  await settle(mirror);
  expect(mirror.texts().get("note.md")).toBe(SENT);
});
