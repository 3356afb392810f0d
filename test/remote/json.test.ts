import { isJsonObject, member } from "../../src/contract/json.ts";
import { fc } from "../property.ts";
import { describe, expect, it } from "vitest";
import { parseJson } from "../../src/mirror/remote/json.ts";

describe("parseJson", () => {
  it("agrees with JSON.parse on any value that is not too deep", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        const text = JSON.stringify(value);
        expect(parseJson(text)).toEqual({ kind: "json", value: JSON.parse(text) });
      }),
    );
  });

  it("does not count brackets in strings, with any escapes", () => {
    const text = JSON.stringify({ content: `${"[{".repeat(5_000)}\\" \\\\` });
    expect(parseJson(text)).toEqual({ kind: "json", value: JSON.parse(text) });
  });

  it.each([
    ["32 levels", 32, "json"],
    ["33 levels", 33, "too-much"],
    ["eight million levels", 8_000_000, "too-much"],
  ])("judges %s", (_name, depth, kind) => {
    expect(parseJson("[".repeat(depth) + "]".repeat(depth)).kind).toBe(kind);
  });

  it.each([
    ["", "empty"],
    ["  \n", "empty"],
    ["<html>secret", "not JSON"],
    ['{"a":"secr', "not JSON"],
    ["{}{}", "not JSON"],
  ])("refuses %j without quoting it", (text, why) => {
    const json = parseJson(text);
    expect(json).toEqual({ kind: "not-json", why: expect.stringContaining(why) });
    expect(JSON.stringify(json)).not.toContain("secr");
  });

  it("reads own members alone", () => {
    const value = parseJson('{"__proto__":{"path":"x"}}');
    expect(value.kind === "json" && isJsonObject(value.value) && member(value.value, "path")).toBeUndefined();
    expect(member({}, "constructor")).toBeUndefined();
  });
});
