import { describe, expect, test } from "vitest";
import type { ChangeId, DocId } from "../../../src/contract/ids.ts";
import type { EventHint } from "../../../src/mirror/ports/events.ts";
import { type DaemonRig, ScriptedNews, withNotes } from "./rig.ts";

const PATH = "area/topic/note-0.md";

type Told = { readonly rig: DaemonRig; readonly news: ScriptedNews };

/** A daemon that listens, at rest, in sync with three documents. */
async function listening(options: Parameters<typeof withNotes>[2] = {}): Promise<Told> {
  const news = new ScriptedNews();
  const daemon = await withNotes(3, (n) => `area/topic/note-${n}.md`, { ...options, news });
  news.state({ kind: "listening" });
  // The poll that was planned before it listened.
  await daemon.pass(12_000);
  daemon.sent();
  return { rig: daemon, news };
}

/** What an honest service hints at about the document that is at this path now. */
function hintAt({ rig }: Told, path: string): EventHint {
  const { id, changeId } = rig.app.files().get(path)!;
  return { kind: "file", id, path, changeId: changeId as ChangeId, gone: false };
}

const textOf = ({ rig }: Told, path: string) => rig.mirrored.texts().get(path);

describe("while the service sends events", () => {
  test("an edit on the service is local in 100 ms, by one small list and one GET", async () => {
    const told = await listening();
    told.rig.app.edit(PATH, "# Edited there\n");
    told.news.hint(hintAt(told, PATH));
    await told.rig.pass(100);
    expect(textOf(told, PATH)).toBe("# Edited there\n");
    expect(told.rig.sent()).toEqual([
      `GET /v1/files?path=${encodeURIComponent(`/${PATH}`)}&limit=1000`,
      expect.stringMatching(/^GET \/v1\/files\/doc_/),
    ]);
  });

  test("edits of several documents of a folder, one soon after the other, list nothing else", async () => {
    const told = await listening();
    for (const n of [0, 1, 2]) {
      const path = `area/topic/note-${n}.md`;
      told.rig.app.edit(path, `# Edited there, ${n}\n`);
      told.news.hint(hintAt(told, path));
      await told.rig.pass(100);
      // The notice of the system about the replacement.
      for (const at of [path, "area/topic"]) told.rig.hint({ kind: "path", path: at });
    }
    expect(told.rig.sent().filter((request) => !/path=|\/doc_/.test(request))).toEqual([]);
    expect(textOf(told, "area/topic/note-2.md")).toBe("# Edited there, 2\n");
  });

  test("a new document in a known folder is local in 100 ms, without a whole list", async () => {
    const told = await listening();
    told.rig.app.create("area/topic/new.md", "# New\n");
    told.news.hint(hintAt(told, "area/topic/new.md"));
    await told.rig.pass(100);
    expect(textOf(told, "area/topic/new.md")).toBe("# New\n");
    expect(told.rig.sent()).toHaveLength(2);
    // The learned facts are right: the next poll finds no difference, and no cycle follows.
    await told.rig.pass(70_000);
    expect(told.rig.sent()).toEqual(["GET /v1/files?limit=1000"]);
  });

  test("I10 the echo of its own PUT is no request", async () => {
    const told = await listening();
    told.rig.save(PATH, "# Edited here\n");
    await told.rig.until(() => told.rig.app.files().get(PATH)?.text === "# Edited here\n");
    told.rig.sent();
    told.news.hint(hintAt(told, PATH));
    await told.rig.pass(1_000);
    expect(told.rig.sent()).toEqual([]);
  });

  test.each<readonly [string, (told: Told) => EventHint, (told: Told) => void, (told: Told) => boolean]>([
    [
      "a move",
      (told) => hintAt(told, "area/moved.md"),
      ({ rig }) => rig.app.move(PATH, "area") ?? rig.app.rename("area/note-0.md", "moved.md"),
      (told) => textOf(told, "area/moved.md") !== undefined && textOf(told, PATH) === undefined,
    ],
    [
      "a new folder",
      () => ({ kind: "folder", id: "dir_aaaaaaaaaaaaaa" as never }),
      ({ rig }) => void rig.app.call("POST", "/v1/folders", { path: "empty" }),
      ({ rig }) => rig.mirrored.disk.user.folders(rig.mirrored.path("")).some((path) => path.endsWith("empty")),
    ],
    [
      "anything",
      () => ({ kind: "all" }),
      ({ rig }) => rig.app.create("elsewhere/far/new.md", "# Far\n"),
      (told) => textOf(told, "elsewhere/far/new.md") === "# Far\n",
    ],
  ])("%s on the service is found by the list immediately", async (_what, hint, act, isDone) => {
    const told = await listening();
    act(told);
    told.news.hint(hint(told));
    await told.rig.pass(200);
    expect(isDone(told)).toBe(true);
  });

  test("I04 a deletion counts when it is proven, not because an event reports it", async () => {
    const told = await listening();
    const lie: EventHint = { ...(hintAt(told, PATH) as { kind: "file" } & EventHint), gone: true } as EventHint;
    told.news.hint(lie);
    await told.rig.pass(2_000);
    expect(textOf(told, PATH)).toBe("# Note 0\n\nits own text, number 0\n");
    told.rig.app.remove(PATH);
    told.news.hint(lie);
    await told.rig.pass(2_000);
    expect(textOf(told, PATH)).toBeUndefined();
  });

  test("an edit on both sides is merged, with any events", async () => {
    const told = await listening();
    told.rig.app.edit(PATH, "# Note 0, from there\n\nits own text, number 0\n");
    told.rig.save(PATH, "# Note 0\n\nits own text, number 0\n\nand a line from here\n");
    told.news.hint(hintAt(told, PATH));
    const both = "# Note 0, from there\n\nits own text, number 0\n\nand a line from here\n";
    await told.rig.until(() => textOf(told, PATH) === both && told.rig.app.files().get(PATH)?.text === both);
  });

  test("a change without an event is found by the next poll, a minute later at most", async () => {
    const told = await listening();
    told.rig.app.edit(PATH, "# Edited there\n");
    await told.rig.pass(30_000);
    expect(textOf(told, PATH)).not.toBe("# Edited there\n");
    await told.rig.until(() => textOf(told, PATH) === "# Edited there\n", 40_000);
  });

  test("it is polled at the usual pace as soon as the connection is lost", async () => {
    const told = await listening();
    const slow = told.rig.daemon.status().nextPollAt!;
    told.news.state({ kind: "broken", why: "ECONNRESET" });
    expect(told.rig.daemon.status().eventStream).toEqual({ kind: "broken", why: "ECONNRESET" });
    const soon = told.rig.daemon.status().nextPollAt! - told.rig.clock.now();
    expect(slow - told.rig.clock.now()).toBeGreaterThan(20_000);
    expect(soon).toBeLessThan(6_000);
    await told.rig.pass(6_000);
    expect(told.rig.sent()).toEqual(["GET /v1/files?limit=1000"]);
  });

  test("steady work puts the poll off for no longer than its pace", async () => {
    const told = await listening();
    for (let n = 0; n < 8; n++) {
      told.rig.save(PATH, `# Edited here, ${n}\n`);
      await told.rig.pass(10_000);
    }
    expect(told.rig.sent().filter((one) => one === "GET /v1/files?limit=1000").length).toBeGreaterThan(0);
  });

  test("nothing is looked at while it is paused", async () => {
    const told = await listening();
    await told.rig.daemon.request("pause");
    told.news.hint({ kind: "all" });
    await told.rig.pass(10_000);
    expect(told.rig.sent()).toEqual([]);
  });
});

