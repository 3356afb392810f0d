import { expect, test, it, describe } from "vitest";
import { syncToConvergence } from "../../src/mirror/engine/run/converge.ts";
import type { WireRequest } from "../../src/contract/wire.ts";
import type { DocId } from "../../src/contract/ids.ts";
import {
  type Fixture,
  keepsText,
  openFixture,
  settle,
  openSynced,
  HTML,
  type SeenRequest,
  problem,
} from "../promises/fixture.ts";
import type { AppFile } from "../simulator/app.ts";
import { type MirrorCopy, SETTINGS, type Mirror } from "../simulator/mirror.ts";
import type { Fault } from "../variants/variant.ts";
import { createRig, type Rig } from "../simulator/rig.ts";

const LINES = Array.from({ length: 12 }, (_, line) => `line ${line}\n\n`);

test("I03 the content in the answer to a PUT is kept, although the document has another version when it is read", async () => {
  const fixture = await openSynced({ "note.md": LINES.join("") }, {}, { documentedMembersOnly: true });
  const { rig, mirror } = fixture;
  mirror.write("note.md", LINES.with(9, "written here\n\n").join(""));
  const [first, second] = [
    LINES.with(2, "in the app\n\n"),
    LINES.with(2, "in the app\n\n").with(9, "written here\n\n"),
  ];
  let isSent = false;
  fixture.onRequest = ({ method }) => {
    // The service merges the PUT. A user edits the document once more before mdmirror reads which
    // version that became.
    if (method === "PUT") rig.app.edit("note.md", first.join(""));
    if (isSent && method === "GET") rig.app.edit("note.md", second.with(5, "once more\n\n").join(""));
    isSent = method === "PUT";
  };
  await mirror.sync();
  fixture.onRequest = () => undefined;
  const last = second.with(5, "once more\n\n").join("");
  expect(rig.app.text("note.md")).toBe(last);
  expect(keepsText(fixture, second.join(""))).toBe(true);
  await settle(mirror);
  expect(mirror.texts().get("note.md")).toBe(last);
});

/** Returns a service's answer after it saved `content` as the live version `lastChangeId`. */
function savedAs({ id, path }: Pick<AppFile, "id" | "path">, lastChangeId: string, content: string): Fault {
  const file = { object: "file", id, path: `/${path}`, protected: false, lastChangeId };
  const headers = { "content-type": "application/json" };
  return { status: 200, headers, body: JSON.stringify({ object: "edit", file, content }) };
}

/** Replaces the service's answer to the first PUT. */
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
  expect(rig.app.text("note.md")).toBe(mine);
  rig.app.edit("note.md", LINES.with(9, "written here\n\n").with(2, "in the app\n\n").join(""));
  await settle(mirror);
  expect(mirror.texts().get("note.md")).toContain("written here");
});

test("I03 if a PUT is answered with other content than was sent, the document is read before the file is written", async () => {
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
  expect([mirror.texts().get("note.md"), rig.app.text("note.md")]).toEqual([mine, mine]);
});

test.each([
  ["PUT", (fixture: Fixture) => fixture.mirror.write("note.md", LINES.with(9, "written locally\n\n").join(""))],
  ["DELETE", ({ mirror }: Fixture) => mirror.remove("note.md")],
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
  expect(rig.app.text("note.md")).not.toBe(text);
  expect(keepsText({ ...fixture, mirror: rig.mirror({}, atRequest) }, text)).toBe(true);
});

/** What mdmirror does if a document changes between its last read and the answer to its DELETE. */

const NOT_FOUND = problem(404, "file_not_found");
const DOWN = problem(503, "unavailable", { "retry-after": "1" });
const TEXT = "a text\n";

/** Returns a fault in place of the service's answer; null for the real answer. */
type Answering = (request: WireRequest, rig: Rig) => Fault | null;

async function start(answering: Answering): Promise<{ readonly rig: Rig; readonly mirror: Mirror }> {
  const rig: Rig = createRig(5, { fault: (request) => answering(request, rig) });
  for (const name of ["note.md", "other.md"]) rig.app.create(name, TEXT);
  const mirror = rig.mirror();
  await mirror.sync();
  mirror.remove("note.md");
  mirror.requests.length = 0;
  return { rig, mirror };
}

test("I02 I08 a document that it shows all the same comes back, with a note, and its DELETE is not sent again", async () => {
  const { rig, mirror } = await start(({ method }) => (method === "DELETE" ? NOT_FOUND : null));
  const id = rig.app.id("note.md")!;
  const report = await mirror.sync();
  expect(report).toMatchObject({ state: "attention", attention: [{ path: "note.md", code: "file_not_found" }] });
  expect(Object.fromEntries(mirror.texts())).toEqual({ "note.md": TEXT, "other.md": TEXT });
  expect(rig.app.id("note.md")).toBe(id);
  expect(await mirror.sync()).toMatchObject({ state: "in-sync", counts: { createdLocal: 0 } });
  expect(mirror.writes("DELETE")).toEqual([`DELETE /v1/files/${id}`]);
});

