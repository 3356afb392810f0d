import { describe, expect, test } from "vitest";
import type { BarrierEnd } from "../../../src/mirror/engine/daemon/interface.ts";
import type { WireRequest } from "../../../src/contract/wire.ts";
import { ROOT } from "../../simulator/mirror.ts";
import { createRig } from "../../simulator/rig.ts";
import { OVERLOADED, saveUnreported, startDaemon, statesOf, twentyNotes, waitForSync } from "./rig.ts";

describe("a barrier", () => {
  test("scans the disk itself: a save without a notice is live when it ends", async () => {
    const rig = await twentyNotes();
    saveUnreported(rig, "notes/3.md", "saved a moment ago\n");
    saveUnreported(rig, "notes/new.md", "made a moment ago\n");
    const [took, end] = await waitForSync(rig, ["notes/3.md", "notes/new.md", "notes/5.md"]);
    expect(statesOf(end)).toEqual({ "notes/3.md": "live", "notes/new.md": "live", "notes/5.md": "live" });
    expect(took).toBeLessThan(100);
    const files = rig.app.files();
    expect(files.get("notes/3.md")!.text).toBe("saved a moment ago\n");
    expect(files.get("notes/new.md")!.text).toBe("made a moment ago\n");
    expect(end).toMatchObject({ documents: 3 });
    expect(end.kind === "judged" && end.paths[0]!.changeId).toBe(files.get("notes/3.md")!.changeId);
  });

  test("sends no request if all is live", async () => {
    const rig = await twentyNotes();
    const [, end] = await waitForSync(rig, [""]);
    expect(end).toEqual({ kind: "judged", paths: [], documents: 20 });
    expect(rig.sent()).toEqual([]);
  });

  test("on a folder waits for all in it, and for nothing else", async () => {
    const rig = await twentyNotes();
    for (let n = 0; n < 150; n++) saveUnreported(rig, `notes/burst-${n}.md`, `burst ${n}\n`);
    // Another program keeps writing, and the file watcher reports each write.
    const other = { n: 0 };
    const began = rig.clock.monotonic();
    const over = new AbortController();
    const asked = rig.daemon.whenSynced(["notes"], over.signal);
    const kept: { end: BarrierEnd | null } = { end: null };
    void asked.then((end) => {
      kept.end = end;
    });
    while (kept.end === null) {
      rig.save(`other/${other.n++}.md`, "of another writer\n");
      await rig.pass(50);
    }
    expect(rig.clock.monotonic() - began).toBeLessThan(6_000);
    const files = rig.app.files();
    for (let n = 0; n < 150; n++) expect(files.get(`notes/burst-${n}.md`)?.text).toBe(`burst ${n}\n`);
    expect(kept.end).toMatchObject({ kind: "judged", documents: 170 });
  });

  test("ends for a file that keeps changing: the content of the call or later is live", async () => {
    const rig = await twentyNotes();
    const began = rig.clock.monotonic();
    let line = 0;
    const kept: { end: BarrierEnd | null } = { end: null };
    const append = () => rig.save("notes/3.md", Array.from({ length: ++line }, (_, at) => `line ${at}\n`).join(""));
    append();
    const atCall = line;
    void rig.daemon.whenSynced(["notes/3.md"], new AbortController().signal).then((end) => {
      kept.end = end;
    });
    while (kept.end === null && rig.clock.monotonic() - began < 30_000) {
      await rig.pass(100);
      append();
    }
    expect(statesOf(kept.end!)).toEqual({ "notes/3.md": "live" });
    expect(rig.app.text("notes/3.md")!.split("\n").length).toBeGreaterThan(atCall);
    expect(rig.clock.monotonic() - began).toBeLessThan(6_000);
  });

  test("sends a deletion after the two seconds that sync takes, not after its grace", async () => {
    const rig = await twentyNotes();
    rig.mirrored.remove("notes/3.md");
    const [took, end] = await waitForSync(rig, ["notes/3.md"]);
    expect([statesOf(end), rig.app.files().has("notes/3.md")]).toEqual([{ "notes/3.md": "gone" }, false]);
    expect(took).toBeGreaterThan(1_900);
    expect(took).toBeLessThan(3_000);
  });

  test("sends protected content to review immediately, and names the change", async () => {
    const rig = createRig(1);
    rig.app.create("p.md", "# p\n");
    rig.app.protect("p.md", true);
    const daemon = await twentyNotes({ rig });
    saveUnreported(daemon, "p.md", "# p\nfor review\n");
    const [took, end] = await waitForSync(daemon, ["p.md"]);
    expect(statesOf(end)).toEqual({ "p.md": "in-review" });
    expect(end.kind === "judged" && end.paths[0]!.reviews).toHaveLength(1);
    expect(took).toBeLessThan(1_000);
  });

  test("reports a conflict, and blocked documents", async () => {
    const rig = await twentyNotes();
    rig.app.edit("notes/3.md", "# theirs\n\nanother text altogether\n");
    saveUnreported(rig, "notes/3.md", "# mine\n\nwhich does not merge\n");
    rig.mirrored.disk.user.write(`${ROOT}/notes/4.md`, "nul \u0000\n");
    await rig.pass(6_000);
    saveUnreported(rig, "notes/4.md", "nul \u0000 again\n");
    const [, end] = await waitForSync(rig, ["notes/3.md", "notes/4.md"]);
    expect(statesOf(end)).toEqual({ "notes/3.md": "conflict", "notes/4.md": "blocked" });
  });

  test("refuses what never goes to the service, and says why", async () => {
    const rig = await twentyNotes();
    rig.mirrored.disk.user.write(`${ROOT}/image.png`, "png");
    rig.mirrored.disk.user.write(`${ROOT}/.mdmirrorignore`, "drafts/\n");
    rig.mirrored.disk.user.makeFolder(`${ROOT}/drafts`);
    rig.mirrored.disk.user.write(`${ROOT}/drafts/d.md`, "a draft\n");
    const scope = ["image.png", "drafts/d.md", "nowhere.md", ".mdmirror/x.md"];
    const [, end] = await waitForSync(rig, scope);
    expect(end.kind).toBe("outside");
    expect(statesOf(end)).toEqual({
      "image.png": "other-file",
      "drafts/d.md": "ignored-folder",
      "nowhere.md": "unknown",
      ".mdmirror/x.md": "mirror-folder",
    });
  });

  test("does not wait for a pause to end, and reports what is not on the service", async () => {
    const rig = await twentyNotes();
    await rig.daemon.request("pause");
    saveUnreported(rig, "notes/3.md", "saved during the pause\n");
    const [took, end] = await waitForSync(rig, ["notes/3.md", "notes/4.md"]);
    expect(statesOf(end)).toEqual({ "notes/3.md": "waiting", "notes/4.md": "live" });
    expect([took < 100, rig.sent()]).toEqual([true, []]);
  });

  test("waits through a time without the service, and answers when its own time is over", async () => {
    const rig = await twentyNotes();
    rig.requestFaults.fault = { kind: "later", cause: "unreachable", detail: "no route", requestId: null };
    saveUnreported(rig, "notes/3.md", "saved offline\n");
    const [took, end] = await waitForSync(rig, ["notes/3.md"], 5_000);
    expect([statesOf(end), took]).toEqual([{ "notes/3.md": "waiting" }, 5_000]);
    const back = waitForSync(rig, ["notes/3.md"], 60_000);
    await rig.pass(1_000);
    rig.requestFaults.fault = null;
    expect(statesOf((await back)[1])).toEqual({ "notes/3.md": "live" });
  });

  test("ends at a stop, for what the safety check stops", async () => {
    const rig = await twentyNotes();
    for (let n = 0; n < 20; n++) rig.remove(`notes/${n}.md`);
    saveUnreported(rig, "here.md", "not guarded\n");
    const [took, end] = await waitForSync(rig, [""]);
    const states = statesOf(end);
    expect([states["here.md"], states["notes/3.md"]]).toEqual(["live", "waiting"]);
    expect(took).toBeLessThan(10_000);
    expect(rig.daemon.status().phase.kind).toBe("stopped");
  });

  test("is refused when the daemon is stopped", async () => {
    const rig = createRig(1);
    rig.app.create("a.md", "# a\n");
    const daemon = await startDaemon({ rig });
    daemon.requestFaults.fault = { kind: "later", cause: "unreachable", detail: "no route", requestId: null };
    saveUnreported(daemon, "a.md", "saved\n");
    const asked = daemon.daemon.whenSynced(["a.md"], new AbortController().signal);
    const refused = expect(asked).rejects.toThrow("the daemon has stopped");
    await daemon.pass(1_000);
    await daemon.stop();
    await refused;
    await expect(daemon.daemon.whenSynced([""], new AbortController().signal)).rejects.toThrow("has stopped");
  });
});

