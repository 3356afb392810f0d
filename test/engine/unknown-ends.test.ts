import { describe, expect, test, it } from "vitest";
import { HTML, remoteTexts, type Seen, settle, openSynced, keepsText, openFixture } from "../promises/fixture.ts";

const isPost = ({ method, path }: Seen): boolean => method === "POST" && path === "/v1/files";
/** What settles a POST: the list of its exact path. */
const isAsked = ({ method, path }: Seen): boolean => method === "GET" && path.startsWith("/v1/files?path=");

describe("I08 I09 a file that was renamed before its POST is settled", () => {
  test.each(["drop-before", "drop-after"] as const)("is one document, at its new path (%s)", async (lost) => {
    const fixture = await openSynced({ "other.md": "another document\n" });
    const { rig, mirror, seen } = fixture;
    mirror.write("a.md", "sent, and nobody heard\n");
    let sent = false;
    fixture.fault = (request) => {
      if (isPost(request) && !sent) {
        sent = true;
        return lost;
      }
      return isAsked(request) ? HTML : null;
    };
    await mirror.sync();
    const made = rig.app.files().get("a.md")?.id;
    expect(made !== undefined).toBe(lost === "drop-after");
    mirror.disk.user.rename(mirror.path("a.md"), mirror.path("b.md"));
    await mirror.sync();
    await mirror.sync();
    expect([...mirror.texts().keys()].filter((path) => path.endsWith(".md")).sort()).toEqual(["b.md", "other.md"]);
    fixture.fault = () => null;
    await settle(mirror);
    expect([...remoteTexts(rig).keys()].sort()).toEqual(["b.md", "other.md"]);
    expect([...mirror.texts()]).toEqual([...remoteTexts(rig)]);
    if (made !== undefined) expect(rig.app.files().get("b.md")?.id).toBe(made);
    expect(seen.filter(({ method }) => method === "DELETE")).toEqual([]);
    expect(seen.filter(isPost)).toHaveLength(lost === "drop-before" ? 2 : 1);
  });
});

/** A request of the mirror, and what the person does to the file that asks for it. */
const ACTS = [
  ["PATCH", "rename"],
  ["DELETE", "remove"],
] as const;

test.each(ACTS)(
  "I03 the text that settles a %s whose end is not known is kept, though it goes there next (%s)",
  async (method, act) => {
    const fixture = await openSynced({ "note.md": "one\n", "stays.md": "stays\n" });
    const { rig, mirror } = fixture;
    if (act === "remove") mirror.disk.user.remove(mirror.path("note.md"));
    else mirror.disk.user.rename(mirror.path("note.md"), mirror.path("other.md"));
    // Sent, and the machine stops before the answer comes.
    fixture.onRequest = (request) => {
      if (request.method === method) mirror.killAt(1);
    };
    fixture.fault = (request) => (request.method === method ? "drop-before" : null);
    expect(await mirror.sync()).toBeNull();
    fixture.fault = () => null;
    const edited = "one\n\ntwo, in the app\n";
    rig.app.edit("note.md", edited);
    let isListed = false;
    fixture.onRequest = ({ path }) => {
      if (isListed || !path.startsWith("/v1/files?")) return;
      isListed = true;
      rig.app.remove("note.md");
    };
    await mirror.sync();
    expect(isListed).toBe(true);
    expect(keepsText(fixture, edited)).toBe(true);
  },
);

it.each([
  ["in a clone", false],
  ["in an update", true],
])(
  "a document that is read in another version than listed, %s: it is listed again, before the sides are called in sync",
  async (_when, isKnown) => {
    const fixture = openFixture(71);
    const { rig, mirror, seen } = fixture;
    rig.app.create("a.md", "one\n");
    rig.app.create("b.md", "b\n");
    if (isKnown) {
      await mirror.sync();
      rig.app.edit("a.md", "two\n");
    }
    seen.length = 0;
    let isEdited = false;
    fixture.onRequest = ({ method, path }) => {
      if (isEdited || method !== "GET" || !path.startsWith("/v1/files/doc_")) return;
      isEdited = true;
      rig.app.edit("a.md", "last\n");
    };
    expect((await mirror.sync())!.state).toBe("in-sync");
    expect(mirror.texts().get("a.md")).toBe("last\n");
    expect(seen.filter(({ path }) => /^\/v1\/files(\?|$)/.test(path))).toHaveLength(2);
  },
);