test("I04 a document that was deleted at the same moment is deleted on both sides", async () => {
  const { rig, mirror } = await start(({ method }, { app }) => {
    if (method === "DELETE" && app.files().has("note.md")) app.remove("note.md");
    return null;
  });
  expect(await mirror.sync()).toMatchObject({ state: "in-sync", counts: { deletedRemote: 1 } });
  expect([...mirror.texts().keys()]).toEqual(["other.md"]);
  expect([...rig.app.files().keys()]).toEqual(["other.md"]);
  expect(mirror.writes("DELETE")).toHaveLength(1);
});

test("I08 I13 where that cannot be read, the deletion stays unsettled, and a read of the next run settles it", async () => {
  let isDown = false;
  const { rig, mirror } = await start(({ method }, { app }) => {
    if (isDown || method !== "DELETE") return isDown ? DOWN : null;
    app.remove("note.md");
    isDown = true;
    return NOT_FOUND;
  });
  const id = rig.app.id("note.md")!;
  expect((await mirror.sync())?.state).not.toBe("in-sync");
  isDown = false;
  expect((await mirror.sync())?.state).toBe("in-sync");
  expect(mirror.writes("DELETE")).toEqual([`DELETE /v1/files/${id}`]);
  expect([...mirror.texts().keys()]).toEqual(["other.md"]);
});

test("I03 I06 an edit on the service before any other request of the sync is live afterwards", async () => {
  let isOver = false;
  for (let moment = 1; !isOver; moment++) {
    let [requests, isEdited] = [Number.NEGATIVE_INFINITY, false];
    const { mirror } = await start(({ method }, { app }) => {
      if (++requests !== moment || method === "DELETE" || !app.files().has("note.md")) return null;
      app.edit("note.md", "edited\n");
      isEdited = true;
      return null;
    });
    // These steps write rows to the journal at the same time as the deletion.
    for (const name of ["a", "b", "c"]) mirror.write(`${name}.md`, `${name}\n`);
    mirror.rename("other.md", "moved.md");
    requests = 0;
    await mirror.sync();
    isOver = requests < moment;
    await mirror.sync();
    expect({ moment, text: mirror.texts().get("note.md") }).toEqual({
      moment,
      text: isEdited ? "edited\n" : undefined,
    });
  }
});

test("I04 I06 a document that is renamed between the plan and the last read is restored", async () => {
  let isPlanned = false;
  const { rig, mirror } = await start(({ method, path }, { app }) => {
    if (isPlanned && method === "GET" && path.startsWith("/v1/files/doc_")) {
      app.rename("note.md", "wanted.md");
      isPlanned = false;
    }
    return null;
  });
  isPlanned = true;
  await mirror.sync();
  expect(isPlanned).toBe(false);
  expect(mirror.writes("DELETE")).toEqual([]);
  for (const side of [rig.app.files(), mirror.texts()])
    expect([...side.keys()].toSorted()).toEqual(["other.md", "wanted.md"]);
});

/**
 * If the answer to a write has too few members, the client reads the document. A user may edit the
 * document right after that read.
 */

const FIRST = LINES.with(3, "written there\n\n").join("");
const SECOND = LINES.with(3, "written there once more\n\n").join("");

/**
 * After the first write of that method, the document's first read returns one edit. A second edit
 * follows before the next request.
 */
function editBesideRead(fixture: Fixture, method: string, path: string, second: string): { readonly reads: number } {
  const done = { isWritten: false, reads: 0 };
  fixture.onRequest = (request) => {
    if (done.reads === 1) fixture.rig.app.edit(path, second);
    if (done.reads === 0 && done.isWritten) fixture.rig.app.edit(path, FIRST);
    if (done.isWritten) done.reads++;
    if (request.method === method) done.isWritten = true;
  };
  return done;
}

/** A local file is new, and the answer to its POST contains only an id. */
async function writeAnsweredById(fixture: Fixture): Promise<() => DocId | null> {
  const { rig, mirror } = fixture;
  // After some successful read-backs, mdmirror no longer reads a new document back. These documents
  // exhaust them.
  for (const n of [1, 2, 3, 4]) mirror.write(`known-${n}.md`, `known ${n}\n`);
  await settle(mirror);
  let id: DocId | null = null;
  fixture.fault = ({ method, path, body }) => {
    if (method !== "POST" || path !== "/v1/files") return null;
    id = rig.app.create("note.md", String(body!["content"]));
    return { status: 201, headers: { "content-type": "application/json" }, body: JSON.stringify({ id }) };
  };
  mirror.write("note.md", LINES.join(""));
  return () => id;
}