describe("a barrier", () => {
  test.each([
    ["a merge, under an edit that is still to be sent", "notes/3.md"],
    ["an exchange of paths, under other documents' edits", "notes/4.md"],
  ])("does not take it for live that base has moved: by %s", async (_by, awaited) => {
    const busy = { puts: false };
    const fault = ({ method }: WireRequest) => (busy.puts && method === "PUT" ? OVERLOADED : null);
    const rig = await twentyNotes({ rig: createRig(1, { fault }) });
    busy.puts = true;
    const texts = ["3", "4", "5"].map((n) => rig.mirrored.texts().get(`notes/${n}.md`)!);
    rig.app.edit("notes/3.md", `${texts[0]}\ntheirs\n`);
    saveUnreported(rig, "notes/3.md", `mine\n\n${texts[0]}`);
    rig.mirrored.rename("notes/4.md", "aside");
    rig.mirrored.rename("notes/5.md", "notes/4.md");
    rig.mirrored.rename("aside", "notes/5.md");
    saveUnreported(rig, "notes/4.md", `${texts[2]}\nmine\n`);
    const [, end] = await waitForSync(rig, [awaited], 2_000);
    expect(statesOf(end)).toEqual({ [awaited]: "waiting" });
    busy.puts = false;
    expect(statesOf((await waitForSync(rig, [awaited], 60_000))[1])).toEqual({ [awaited]: "live" });
    expect(rig.app.text(awaited)).toContain("mine");
  });

  test.each(["moved there by its user", "moved by mdmirror, as on the service"])(
    "follows a document whose file is %s, until its content is live (I02)",
    async (by) => {
      const busy = { puts: false };
      const fault = ({ method }: WireRequest) => (busy.puts && method === "PUT" ? OVERLOADED : null);
      const rig = await twentyNotes({ rig: createRig(1, { fault }) });
      busy.puts = true;
      const text = `${rig.mirrored.texts().get("notes/3.md")!}\nmine\n`;
      saveUnreported(rig, "notes/3.md", text);
      const waiting = waitForSync(rig, ["notes/3.md"], 60_000);
      if (by.includes("user")) rig.rename("notes/3.md", "notes/moved.md");
      else rig.app.rename("notes/3.md", "moved.md");
      await rig.until(() => rig.mirrored.texts().has("notes/moved.md") && rig.app.files().has("notes/moved.md"));
      await rig.pass(1_000);
      busy.puts = false;
      expect(statesOf((await waiting)[1])).toEqual({ "notes/3.md": "live" });
      expect(rig.app.text("notes/moved.md")).toBe(text);
    },
  );

  test.each([
    ["a new document", "notes/new.md"],
    ["an edit", "notes/3.md"],
  ])("does not take it for live that an earlier text is there, whose answer was lost: %s (I02)", async (_, path) => {
    const now = { phase: "calm" as "calm" | "answers are lost" | "nothing is written" };
    const fault = ({ method }: WireRequest) => {
      const isRead = method === "GET";
      if (now.phase === "answers are lost") return isRead ? OVERLOADED : ("drop-after" as const);
      return now.phase === "nothing is written" && !isRead ? OVERLOADED : null;
    };
    const rig = await twentyNotes({ rig: createRig(1, { fault }) });
    now.phase = "answers are lost";
    rig.save(path, "sent, and not answered\n");
    await rig.until(() => rig.app.text(path) === "sent, and not answered\n");
    await rig.until(() => rig.daemon.status().phase.kind === "waiting");
    rig.save(path, "saved after that\n");
    const waiting = waitForSync(rig, [path], 40_000);
    await rig.pass(1_000);
    now.phase = "nothing is written";
    expect(statesOf((await waiting)[1])).toEqual({ [path]: "waiting" });
    expect(new Set(rig.mirrored.state.intents().map(({ intent }) => intent.kind))).toEqual(new Set(["sent"]));
    now.phase = "calm";
    expect(statesOf((await waitForSync(rig, [path], 90_000))[1])).toEqual({ [path]: "live" });
    expect(rig.app.text(path)).toBe("saved after that\n");
  });
});
