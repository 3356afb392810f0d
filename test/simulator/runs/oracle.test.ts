import { describe, expect, it } from "vitest";
import { Actors } from "./actors.ts";
import { actInApp } from "./app-acts.ts";
import { actInFolder } from "./local-acts.ts";
import { DeleteOracle } from "./oracle-wire.ts";
import { checkConverged } from "./oracle-end.ts";
import { checkRun } from "./oracle-run.ts";
import type { LiveFile } from "./world.ts";
import { ROOT } from "../mirror.ts";
import { create, open, sync } from "./oracle-fixture.ts";
import { linkLine, tagOf } from "./contents.ts";
import { closeWithTest } from "../open-databases.ts";
import type { MirrorSetup } from "./script.ts";

/** Broken promises that the oracle must find, and similar runs without any. */

function edit(actors: Actors, { id, changeId, text }: LiveFile): void {
  const content = actors.history.edit(text, 1, "the app");
  expect(
    actors.simulatedWorld.ask("PUT", `/v1/files/${id}/content`, { baseChangeId: changeId, content }),
  ).not.toBeNull();
}

/** Saves into a file that mdmirror has replaced, like an editor that has it open. */
function saveLate({ history, mirrors: [mirror] }: Actors, document: string): void {
  const setAside = mirror!.state.intents().flatMap(({ intent }) => (intent.kind === "set-aside" ? [intent] : []));
  const aside = `${ROOT}/.mdmirror/${setAside.find(({ path }) => path === document)!.setAsideAt}`;
  mirror!.disk.user.write(aside, history.edit(mirror!.disk.user.read(aside)!, 7, "mirror 0"));
}

describe("a mirror that is locked out", () => {
  it("may bring back what was saved late, and take away nothing else", async () => {
    const actors = open(["full"]);
    const [mirror] = actors.mirrors;
    for (const path of ["a.md", "b.md"]) create(actors, path);
    await sync(actors, 0);
    edit(actors, actors.simulatedWorld.files()[0]!);
    await sync(actors, 0);
    saveLate(actors, "a.md");
    actors.simulatedWorld.admin.setWorkspaceState(actors.simulatedWorld.workspaceId, "closed");
    const late = mirror!.disk.user.read(`${ROOT}/a.md`);
    const facts = await sync(actors, 0);
    expect([facts.heard.some((status) => status < 300), mirror!.disk.user.read(`${ROOT}/a.md`) === late]).toEqual([
      false,
      false,
    ]);
    expect(actors.history.failures).toEqual([]);
    checkRun(actors, 0, { ...facts, before: new Map([["b.md", "a text\n"]]) }, actors.liveIds());
    expect(actors.history.failures).toEqual([expect.stringContaining("I19 mirror 0 took b.md away")]);
  });
});

describe("a document that is deleted on the service", () => {
  it.each([
    ["one scan", 1, [expect.stringContaining("I04 it is deleted after one look")]],
    ["two scans", 2, []],
  ])("after %s of the folder: one is a fault, also if another file is at its path", async (_, scans, failures) => {
    const actors = open(["full"]);
    const [mirror] = actors.mirrors;
    const { clock } = actors.simulatedWorld;
    for (const path of ["a.md", "b.md"]) create(actors, path);
    await sync(actors, 0);
    const [, gone] = actors.simulatedWorld.files();
    mirror!.disk.user.rename(`${ROOT}/a.md`, `${ROOT}/b.md`);
    const judge = new DeleteOracle(mirror!, clock);
    judge.startRun(false);
    for (let n = 0; n < scans; n++) {
      await clock.sleep(2_000);
      judge.onScan();
    }
    // A listing of a folder to learn the spelling of one name is no scan.
    await clock.sleep(2_000);
    judge.onDisk("readdir", ROOT);
    judge.judge(gone!.id, gone!.changeId, (what) => actors.history.fail(what));
    expect(actors.history.failures).toEqual(failures);
  });

  it.each([
    ["is back, if the file has its content", "", [expect.stringContaining("nobody looked whether it is here again")]],
    ["is not back, if another document's damaged file has its path", "\0".repeat(90), []],
  ])("and was empty %s", async (_, text, failures) => {
    const actors = open(["full"]);
    const [mirror] = actors.mirrors;
    mirror!.disk.user.write(`${ROOT}/a.md`, "");
    await sync(actors, 0);
    const [gone] = actors.simulatedWorld.files();
    mirror!.disk.user.write(`${ROOT}/a.md`, text);
    const judge = new DeleteOracle(mirror!, actors.simulatedWorld.clock);
    judge.startRun(true);
    judge.onScan();
    judge.judge(gone!.id, gone!.changeId, (what) => actors.history.fail(what));
    expect(actors.history.failures).toEqual(failures);
  });
});

