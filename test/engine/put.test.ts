import { expect, test } from "vitest";
import { syncToConvergence } from "../../src/mirror/engine/run/sync.ts";
import { type Fixture, keepsText, openFixture, settle, openSynced } from "../promises/fixture.ts";
import type { AppFile } from "../simulator/app.ts";
import { type MirrorCopy, SETTINGS } from "../simulator/mirror.ts";
import type { Fault } from "../variants/variant.ts";

const LINES = Array.from({ length: 12 }, (_, line) => `line ${line}\n\n`);

test("I03 what a PUT answers is kept, though another text is there when its change id is asked for", async () => {
  const fixture = await openSynced({ "note.md": LINES.join("") }, {}, { documentedMembersOnly: true });
  const { rig, mirror } = fixture;
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

/** What a service answers that saved `content` as the live version `lastChangeId`. */
function savedAs({ id, path }: Pick<AppFile, "id" | "path">, lastChangeId: string, content: string): Fault {
  const file = { object: "file", id, path: `/${path}`, protected: false, lastChangeId };
  const headers = { "content-type": "application/json" };
  return { status: 200, headers, body: JSON.stringify({ object: "edit", file, content }) };
}

/** Answers the first PUT by `answer`, in place of the service. */
function answerFirstPut(fixture: Fixture, answer: (content: string) => Fault): void {
  fixture.fault = ({ method, body }) => {
    if (method !== "PUT") return null;
    fixture.fault = () => null;
    return answer(body?.["content"] as string);
  };
}

test("I03 content reported as saved under the previous version was not saved, and is sent again", async () => {
  const fixture = await openSynced({ "note.md": LINES.join("") });
  const { rig, mirror } = fixture;
  const before = rig.app.files().get("note.md")!;
  const mine = LINES.with(9, "written here\n\n").join("");
  mirror.write("note.md", mine);
  answerFirstPut(fixture, (content) => savedAs(before, before.changeId, content));
  await settle(mirror);
  expect(rig.app.files().get("note.md")?.text).toBe(mine);
  rig.app.edit("note.md", LINES.with(9, "written here\n\n").with(2, "in the app\n\n").join(""));
  await settle(mirror);
  expect(mirror.texts().get("note.md")).toContain("written here");
});

test("I03 a text that a PUT answers in place of the one that was sent is read before it comes into the file", async () => {
  const fixture = await openSynced({ "note.md": LINES.join("") });
  const { rig, mirror } = fixture;
  const mine = LINES.with(9, "written here\n\n").join("");
  mirror.write("note.md", mine);
  answerFirstPut(fixture, (content) => {
    rig.app.edit("note.md", content);
    const { changeId, ...file } = rig.app.files().get("note.md")!;
    return savedAs(file, changeId, "another text\n");
  });
  await settle(mirror);
  expect([mirror.texts().get("note.md"), rig.app.files().get("note.md")?.text]).toEqual([mine, mine]);
});

test.each([
  ["PUT", (fixture: Fixture) => fixture.mirror.write("note.md", LINES.with(9, "written locally\n\n").join(""))],
  ["DELETE", ({ mirror }: Fixture) => mirror.disk.user.remove(mirror.path("note.md"))],
])("I03 I13 content that a process downloaded survives a power cut when its %s is sent", async (method, change) => {
  const fixture = openFixture(55);
  const { rig, mirror } = fixture;
  const text = LINES.join("");
  rig.app.create("note.md", text);
  const world = mirror.world();
  const sync = () => syncToConvergence(world, { settings: SETTINGS, retryRefused: true, kind: "sync" });
  await sync();
  change(fixture);
  let atRequest: MirrorCopy | null = null;
  fixture.onRequest = (request) => {
    if (request.method === method) atRequest = mirror.copyAfterPowerCut();
  };
  await sync();
  expect(rig.app.files().get("note.md")?.text).not.toBe(text);
  expect(keepsText({ ...fixture, mirror: rig.mirror({}, atRequest) }, text)).toBe(true);
});
