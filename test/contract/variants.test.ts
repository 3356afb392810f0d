import { describe, expect, onTestFinished, test } from "vitest";
import { judgeService } from "../../src/conformance/judge.ts";
import { SECTIONS, type Section } from "../../src/conformance/sections.ts";
import { MAX_BODY_BYTES } from "../../src/service/requests/body.ts";
import { openService } from "../service/fixture.ts";
import { type ProfileName, PROFILES } from "../variants/profiles.ts";
import { varyService } from "../variants/vary-service.ts";
import { cannotHold } from "./suite/cannot-hold.ts";

/** Compares the report on each profile with the cases that its traits rule out. */

const JUDGED: readonly Section[] = [
  "paths-and-names",
  "limits",
  "keys-and-access",
  "pagination",
  "files",
  "folders",
  "reviews",
  "errors",
];

const isTooLong = (body: string | null) => Buffer.byteLength(body ?? "") > MAX_BODY_BYTES;

async function reportOf(profile: ProfileName) {
  const { service, key } = await openService();
  const withdraw = async (changeId: string) => void (await service.admin.reviews.reject(changeId));
  const state = { requests: 0, renames: new Map<string, number>(), withdraw, calm: true };
  onTestFinished(() => service.close());
  const varied = varyService(service.handle, PROFILES[profile], state);
  return judgeService({
    // The fault is what HTTP reports of a long body, which a profile would make shorter.
    exchange: (request) => varied(request, isTooLong(request.body) ? "too-large" : null),
    key,
    name: "case",
    sections: JUDGED,
    leaveBehind: true,
    onCase: () => undefined,
    stop: new AbortController().signal,
  });
}

describe("a deployment", () => {
  test.each(Object.keys(PROFILES) as ProfileName[])(
    "%s differs in the cases that its traits rule out, and in no others",
    async (profile) => {
      const judged = await reportOf(profile);
      if (judged.kind !== "judged") throw new Error(judged.kind);
      const reported = judged.report.sections.flatMap(({ differences, notOffered }) =>
        [...differences, ...notOffered].map(({ title }) => title),
      );
      const cases = JUDGED.flatMap((section) => SECTIONS[section].map(({ title }) => title));
      const expected = cases.filter((title) => cannotHold(title, PROFILES[profile]) !== null);
      expect(reported.toSorted()).toEqual(expected.toSorted());
    },
  );
});
