import { describe, expect, test } from "vitest";
import type { FolderEvent } from "../../src/mirror/daemon/daemon.ts";
import type { Io } from "../../src/cli/command.ts";
import { eventLines, showEvents } from "../../src/cli/show-events.ts";
import type { LocalPath } from "../../src/contract/path.ts";

test("watch says that a text was sent to review", () => {
  const change = {
    kind: "change",
    at: 0,
    side: "remote",
    id: "doc_1",
    path: "a.md",
    detail: "edited locally",
  } as const;
  const rest = { lines: null, changeId: null, code: null, requestId: null, run: 1 } as const;
  const news = { ...change, ...rest, what: "put", outcome: "submitted" } as unknown as Parameters<typeof eventLines>[0];
  expect(eventLines(news)).toEqual(["→ sent to review: a.md"]);
});

describe("what watch tells", () => {
  const heard = (tell: (news: (event: FolderEvent) => void) => void) => {
    const out: string[] = [];
    const show = showEvents({ out: (line) => out.push(line) } as Partial<Io> as Io, { json: false, several: false });
    tell((event) => show("/w", event));
    return async () => {
      await Promise.resolve();
      return out.map((line) => line.slice("00:00:00 ".length));
    };
  };
  const pending = (path: string, { inConflict = false, asks = false } = {}): FolderEvent =>
    ({ kind: "deletion-pending", at: 0, path: path as LocalPath, dueAt: 30_000, inConflict, asks }) as FolderEvent;

  test("of files that go together is sorted, before what follows", async () => {
    const told = heard((news) => {
      for (const path of ["c.md", "a.md", "b.md"]) news(pending(path));
      news({ kind: "deletion-called-off", at: 0, path: "b.md" as LocalPath } as FolderEvent);
    });
    expect(await told()).toEqual([
      "a.md was deleted locally; mdmirror deletes it on the service in 30 s",
      "b.md was deleted locally; mdmirror deletes it on the service in 30 s",
      "c.md was deleted locally; mdmirror deletes it on the service in 30 s",
      "b.md is back; not deleted on the service",
    ]);
  });

  test("of many files that go together is one sentence, with some of the names", async () => {
    const told = heard((news) => {
      for (let n = 9; n >= 0; n--) news(pending(`${n}.md`));
      news(pending("k.md", { inConflict: true }));
    });
    expect(await told()).toEqual([
      "10 documents were deleted locally; mdmirror deletes them on the service in 30 s",
      "  0.md, 1.md, 2.md, 3.md, 4.md and 5 more",
      "k.md was deleted locally while it is in conflict; in 30 s mdmirror restores the version on the service; yours is in the history",
    ]);
  });

  test("of files that a safety check will ask about says that it asks first", async () => {
    const told = heard((news) => {
      for (let n = 0; n < 7; n++) news(pending(`${n}.md`, { asks: true }));
    });
    expect(await told()).toEqual([
      "7 documents were deleted locally; in 30 s mdmirror asks you before it deletes any of them on the service",
      "  0.md, 1.md, 2.md, 3.md, 4.md and 2 more",
    ]);
    const few = heard((news) => {
      for (const path of ["a.md", "b.md"]) news(pending(path, { asks: true }));
    });
    expect(await few()).toEqual([
      "a.md was deleted locally; in 30 s mdmirror asks you before it deletes it on the service",
      "b.md was deleted locally; in 30 s mdmirror asks you before it deletes it on the service",
    ]);
  });

  test("of what is only noted says what it was", async () => {
    const change = { kind: "change", at: 0, what: "note-facts", outcome: "done", detail: "protected on the service" };
    const told = heard((news) => news({ ...change, path: "a.md", lines: null } as unknown as FolderEvent));
    expect(await told()).toEqual(["· update the record: a.md  protected on the service"]);
  });
});
