import { describe, expect, test } from "vitest";
import type { WireRequest } from "../../../src/contract/wire.ts";
import { ROOT } from "../../simulator/mirror.ts";
import { createRig } from "../../simulator/rig.ts";
import { OVERLOADED, saveUnheard, statesOf, waited, twentyNotes } from "./barrier-rig.ts";

describe("a barrier", () => {
  test.each([
    ["a merge, under an edit that is still to be sent", "notes/3.md"],
    ["an exchange of paths, under other documents' edits", "notes/4.md"],
  ])("does not take it for live that base has moved: by %s", async (_by, awaited) => {
    const busy = { puts: false };
    const fault = ({ method }: WireRequest) => (busy.puts && method === "PUT" ? OVERLOADED : null);
    const rig = await twentyNotes({ rig: createRig(1, { fault }) });
    busy.puts = true;
    const { user } = rig.mirrored.disk;
    const texts = ["3", "4", "5"].map((n) => rig.mirrored.texts().get(`notes/${n}.md`)!);
    rig.app.edit("notes/3.md", `${texts[0]}\ntheirs\n`);
    saveUnheard(rig, "notes/3.md", `mine\n\n${texts[0]}`);
    user.rename(`${ROOT}/notes/4.md`, `${ROOT}/aside`);
    user.rename(`${ROOT}/notes/5.md`, `${ROOT}/notes/4.md`);
    user.rename(`${ROOT}/aside`, `${ROOT}/notes/5.md`);
    saveUnheard(rig, "notes/4.md", `${texts[2]}\nmine\n`);
    const [, end] = await waited(rig, [awaited], 2_000);
    expect(statesOf(end)).toEqual({ [awaited]: "waiting" });
    busy.puts = false;
    expect(statesOf((await waited(rig, [awaited], 60_000))[1])).toEqual({ [awaited]: "live" });
    expect(rig.app.files().get(awaited)!.text).toContain("mine");
  });

  test.each(["moved there by its user", "moved by mdmirror, as on the service"])(
    "follows a document whose file is %s, until its content is live (I02)",
    async (by) => {
      const busy = { puts: false };
      const fault = ({ method }: WireRequest) => (busy.puts && method === "PUT" ? OVERLOADED : null);
      const rig = await twentyNotes({ rig: createRig(1, { fault }) });
      busy.puts = true;
      const text = `${rig.mirrored.texts().get("notes/3.md")!}\nmine\n`;
      saveUnheard(rig, "notes/3.md", text);
      const waiting = waited(rig, ["notes/3.md"], 60_000);
      if (by.includes("user")) rig.rename("notes/3.md", "notes/moved.md");
      else rig.app.rename("notes/3.md", "moved.md");
      await rig.until(() => rig.mirrored.texts().has("notes/moved.md") && rig.app.files().has("notes/moved.md"));
      await rig.pass(1_000);
      busy.puts = false;
      expect(statesOf((await waiting)[1])).toEqual({ "notes/3.md": "live" });
      expect(rig.app.files().get("notes/moved.md")!.text).toBe(text);
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
    await rig.until(() => rig.app.files().get(path)?.text === "sent, and not answered\n");
    await rig.until(() => rig.daemon.status().phase.kind === "waiting");
    rig.save(path, "saved after that\n");
    const waiting = waited(rig, [path], 40_000);
    await rig.pass(1_000);
    now.phase = "nothing is written";
    expect(statesOf((await waiting)[1])).toEqual({ [path]: "waiting" });
    expect(new Set(rig.mirrored.state.intents().map(({ intent }) => intent.kind))).toEqual(new Set(["sent"]));
    now.phase = "calm";
    expect(statesOf((await waited(rig, [path], 90_000))[1])).toEqual({ [path]: "live" });
    expect(rig.app.files().get(path)?.text).toBe("saved after that\n");
  });
});
