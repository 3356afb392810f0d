import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type { ChangeId, DocId } from "../../src/contract/ids.ts";
import { Http } from "../../src/mirror/remote/http.ts";
import { createScrub } from "../../src/mirror/remote/scrub.ts";
import { answer, bench, KEY, page } from "./scripted-wire.ts";
import { NO_LOG } from "../simulator/quiet-ports.ts";

const shown = (value: unknown): string => inspect(value, { depth: 20, showHidden: true, getters: true });
const DOC = "doc_1" as DocId;
const TEXT = "the text of a document";

describe("I30 the key", () => {
  it("is in no fault, trait, count or log line, even where the service echoes it everywhere", async () => {
    const echo = {
      status: 409,
      code: KEY,
      type: `https://docs/errors/${KEY}`,
      title: KEY,
      detail: `Authorization: Bearer ${KEY}`,
      requestId: KEY,
      errors: [{ code: KEY, pointer: `/${KEY}`, detail: KEY }],
    };
    const results = [
      answer(409, echo, { "x-request-id": KEY }),
      answer(409, { ...echo, code: "odd" }, { "x-request-id": KEY }),
      answer(409, { ...echo, code: undefined }, { "x-request-id": KEY }),
      answer(200, `<html>${KEY}`, { "x-request-id": KEY, "retry-after": KEY }),
      answer(302, "", { location: `https://${KEY}.example/${KEY}` }),
      page([{ id: KEY, path: KEY }], KEY),
      { kind: "lost", why: `header ${KEY}` },
      { kind: "not-sent", why: `header ${KEY}` },
    ] as const;
    for (const result of results) {
      const { remote, lines } = bench([result]);
      const all = [
        await remote.getFile(DOC),
        await remote.putContent(DOC, "chg_1" as ChangeId, TEXT),
        await remote.listFiles({ kind: "none" }),
        await remote.listFolders(null),
        await remote.renameFile(DOC, "b.md"),
      ];
      const everything = shown([all, remote, remote.traits(), remote.counts(), lines]);
      expect(everything).not.toContain(KEY);
      expect(everything).not.toContain(TEXT);
      expect(lines.length).toBeGreaterThan(4);
    }
  });

  it.each(["", "two words", "line\r\nend", "käse", "x".repeat(5_000)])(
    "%j is refused without being repeated",
    (key) => {
      const { wire, clock } = bench([answer(204)]);
      const make = () =>
        new Http({
          wire,
          key,
          address: "",
          clock,
          log: NO_LOG,
          scrub: createScrub(key),
        });
      expect(make).toThrow("the API key must be");
      if (key !== "") expect(make).not.toThrow(key);
    },
  );

  it("is not half visible where a text is cut", () => {
    const scrub = createScrub(KEY);
    for (let before = 470; before <= 500; before++) {
      const text = scrub("x".repeat(before) + KEY);
      expect(text.length).toBeLessThanOrEqual(500);
      expect(text).not.toContain(KEY.slice(0, 8));
    }
  });
});

it("a cursor, which may be anything, is in no log line", async () => {
  const { remote, lines } = bench([page([], "opaque-cursor"), page([])]);
  await remote.listFiles({ kind: "none" });
  expect(lines.length).toBe(2);
  expect(lines.join()).not.toContain("opaque-cursor");
});
