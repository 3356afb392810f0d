import { expect, test } from "vitest";
import { refusesPaths } from "../../../src/mirror/operations/links/decide-links.ts";
import type { RunReport } from "../../../src/mirror/engine/run/report.ts";

type Problem = RunReport["attention"][number];

test.each([
  ["unresolved_reference", "the link leads to nothing", true],
  ["invalid_request", "content references a file which cannot be resolved", false],
  ["invalid_request", "the content is no text", false],
])("a refusal with code %s and %j says that the service takes no links by path: %s", (code, detail, says) => {
  expect(refusesPaths({ attention: [{ code, detail } as Problem] })).toBe(says);
});