describe("a folder that loses its last synced files to deletions on the service", () => {
  it("is emptied only if no linked document remains on the service", async () => {
    const actors = open(["full"]);
    const [mirror] = actors.mirrors;
    for (const path of ["a.md", "b.md", "c.md"]) create(actors, path);
    await sync(actors, 0);
    mirror!.disk.user.rename(`${ROOT}/c.md`, `${ROOT}/c.md~`);
    const [a, b, c] = actors.simulatedWorld.files();
    const remove = ({ id }: LiveFile) => expect(actors.simulatedWorld.ask("DELETE", `/v1/files/${id}`)).not.toBeNull();
    for (const file of [a!, b!]) {
      actors.history.mayVanish.add(tagOf(file.text)!);
      remove(file);
    }
    const facts = await sync(actors, 0);
    expect([facts.report?.counts.deletedLocal, actors.history.failures]).toEqual([2, []]);
    remove(c!);
    checkRun(actors, 0, facts, actors.liveIds());
    expect(actors.history.failures).toEqual([expect.stringContaining("I21 it takes away here all")]);
  });
});

describe("a move whose path is taken by the service's answer", () => {
  const refused = [expect.stringContaining("I08 a refused write is sent again unchanged")];
  it.each([
    ["is a fault without a read", null, refused],
    ["is a fault after a read of another path", "/v1/files?path=%2Fc.md&limit=1000", refused],
    ["is allowed after a read of the path", "/v1/files?path=%2Fb.md&limit=1000", []],
    ["is allowed after a list of everything", "/v1/files?limit=1000", []],
  ])("sent again %s", (_, read, failures) => {
    const actors = open(["full"]);
    create(actors, "a.md");
    const [{ id }] = actors.simulatedWorld.files() as [LiveFile];
    const [oracle] = actors.oracles;
    const request = (method: "PATCH" | "GET", path: string, body: object | null) => ({
      ...{ method, path, headers: {}, body: body === null ? null : JSON.stringify(body) },
    });
    const answer = (status: number, body: object) => ({
      kind: "answer" as const,
      response: { status, headers: {}, body: JSON.stringify(body) },
    });
    const move = request("PATCH", `/v1/files/${id}`, { name: "b.md" });
    oracle!.sending(move);
    oracle!.heard(move, answer(409, { code: "path_already_exists" }));
    if (read !== null) oracle!.heard(request("GET", read, null), answer(200, { data: [], hasMore: false }));
    oracle!.sending(move);
    expect(actors.history.failures).toEqual(failures);
  });
});

describe("a document whose file is one of several", () => {
  it("waits with these files, and with no other", async () => {
    const actors = open(["full"]);
    const [mirror] = actors.mirrors;
    const { user } = mirror!.disk;
    create(actors, "a.md");
    await sync(actors, 0);
    const text = user.read(`${ROOT}/a.md`)!;
    user.rename(`${ROOT}/a.md`, `${ROOT}/b.md`);
    for (const [name, content] of Object.entries({ a: "of its path\n", b: "of its inode\n", c: text }))
      user.write(`${ROOT}/${name}.md`, content);
    await sync(actors, 0);
    expect([...mirror!.state.load().blocks.values()].map(({ reason }) => reason)).toEqual(["ambiguous-file"]);
    checkConverged(actors, mirror!);
    expect(actors.history.failures).toEqual([]);
    user.write(`${ROOT}/d.md`, "of another document\n");
    checkConverged(actors, mirror!);
    expect(actors.history.failures).toEqual([expect.stringContaining("I01 d.md is not linked and not blocked")]);
  });
});

describe("content that the service normalizes", () => {
  it("agrees with it in all but line ends and the final newline, also if it was cut within a line end", async () => {
    const actors = open(["full"], { normalise: true });
    const [mirror] = actors.mirrors;
    const text = `${actors.history.newText(3)}cut\r\n\r`;
    for (let n = 0; n < 2; n++) {
      mirror!.disk.user.write(`${ROOT}/a.md`, text);
      await sync(actors, 0);
    }
    expect(mirror!.disk.user.read(`${ROOT}/a.md`)).toBe(text);
    checkConverged(actors, mirror!);
    expect(actors.history.failures).toEqual([]);
    mirror!.disk.user.write(`${ROOT}/a.md`, text.replace("cut", "cat"));
    checkConverged(actors, mirror!);
    expect(actors.history.failures).toContainEqual(expect.stringContaining("I01 a.md is "));
  });
});