it("I03 the version is kept that is read after a rename whose answer contains no version", async () => {
  const fixture = await openSynced({ "a.md": LINES.join("") }, {}, { changeIdMovesOnRename: true });
  const { mirror } = fixture;
  mirror.rename("a.md", "b.md");
  const done = editBesideRead(fixture, "PATCH", "b.md", SECOND);
  await mirror.sync();
  fixture.onRequest = () => undefined;
  expect(done.reads).toBeGreaterThan(1);
  expect(keepsText(fixture, FIRST)).toBe(true);
  await settle(mirror);
  expect(mirror.texts().get("b.md")).toBe(SECOND);
});

it("I03 the version is kept that is read after a creation whose answer contains no version", async () => {
  const fixture = openFixture(72);
  const { mirror } = fixture;
  const id = await writeAnsweredById(fixture);
  const done = editBesideRead(fixture, "POST", "note.md", SECOND);
  await mirror.sync();
  fixture.onRequest = () => undefined;
  expect(done.reads).toBeGreaterThan(1);
  expect(mirror.state.record(id()!)).not.toBeNull();
  expect(keepsText(fixture, FIRST)).toBe(true);
  await settle(mirror);
  expect(mirror.texts().get("note.md")).toBe(SECOND);
});

it("I01 I07 I12 a new document that was edited on the service before its version was read is downloaded as edited", async () => {
  const fixture = openFixture(73);
  const { rig, mirror } = fixture;
  await writeAnsweredById(fixture);
  const done = editBesideRead(fixture, "POST", "note.md", FIRST);
  await settle(mirror);
  fixture.onRequest = () => undefined;
  expect(done.reads).toBeGreaterThan(0);
  expect(mirror.texts().get("note.md")).toBe(FIRST);
  mirror.write("note.md", `${FIRST}written here\n`);
  await settle(mirror);
  expect(rig.app.text("note.md")).toBe(`${FIRST}written here\n`);
});

it("I03 the version is kept that is read before the safety checks and differs from the list", async () => {
  const fixture = openFixture(74);
  const { rig, mirror } = fixture;
  for (const path of ["a.md", "b.md"]) rig.app.create(path, LINES.join(""));
  await settle(mirror);
  // Both documents may be empty now, so mdmirror reads both.
  for (const path of ["a.md", "b.md"]) rig.app.edit(path, LINES.with(1, "edited\n\n").join(""));
  const id = rig.app.id("a.md")!;
  const edits = [FIRST, SECOND];
  fixture.onRequest = ({ path }) => {
    const text = path === `/v1/files/${id}` ? edits.shift() : undefined;
    if (text !== undefined) rig.app.edit("a.md", text);
  };
  await mirror.sync();
  expect(edits).toEqual([]);
  expect(keepsText(fixture, FIRST)).toBe(true);
  await settle(mirror);
  expect(mirror.texts().get("a.md")).toBe(SECOND);
});

const isPost = ({ method, path }: SeenRequest): boolean => method === "POST" && path === "/v1/files";
/**
 * Returns true for the request that finds out whether a POST happened: the list of its exact path.
 */
const isAsked = ({ method, path }: SeenRequest): boolean => method === "GET" && path.startsWith("/v1/files?path=");

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
    const made = rig.app.id("a.md");
    expect(made !== undefined).toBe(lost === "drop-after");
    mirror.rename("a.md", "b.md");
    await mirror.syncTimes(2);
    expect([...mirror.texts().keys()].filter((path) => path.endsWith(".md")).sort()).toEqual(["b.md", "other.md"]);
    fixture.fault = () => null;
    await settle(mirror);
    expect([...rig.app.texts().keys()].sort()).toEqual(["b.md", "other.md"]);
    expect([...mirror.texts()]).toEqual([...rig.app.texts()]);
    if (made !== undefined) expect(rig.app.id("b.md")).toBe(made);
    expect(seen.filter(({ method }) => method === "DELETE")).toEqual([]);
    expect(seen.filter(isPost)).toHaveLength(lost === "drop-before" ? 2 : 1);
  });
});

/** A request, and what the user does to the file while mdmirror sends it. */
const ACTS = [
  ["PATCH", "rename"],
  ["DELETE", "remove"],
] as const;

test.each(ACTS)(
  "I03 the text that settles a %s without an answer is kept, though it goes next (%s)",
  async (method, act) => {
    const fixture = await openSynced({ "note.md": "one\n", "stays.md": "stays\n" });
    const { rig, mirror } = fixture;
    if (act === "remove") mirror.remove("note.md");
    else mirror.rename("note.md", "other.md");
    // The request is sent, and the machine stops before the answer.
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
  "a document that is read in another version than listed, %s, is listed again before a run ends",
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
