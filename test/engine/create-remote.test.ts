import { expect, test } from "vitest";
import { digestOf } from "../../src/contract/digest.ts";
import type { DocId } from "../../src/contract/ids.ts";
import type { AppFile } from "../simulator/app.ts";
import { killAtEachCall } from "../simulator/moment.ts";
import { createRig } from "../simulator/rig.ts";
import { isWrite, openSynced, problem, settle } from "../promises/fixture.ts";
import type { Fault } from "../variants/variant.ts";

const LINES = Array.from({ length: 12 }, (_, line) => `line ${line}\n\n`);
const textWith = (line: number, by: string) => LINES.with(line, `by ${by}\n\n`).join("");

/** Opens a rig. `beforeReading` is called just before mdmirror reads a new document back. */
function openMeeting(seed: number) {
  let act: (() => void) | null = null;
  const rig = createRig(seed, {
    fault: ({ method, path }) => {
      if (method === "GET" && path.startsWith("/v1/files/doc_")) {
        act?.();
        act = null;
      }
      return null;
    },
  });
  const beforeReading = (work: () => void): void => {
    act = work;
  };
  return { rig, mirror: rig.mirror(), beforeReading };
}

test("I07 I14 a new document that was edited on both sides before it was read back keeps both edits", async () => {
  const { rig, mirror, beforeReading } = openMeeting(1);
  mirror.write("note.md", LINES.join(""));
  beforeReading(() => {
    rig.app.edit("note.md", textWith(2, "the app"));
    mirror.disk.user.write(mirror.path("note.md"), textWith(9, "the person here"));
  });
  await settle(mirror);
  const both = LINES.with(2, "by the app\n\n").with(9, "by the person here\n\n").join("");
  expect(rig.app.text("note.md")).toBe(both);
  expect(mirror.texts().get("note.md")).toBe(both);
});

test("I10 I12 I13 killed at any call while a new document is sent to a service that normalises, nothing but that one POST goes up", async () => {
  const sent = "one\r\ntwo\r\n";
  const deployment = { normalise: true };
  const start = createRig(2, deployment);
  const empty = start.mirror();
  empty.write("note.md", sent);
  await killAtEachCall(
    { rig: start, mirror: empty },
    {
      open: (beginning) => beginning.open(deployment),
      async judge({ rig, mirror }, call) {
        await settle(mirror);
        const writes = mirror.writes();
        expect({ call, writes }).toEqual({ call, writes: ["POST /v1/files"] });
        const saved = rig.app.files().get("note.md")!;
        expect(saved.text).toBe("one\ntwo\n");
        // A document that is found again after a lost answer keeps the bytes of its local file.
        expect([saved.text, sent]).toContain(mirror.texts().get("note.md"));
        expect(mirror.state.record(saved.id)).toMatchObject({ changeId: saved.changeId, digest: digestOf(saved.text) });
        expect(mirror.state.intents().filter(({ intent }) => intent.kind !== "set-aside")).toEqual([]);
      },
    },
  );
});

test.each([
  [403, "forbidden"],
  [404, "file_not_found"],
])("I12 I10 a new document whose text could not be read back (%i) is read by the next run", async (status, code) => {
  const sent = "one\r\ntwo\r\n";
  let refuses = true;
  const rig = createRig(3, {
    normalise: true,
    fault: ({ method, path }) =>
      refuses && method === "GET" && path.startsWith("/v1/files/doc_") ? problem(status, code) : null,
  });
  const mirror = rig.mirror();
  mirror.write("note.md", sent);
  expect((await mirror.sync())?.state).not.toBe("in-sync");
  refuses = false;
  expect((await mirror.sync())?.state).toBe("in-sync");
  const saved = rig.app.files().get("note.md")!;
  expect(mirror.texts().get("note.md")).toBe(saved.text);
  expect(mirror.state.record(saved.id)).toMatchObject({ changeId: saved.changeId, digest: digestOf(saved.text) });
  expect(mirror.writes()).toEqual(["POST /v1/files"]);
});

test("I04 I12 a new document that was removed before it could be read back ends when a read proves that it is gone", async () => {
  const { rig, mirror, beforeReading } = openMeeting(4);
  mirror.write("other.md", "other\n");
  await mirror.sync();
  mirror.write("note.md", "one\n");
  beforeReading(() => rig.app.remove("note.md"));
  expect((await mirror.sync())?.state).not.toBe("in-sync");
  for (let n = 0; n < 2; n++) expect((await mirror.sync())?.state).toBe("in-sync");
  expect(mirror.state.intents()).toEqual([]);
  expect([...mirror.state.load().tombstones.values()].map(({ localPath }) => localPath)).toEqual(["note.md"]);
  expect([...mirror.texts().keys()]).toEqual(["other.md"]);
  expect([...rig.app.files().keys()]).toEqual(["other.md"]);
});

test.each([
  ["alone", []],
  ["beside a new document with the same content", ["twin.md"]],
])(
  "I09 I13 a new document that is killed at any call, and renamed on the service, stays one: %s",
  async (_, others) => {
    const start = createRig(11);
    const empty = start.mirror();
    for (const path of ["note.md", ...others]) empty.write(path, LINES.join(""));
    let renamed = 0;
    await killAtEachCall(
      { rig: start, mirror: empty },
      {
        async judge({ rig, mirror }, call) {
          const isSent = rig.app.files().has("note.md");
          if (isSent) {
            rig.app.rename("note.md", "other.md");
            renamed++;
          }
          await settle(mirror);
          const paths = [isSent ? "other.md" : "note.md", ...others].toSorted();
          const sides = [rig.app.files(), mirror.texts()].map((texts) => [...texts.keys()].toSorted());
          expect({ call, sides }).toEqual({ call, sides: [paths, paths] });
        },
      },
    );
    expect(renamed).toBeGreaterThan(3);
  },
);

/** Returns the service's answer to the creation of a document. */
function createdAs({ id, path, changeId }: AppFile): Fault {
  const body = { object: "file", id, path: `/${path}`, protected: false, lastChangeId: changeId };
  return { status: 201, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

test.each([
  ["a known document", "known.md"],
  ["another new document", "new.md"],
])("I03 I09 a new document whose POST gets the answer about %s has its own id", async (_, answered) => {
  const fixture = await openSynced({ "known.md": "known\n" });
  const { rig, mirror, seen } = fixture;
  const contents = new Map([
    ["known.md", "known\n"],
    ["new.md", textWith(2, "the app")],
    ["note.md", textWith(9, "the person here")],
  ]);
  mirror.write("note.md", contents.get("note.md")!);
  fixture.fault = ({ method }) => {
    if (method !== "POST") return null;
    for (const path of ["new.md", "note.md"]) rig.app.create(path, contents.get(path)!);
    return createdAs(rig.app.files().get(answered)!);
  };
  await settle(mirror);
  expect([mirror.texts(), rig.app.texts()]).toEqual([contents, contents]);
  const { records } = mirror.state.load();
  for (const { id, path } of rig.app.files().values()) expect(records.get(id as DocId)?.localPath).toBe(path);
  expect(seen.filter(isWrite).map(({ method }) => method)).toEqual(["POST"]);
});
