import { describe, expect, test } from "vitest";
import type { Fault } from "../variants/variant.ts";
import { asText, type Fixture, HTML, isWrite, openFixture, problem, Restartable } from "./fixture.ts";

/**
 * Makes every kind of change on both sides at the same time: edits, new documents, moves,
 * deletions, folders and a conflict.
 */
function upset({ rig, mirror }: Fixture, state: Restartable): Promise<unknown> {
  const { app } = rig;
  for (let n = 0; n < 12; n++) app.create(`d${n % 3}/n${n}.md`, `note ${n}\n\n${"a line\n\n".repeat(4)}`);
  return state.sync().then(() => {
    const { user } = mirror.disk;
    const at = (path: string) => mirror.path(path);
    mirror.write("d0/n0.md", "edited locally\n");
    app.edit("d1/n1.md", "edited there\n");
    mirror.write("d2/n2.md", `note 2, here\n\n${"a line\n\n".repeat(4)}`);
    app.edit("d2/n2.md", `note 2\n\n${"a line\n\n".repeat(4)}and there\n`);
    mirror.write("d0/n3.md", "one thing\n");
    app.edit("d0/n3.md", "another thing\n");
    user.rename(at("d1/n4.md"), at("d1/moved.md"));
    app.rename("d2/n5.md", "moved-there.md");
    user.remove(at("d0/n6.md"));
    app.remove("d1/n7.md");
    mirror.write("new/here.md", "created locally\n");
    app.create("made/there.md", "new there\n");
    user.makeFolder(at("empty"));
    user.rename(at("d2/n8.md"), at("n8.md"));
  });
}

/**
 * `sends`: how often the same write may be sent in a run. It is 2 if the answer means only that the
 * plan was outdated, or if it may mean nothing. mdmirror then reads, and sends the write again if
 * nothing has changed.
 */
const REFUSALS: readonly (readonly [name: string, fault: Fault, sends: 1 | 2])[] = [
  ["403 forbidden", problem(403, "forbidden"), 1],
  ["409 path_already_exists", problem(409, "path_already_exists"), 2],
  ["409 edit_conflict", problem(409, "edit_conflict"), 1],
  ["409 file_protected", problem(409, "file_protected"), 1],
  ["409 folder_not_empty", problem(409, "folder_not_empty"), 1],
  ["400 invalid_base_change", problem(400, "invalid_base_change"), 1],
  ["400 invalid_request", problem(400, "invalid_request"), 1],
  ["404 file_not_found", problem(404, "file_not_found"), 2],
  ["404 folder_not_found", problem(404, "folder_not_found"), 2],
  ["405 of nobody's code", problem(405, "no_such_code"), 1],
  ["413 of nobody's code", problem(413, "payload_too_large"), 1],
  ["422 content_too_large", problem(422, "content_too_large"), 1],
  ["429", problem(429, "rate_limited", { "retry-after": "1" }), 2],
  ["500", problem(500, "internal_error"), 2],
  ["503", problem(503, "service_unavailable", { "retry-after": "1" }), 2],
  ["HTML", HTML, 2],
  ["no answer, not executed", "drop-before", 2],
];

/** A run has five cycles at most. A run that used all of them may not have come to an end. */
const CAP = 5;

function sentMoreThan(times: number, requests: readonly string[]): string[] {
  const sent = Map.groupBy(requests, (one) => one);
  return [...sent].flatMap(([one, all]) => (all.length > times ? [`${all.length} times: ${one}`] : []));
}

describe("I16 no action repeats without a change of state", () => {
  test("all kinds of changes in one run end below the cap of cycles, no write is sent twice, and then nothing changes", async () => {
    const fixture = openFixture(16);
    const state = new Restartable(fixture);
    await upset(fixture, state);
    fixture.seen.length = 0;
    const report = await state.sync();
    expect(report.cycles).toBeLessThan(CAP);
    const writes = fixture.seen.filter(isWrite).map(asText);
    expect(writes.length).toBeGreaterThan(6);
    expect(sentMoreThan(1, writes)).toEqual([]);
    fixture.seen.length = 0;
    expect((await state.sync()).cycles).toBe(1);
    expect(fixture.seen.filter(isWrite)).toEqual([]);
  });

  test.each(REFUSALS)(
    "every write answered by %s: no run reaches the cap or repeats a write",
    async (_, fault, sends) => {
      const fixture = openFixture(17);
      const state = new Restartable(fixture);
      await upset(fixture, state);
      const texts = new Set(fixture.mirror.texts().values());
      fixture.fault = (request) => (isWrite(request) ? fault : null);
      for (let run = 0; run < 3; run++) {
        fixture.seen.length = 0;
        const report = await state.sync({}, run === 0);
        expect({ run, passes: report.cycles < CAP }).toEqual({ run, passes: true });
        const writes = fixture.seen.filter(isWrite).map(asText);
        if (run === 0) expect(writes.length).toBeGreaterThan(0);
        expect({ run, repeated: sentMoreThan(sends, writes) }).toEqual({ run, repeated: [] });
      }
      // A definite refusal is remembered, so the last run does not send the write again.
      if (sends === 1) expect(fixture.seen.filter(isWrite).map(asText)).toEqual([]);
      for (const text of ["edited locally\n", "one thing\n", "created locally\n"]) {
        expect(texts).toContain(text);
        expect([...fixture.mirror.texts().values()]).toContain(text);
      }
      fixture.fault = () => null;
      for (let run = 0; run < 3; run++) await state.sync({}, true);
      fixture.seen.length = 0;
      await state.sync({}, true);
      expect(fixture.seen.filter(isWrite).map(asText)).toEqual([]);
      expect([...fixture.rig.app.texts().values()]).toContain("created locally\n");
    },
  );

  test.each([
    ["rename", "EACCES"],
    ["link", "EIO"],
    ["writeNew", "ENOSPC"],
    ["mkdir", "EROFS"],
    ["unlink", "EPERM"],
    ["any", "EIO"],
  ] as const)("every %s on the disk answers %s: no run reaches the cap or sends a write twice", async (call, code) => {
    const fixture = openFixture(18);
    const state = new Restartable(fixture);
    await upset(fixture, state);
    const mend = fixture.mirror.disk.fail({ call, code, path: null });
    for (let run = 0; run < 3; run++) {
      fixture.seen.length = 0;
      const report = await state.sync({}, true);
      expect(report.cycles).toBeLessThan(CAP);
      expect(sentMoreThan(1, fixture.seen.filter(isWrite).map(asText))).toEqual([]);
    }
    mend();
    for (let run = 0; run < 3; run++) await state.sync({}, true);
    fixture.seen.length = 0;
    await state.sync({}, true);
    expect(fixture.seen.filter(isWrite)).toEqual([]);
  });
});
