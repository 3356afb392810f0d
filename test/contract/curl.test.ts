import { describe, expect, it } from "vitest";
import { openService } from "../service/fixture.ts";
import { startHttp } from "../../src/service/http/server.ts";
import type { Variant } from "../variants/variant.ts";
import { varyService } from "../variants/vary-service.ts";
import { hasCurl } from "./curl/curl.ts";
import { differences, file, list } from "./curl/expected.ts";
import { takeTour } from "./curl/tour.ts";

/** A client's requests by `curl`: `npm run test:contract -- --curl` runs them against `serve`. */

async function tour(variant: Variant, stopAtFirst: boolean) {
  const { service, key } = await openService({ now: Date.now });
  const withdraw = async (changeId: string) => void (await service.admin.reviews.reject(changeId));
  const handle = varyService(service.handle, variant, { requests: 0, renames: new Map(), withdraw });
  const server = await startHttp({ handle });
  try {
    return await takeTour({ url: server.url, key, stopAtFirst });
  } finally {
    await server.close();
  }
}

/** What each lies about, and the request at which that is seen first: an early one. */
const LIES: readonly (readonly [string, Variant, RegExp])[] = [
  ["no leading slashes", { noLeadingSlashes: true }, /^POST \/v1\/folders /],
  ["longer ids", { looseIds: true }, /^POST \/v1\/folders /],
  ["members that no document names", { unknownMembers: true }, /^POST \/auth\/validate-key /],
  ["members that are missing", { documentedMembersOnly: true }, /^POST \/auth\/validate-key /],
  ["no move to the root", { noMoveToRoot: true }, /^POST .*"parentId":null/],
  ["no list of the whole tree", { noTree: true }, /^GET \/v1\/files\?path_prefix=\/$/],
];

// Where there is no curl these are told as skipped.
describe.skipIf(!hasCurl())("each request by curl (skipped where there is none)", () => {
  it("has the answer that is expected, member by member", async () => {
    const lines = await tour({}, false);
    expect(lines.filter(({ wrong }) => wrong.length > 0)).toEqual([]);
    expect(lines.length).toBeGreaterThan(80);
  });

  it.each(LIES)("shows the lie: %s", async (_, variant, where) => {
    const lines = await tour(variant, true);
    expect(lines.at(-1)!.wrong).not.toEqual([]);
    expect(lines.at(-1)!.sent).toMatch(where);
  });
});

describe("what an answer must be", () => {
  const answered = { object: "list", url: "/v1/files?limit=1", hasMore: false, nextCursor: null, data: [] };

  it("tells a member that is missing, another, or too many", () => {
    const expected = list("/v1/files", []);
    expect(differences(answered, expected)).toEqual([]);
    expect(differences({ ...answered, hasMore: 0, more: 1 }, expected)).toEqual([
      "/hasMore is 0",
      "/more is not expected: 1",
    ]);
    const { nextCursor: _, ...less } = answered;
    expect(differences(less, expected)).toEqual(["/nextCursor is not there"]);
    expect(differences({ ...answered, data: [1] }, expected)).toEqual(["/data/0 is not expected: 1"]);
    expect(differences({ ...answered, data: {} }, expected)).toEqual(["/data is {}"]);
    expect(differences(null, expected)).toEqual(["the answer is null"]);
    expect(differences("<html>", expected)).toEqual(['the answer is "<html>"']);
  });

  it("takes an id for what it is alone", () => {
    const one = { object: "file", id: "dir_00000000000000", path: "/a.md", parentId: null, parentPath: "/" };
    const whole = { ...one, protected: false, lastChangeId: "chg_0000000000000" };
    expect(differences(whole, file("/a.md", null))).toEqual([
      '/id is "dir_00000000000000"',
      '/lastChangeId is "chg_0000000000000"',
    ]);
  });
});
