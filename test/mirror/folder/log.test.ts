import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fc } from "../../property.ts";
import { beforeEach, describe, expect, test } from "vitest";
import { openLog } from "../../../src/mirror/folder/log.ts";
import { LOG_FIELDS, type LogFields, type LogForm, type LogValue } from "../../../src/mirror/ports/world.ts";
import type { Clock } from "../../../src/common/clock.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const SECRET = "key_5f3c0a9d";
const clock: Clock = { now: () => Date.UTC(2026, 10, 21, 8), monotonic: () => 0, sleep: async () => undefined };

const EXAMPLES: Readonly<Record<LogForm, LogValue>> = {
  count: 3,
  flag: true,
  word: "put",
  ident: "doc_1",
  place: "a.md",
  errors: "EACCES",
};

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

function open(more: { maxBytes?: number; debug?: boolean } = {}, faults: Error[] = []) {
  return openLog({ folder, clock, secret: SECRET, debug: false, onFault: (error) => void faults.push(error), ...more });
}

function lines(): Record<string, unknown>[] {
  return readFileSync(join(folder, "log", "mdmirror.log"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("the log", () => {
  test("is JSON lines with level, time and event, in a file that only this user may read", () => {
    const log = open();
    log.write("info", "remote.retry", { method: "PUT", attempt: 2, waitMs: 500, status: 503, requestId: "req_1" });
    expect(lines()).toEqual([
      {
        level: "info",
        at: "2026-11-21T08:00:00.000Z",
        event: "remote.retry",
        method: "PUT",
        attempt: 2,
        waitMs: 500,
        status: 503,
        requestId: "req_1",
      },
    ]);
    expect(statSync(join(folder, "log", "mdmirror.log")).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "log")).mode & 0o777).toBe(0o700);
  });

  test("has debug lines only on request", () => {
    open().write("debug", "remote.exchange", { ms: 3 });
    expect(readdirSync(folder)).toEqual([]);
    open({ debug: true }).write("debug", "remote.exchange", { ms: 3 });
    expect(lines()).toHaveLength(1);
  });

  test("I30 keeps of free words the name of a system error alone, and of a path no key", () => {
    const log = open();
    log.write("warn", "later", {
      detail: "connect ECONNREFUSED to my DEAR diary",
      why: "EVERYTHING I WROTE",
      path: "a/b.md",
    });
    log.write("info", "place", { path: `notes/${SECRET}.md` });
    expect(lines()).toMatchObject([{ detail: "ECONNREFUSED", path: "a/b.md" }, { path: "notes/[key].md" }]);
    expect(lines()[0]).not.toHaveProperty("why");
  });

  test("keeps every member that a call may give, and a call that gives another does not compile", () => {
    const log = open();
    const given = Object.fromEntries(Object.entries(LOG_FIELDS).map(([name, form]) => [name, EXAMPLES[form]]));
    log.write("info", "all", given as LogFields);
    expect(lines()[0]).toMatchObject(given);
    // @ts-expect-error an unknown member
    log.write("info", "other", { error: "EACCES" });
    const spread = { error: "EACCES", path: "a.md" };
    // @ts-expect-error an unknown member in an object that is spread
    log.write("info", "other", { ...spread });
    // @ts-expect-error a string instead of a number
    log.write("info", "other", { count: "two" });
  });

  test("rotates by size and keeps four older files", () => {
    const log = open({ maxBytes: 400 });
    for (let n = 0; n < 60; n++) log.write("info", "tick", { count: n });
    const names = readdirSync(join(folder, "log")).sort();
    expect(names).toEqual(["mdmirror.log", ...[1, 2, 3, 4].map((n) => `mdmirror.log.${n}`)]);
    for (const name of names) expect(statSync(join(folder, "log", name)).size).toBeLessThanOrEqual(400);
    expect(lines().at(-1)).toMatchObject({ count: 59 });
  });

  test("that cannot be written is reported once, and stops nothing", () => {
    writeFileSync(join(folder, "log"), "a file where the folder should be");
    const faults: Error[] = [];
    const log = open({}, faults);
    log.write("info", "tick", {});
    log.write("info", "tick", {});
    expect(faults).toHaveLength(1);
  });

  test("I26 if `.mdmirror` is gone (its disk was removed), nothing is created in its place", () => {
    const faults: Error[] = [];
    const log = open({}, faults);
    rmSync(folder, { recursive: true });
    log.write("warn", "later", { path: "a.md" });
    expect([existsSync(folder), faults]).toEqual([false, [expect.objectContaining({ code: "ENOENT" })]]);
  });

  test("I30 neither the key nor a text gets in by any field, known or not", () => {
    const names = "detail why content text message code requestId path id reason err body".split(" ");
    const text = "# My secret garden\n\nIt has walls.";
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom(...names),
          fc.constantFrom(text, SECRET, `x ${SECRET} y`, `${text}${SECRET}`, "EACCES"),
        ),
        (fields) => {
          rmSync(join(folder, "log"), { recursive: true, force: true });
          const log = open({ debug: true });
          for (const level of ["debug", "info", "warn", "error"] as const)
            log.write(level, "event", fields as LogFields);
          const written = readFileSync(join(folder, "log", "mdmirror.log"), "utf8");
          expect(written).not.toContain(SECRET);
          expect(written).not.toContain("garden");
        },
      ),
      { numRuns: 60 },
    );
  });
});
