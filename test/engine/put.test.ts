import { expect, test } from "vitest";
import { keepsText, openFixture, settle } from "../promises/fixture.ts";

const LINES = Array.from({ length: 12 }, (_, line) => `line ${line}\n\n`);

test("I03 what a PUT answers is kept, though another text is there when its change id is asked for", async () => {
  const fixture = openFixture(52, { documentedMembersOnly: true });
  const { rig, mirror } = fixture;
  rig.app.create("note.md", LINES.join(""));
  await settle(mirror);
  mirror.write("note.md", LINES.with(9, "written here\n\n").join(""));
  const [first, second] = [
    LINES.with(2, "in the app\n\n"),
    LINES.with(2, "in the app\n\n").with(9, "written here\n\n"),
  ];
  let isSent = false;
  fixture.onRequest = ({ method }) => {
    // Combined with the text sent, and edited once more before anybody asks which version that was.
    if (method === "PUT") rig.app.edit("note.md", first.join(""));
    if (isSent && method === "GET") rig.app.edit("note.md", second.with(5, "once more\n\n").join(""));
    isSent = method === "PUT";
  };
  await mirror.sync();
  fixture.onRequest = () => undefined;
  const last = second.with(5, "once more\n\n").join("");
  expect(rig.app.files().get("note.md")?.text).toBe(last);
  expect(keepsText(fixture, second.join(""))).toBe(true);
  await settle(mirror);
  expect(mirror.texts().get("note.md")).toBe(last);
});
