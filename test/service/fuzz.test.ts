import { beforeAll, describe, expect, it } from "vitest";
import { loadRegexEngine } from "../../src/service/search/search.ts";
import { fc } from "../property.ts";
import { openService } from "./fixture.ts";
import { answersAdminSoundly, answersSoundly, leavesOthersAlone } from "./fuzz-laws.ts";
import { body, context, hostileGround, method, NEWER, target } from "./hostile-requests.ts";

beforeAll(loadRegexEngine);

describe("whatever is sent", () => {
  it("is answered as the document says, never with a 500 or another's data", async () => {
    const { codes, good } = await answersSoundly(context, 5_000);
    // The input is hostile, but not so wild that it ends at the door.
    const reached = ["200", "not_found", "unauthenticated", "invalid_request", "invalid_id", "file_not_found"];
    expect(reached.filter((code) => !codes.has(code))).toEqual([]);
    const wanted = [...NEWER.map((each) => `POST ${each}`), "the whole tree", "parentId null"];
    expect(wanted.filter((each) => !good.has(each))).toEqual([]);
  });

  it("leaves the other workspace as it was", () => leavesOthersAlone(context));

  it("is answered alike under /admin, also to the admin key", async () => {
    await answersAdminSoundly(await hostileGround(), 2_000);
  });
});

describe("a sequence of requests", () => {
  it("is answered the same from the same seed", async () => {
    const command = fc.tuple(method, target, body);
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 15 }), async (commands) => {
        const run = async () => {
          const { service, key: own } = await openService();
          // All at once, as they come: the answers are in their order all the same.
          const asked = commands.map(([method, path, body]) => ({ method, path, headers: { "x-api-key": own }, body }));
          return Promise.all(asked.map((one) => service.answer(one)));
        };
        expect(await run()).toEqual(await run());
      }),
      { numRuns: 30 },
    );
  });
});