/**
 * Kills a sync at a port call.
 * @returns number of calls, and whether the journal shows that it was about to send
 */
async function dieAt(at: number): Promise<{ readonly calls: number; readonly mayHaveLeft: boolean }> {
  const actors = open(["full"]);
  const [mirror] = actors.mirrors;
  create(actors, "a.md");
  const [file] = actors.simulatedWorld.files();
  expect(actors.simulatedWorld.ask("PATCH", `/v1/files/${file!.id}`, { protected: true })).not.toBeNull();
  await sync(actors, 0);
  mirror!.disk.user.write(`${ROOT}/a.md`, actors.history.edit(file!.text, 1, "mirror 0"));
  const before = actors.tally.portCalls;
  await sync(actors, 0, { at, power: false });
  const calls = actors.tally.portCalls - before;
  const mayHaveLeft = mirror!.state.intents().some(({ intent }) => intent.kind === "put");
  for (let n = 0; n < 2; n++) await sync(actors, 0);
  expect([...mirror!.state.load().blocks.values()].map(({ reason }) => reason)).toEqual(["in-review"]);
  checkConverged(actors, mirror!);
  expect({ at, failures: actors.history.failures }).toEqual({ at, failures: [] });
  actors.history.sent.clear();
  checkConverged(actors, mirror!);
  expect(actors.history.failures).toEqual([expect.stringContaining("I31 a.md counts as sent, and was not")]);
  actors.close();
  return { calls, mayHaveLeft };
}

describe("an edit in review", () => {
  it("was sent, or may have been by a mirror that died about to send it", async () => {
    const { calls } = await dieAt(1_000);
    const seen: boolean[] = [];
    // From the end of the sync back to the call before its journal had the content.
    for (let at = calls; at > 0 && !(seen.includes(true) && seen.at(-1) === false); at--)
      seen.push((await dieAt(at)).mayHaveLeft);
    expect(new Set(seen)).toEqual(new Set([true, false]));
  });
});

it("a user who removes a conflict copy keeps the document's content, also if the document was renamed before", async () => {
  const actors = open(["full"]);
  const { history } = actors;
  const [mirror] = actors.mirrors;
  const mine = history.newText(5);
  create(actors, "a.md");
  mirror!.disk.user.write(`${ROOT}/a.md`, mine);
  await sync(actors, 0);
  expect(actInFolder(mirror!.userFolder, history, "change-case", 3)).toBe("here 0: change-case a.md → A.md");
  expect(actInFolder(mirror!.userFolder, history, "end-conflict", 3)).toBe(
    "here 0: end-conflict a (theirs).md removed",
  );
  const [{ text: theirs }] = actors.simulatedWorld.files() as [LiveFile];
  expect(history.kept[0]).toEqual(new Map([[tagOf(mine), tagOf(theirs)]]));
});

describe("a rename that was refused", () => {
  const again = ["I08 a refused write is sent again unchanged"];

  it.each([
    ["in the same folder is the same rename", "d/a.md", null, again],
    ["in another folder leads to another path", "e/a.md", null, []],
    ["may be sent once it was asked what is at the path that it leads to", "d/a.md", "/d/b.md", []],
    ["may not because something else was asked for", "d/a.md", "/e/b.md", again],
  ])("%s", async (_, place, asked, expected) => {
    const actors = open(["full"]);
    for (const path of ["d/a.md", "e/other.md"]) create(actors, path);
    await sync(actors, 0);
    const { id } = actors.simulatedWorld.files().find(({ path }) => path === "d/a.md")!;
    const request = { method: "PATCH", path: `/v1/files/${id}`, headers: {}, body: '{"name":"b.md"}' } as const;
    const [judge] = actors.oracles;
    judge!.sending(request);
    const refused = { status: 409, headers: {}, body: '{"code":"path_already_exists"}' };
    judge!.heard(request, { kind: "answer", response: refused });
    // Base has not recorded this path yet.
    if (place === "e/a.md")
      expect(
        actors.simulatedWorld.ask("PATCH", `/v1/files/${id}`, { parentId: actors.simulatedWorld.folderId("e") }),
      ).not.toBeNull();
    const look = { ...request, method: "GET", path: `/v1/files?path=${asked}`, body: null } as const;
    const nothing = { status: 200, headers: {}, body: '{"data":[],"hasMore":false}' };
    if (asked !== null) judge!.heard(look, { kind: "answer", response: nothing });
    judge!.sending(request);
    expect(actors.history.failures).toEqual(expected.map((what) => expect.stringContaining(what)));
  });
});