const id = (n: number) => `doc_${String(n).padStart(14, "0")}` as DocId;

describe("a service with false answers", () => {
  const lie = (n: number): EventHint => ({
    kind: "file",
    id: id(n),
    path: `no/such-${n}.md`,
    changeId: null,
    gone: false,
  });

  test("a hundred thousand hints in a minute cost no more requests than polling at its quickest", async () => {
    const told = await listening();
    for (let round = 0; round < 60; round++) {
      for (let n = 0; n < 2_000; n++) told.news.hint(lie(n));
      await told.rig.pass(1_000);
    }
    const sent = told.rig.sent();
    expect(sent.length).toBeLessThan(60 + 20 + 2);
    expect(sent.filter((request) => !request.startsWith("GET "))).toEqual([]);
    expect(told.rig.daemon.status().lastReport?.state).toBe("in-sync");
  });

  test("unknown ids at paths of known documents change nothing", async () => {
    const told = await listening();
    const before = new Map(told.rig.mirrored.texts());
    told.news.hint({ kind: "file", id: id(1), path: PATH, changeId: null, gone: false });
    told.news.hint({ ...hintAt(told, "area/topic/note-1.md"), path: PATH } as EventHint);
    told.news.hint({ ...hintAt(told, "area/topic/note-2.md"), changeId: "chg_aaaaaaaaaaaaaa" } as EventHint);
    await told.rig.pass(5_000);
    expect(new Map(told.rig.mirrored.texts())).toEqual(before);
    expect(told.rig.sent().filter((request) => !request.startsWith("GET "))).toEqual([]);
  });
});
