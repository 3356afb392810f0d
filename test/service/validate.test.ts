import { describe, expect, it } from "vitest";
import { OPERATIONS } from "../../src/contract/api/operations.ts";
import { isRefused } from "../../src/service/requests/answer.ts";
import { validate } from "../../src/service/requests/input.ts";

const { createFile, patchFile, listFiles } = OPERATIONS;

/** Returns the error code of a refusal, then each field with its code. */
function refusalOf(...[schema, value]: Parameters<typeof validate>): readonly string[] {
  const result = validate(schema, value);
  if (!isRefused(result)) throw new Error("it is valid");
  return [result.code, ...result.errors.map(({ pointer, code }) => `${pointer} ${code}`)];
}

describe("a value that is not valid", () => {
  it.each([
    [{ path: "a b.md", content: "\0" }, "invalid_request", "/path invalid_name", "/content invalid_format"],
    // Errors with different codes need different answers, so only the first one is reported.
    [{ path: "docs", content: "\0" }, "type_mismatch", "/path invalid_name"],
    [{ path: "a b.md", content: 5 }, "invalid_request", "/content wrong_type"],
    [{ path: "a b.md", text: "" }, "invalid_request", "/text unknown", "/content required"],
    [{ path: "a.md", content: "", parentId: null }, "invalid_request", "/path mutually_exclusive"],
    [{}, "invalid_request", "/parentId required", "/name required", "/content required"],
    [JSON.parse('{"path":"a.md","content":"","__proto__":1}'), "invalid_request", "/__proto__ unknown"],
  ])("of a creation is refused: %j", (body, ...refusal) => {
    expect(refusalOf(createFile.body, body)).toEqual(refusal);
  });

  it.each([
    [{}, "invalid_request"],
    [{ title: "" }, "invalid_request", "/title unknown"],
    [
      { name: "a b.md", protected: true },
      "invalid_request",
      "/name mutually_exclusive",
      "/protected mutually_exclusive",
    ],
    [{ parentId: "x" }, "invalid_id", "/parentId invalid_format"],
  ])("of a change is refused: %j", (body, ...refusal) => {
    expect(refusalOf(patchFile.body, body)).toEqual(refusal);
  });

  it.each([
    [{ limit: "0" }, "invalid_request", "/limit out_of_range"],
    [{ limit: "1e2", size: "1" }, "invalid_request", "/size unknown", "/limit wrong_type"],
    [
      { path: "a.md", path_prefix: "/" },
      "invalid_request",
      "/path mutually_exclusive",
      "/path_prefix mutually_exclusive",
    ],
    [{ path: "a.md", cursor: "" }, "invalid_request", "/cursor mutually_exclusive"],
  ])("of a list is refused: %j", (query, ...refusal) => {
    expect(refusalOf(listFiles.query, query)).toEqual(refusal);
  });
});

it.each([
  [patchFile.body, { name: "a.md", parentId: null }],
  [patchFile.body, { name: "a.md", parentId: null, protected: true }],
  [createFile.body, { path: "a.md", content: "", parentId: null }],
])("the message of a name that excludes others does not name it again: %#", (schema, body) => {
  const refused = validate(schema!, body);
  if (!isRefused(refused)) throw new Error("it is valid");
  expect(refused.errors).not.toEqual([]);
  for (const { pointer, detail } of refused.errors) {
    const named = detail.match(/\w+/g)!;
    expect([pointer, named.filter((word) => `/${word}` === pointer).length]).toEqual([pointer, 1]);
  }
});

it("makes paths of what was sent: without the first slash, the whole tree empty, a limit by default", () => {
  expect(validate(listFiles.query, { path_prefix: "/" })).toEqual({ limit: 100, path_prefix: "" });
  expect(validate(listFiles.query, { path: "/a.md", limit: "7" })).toEqual({ limit: 7, path: "a.md" });
});