describe("a PUT that only makes an absolute path an id", () => {
  const echo = [expect.stringContaining("I10 a PUT that only changes the form of links of a.md")];

  it.each([
    ["is an echo", null, echo],
    ["is an echo, also if the document of the link has another path", "moved", echo],
    ["may lead to the document that came to the path of a deleted one", "removed", []],
    ["may lead to it, also if the content of the deleted one is uploaded again", "recreated", []],
  ])("%s", (_, target, expected) => {
    const mirror: MirrorSetup = { prefix: "", level: "full", disk: {}, conflicts: "conflict-copy" };
    const setup = { mirrors: [mirror], variant: {}, combines: true, documents: 0, clockOff: 0, links: true };
    const actors = new Actors({ seed: 3, setup, steps: [] });
    closeWithTest(() => actors.close());
    const { simulatedWorld, history } = actors;
    const ask = (method: string, path: string, body?: object): void => {
      expect(simulatedWorld.ask(method, path, body)).not.toBeNull();
    };
    for (const path of ["a.md", "b.md", "c.md"]) ask("POST", "/v1/files", { path, content: history.newText(3) });
    const [a, b, c] = simulatedWorld.files();
    const content = `${a!.text}${linkLine("90", tagOf(b!.text)!, "/b.md", 0)}\n`;
    ask("PUT", `/v1/files/${a!.id}/content`, { baseChangeId: a!.changeId, content });
    if (target === "moved") ask("PATCH", `/v1/files/${b!.id}`, { name: "d.md" });
    if (target === "removed" || target === "recreated") actInApp(simulatedWorld, history, "remove", 1, b!.id);
    if (target === "recreated") ask("POST", "/v1/files", { path: "e.md", content: b!.text });
    if (target !== null) ask("PATCH", `/v1/files/${c!.id}`, { name: "b.md" });
    const files = simulatedWorld.files();
    const id = files.find(({ path }) => path === "b.md")!.id;
    const { changeId } = files.find((one) => one.id === a!.id)!;
    const body = JSON.stringify({ baseChangeId: changeId, content: content.replace("/b.md", id) });
    actors.oracles[0]!.serving({ method: "PUT", path: `/v1/files/${a!.id}/content`, headers: {}, body }, false);
    expect(history.failures).toEqual(expected);
  });
});

describe("a user writes into a file that a power cut has emptied", () => {
  it.each([
    ["before mdmirror restores it: the lost lines are removed, and the document is unrecognizable", false],
    ["after mdmirror has restored it: every other line must stay", true],
  ])("%s", async (_, isRestored) => {
    const actors = open(["full"]);
    const { history } = actors;
    const [mirror] = actors.mirrors;
    const { user } = mirror!.disk;
    create(actors, "a.md");
    await sync(actors, 0);
    const whole = history.edit(user.read(`${ROOT}/a.md`)!, 1, "mirror 0");
    const marks = [...history.marks.keys()];
    mirror!.disk.settle();
    mirror!.settleState();
    user.write(`${ROOT}/a.md`, whole);
    mirror!.losePower(() => 0.5);
    expect(user.read(`${ROOT}/a.md`)).toBe("");
    if (isRestored) user.write(`${ROOT}/a.md`, whole);
    expect(actInFolder(mirror!.userFolder, history, "write-in-place", 1)).toBe("here 0: write-in-place a.md");
    expect(marks.filter((mark) => history.marks.has(mark))).toEqual(isRestored ? marks : []);
    expect([...history.mayVanish]).toEqual(isRestored ? [] : [tagOf(whole)]);
  });
});

describe("a file is moved, saved as a new file, and a sync cannot read a folder", () => {
  it.each([
    ["the former folder: the file may be a copy, and its document may lose its id", "old", true],
    ["another folder: the document must keep its id", "other", false],
    ["any folder for a moment", "", true],
  ])("%s", (_, hiddenFolder, mayVanish) => {
    const { history } = open(["full"]);
    const text = history.newText(1);
    history.noteScan(0, new Map([["old/a.md", text]]), true);
    history.renamedHere(0, text);
    history.weighHiddenPaths(0, hiddenFolder);
    expect([...history.mayVanish]).toEqual([]);
    history.rewrittenHere(0, text);
    history.weighHiddenPaths(0, hiddenFolder);
    expect([...history.mayVanish]).toEqual(mayVanish ? [tagOf(text)] : []);
  });
});
