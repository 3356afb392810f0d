import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { formula } from "../../scripts/homebrew.ts";

const template = readFileSync(new URL("../../config/homebrew/mdmirror.rb", import.meta.url), "utf8");
const fields = {
  URL: "https://example.org/mdmirror-1.2.3.tgz",
  HOMEPAGE: "https://example.org/",
  SHA256: "0".repeat(64),
};
const hasRuby = spawnSync("ruby", ["--version"]).status === 0;

test("the formula of Homebrew is filled, and what is not filled is an error", () => {
  const text = formula(template, fields);
  expect(text).toContain(`url "${fields.URL}"`);
  expect(text).toContain(`sha256 "${fields.SHA256}"`);
  expect(
    text
      .split("\n")
      .filter((line) => !line.startsWith("#"))
      .join("\n"),
  ).not.toMatch(/\{\{/);
  expect(() => formula(template, { URL: "x" })).toThrow("nothing fills {{HOMEPAGE}}");
});

test("no address gets out of its string", () => {
  expect(formula('url "{{URL}}"', { URL: 'a"; system("x") #{y}' })).toBe('url "a\\"; system(\\"x\\") \\#{y}"');
});

test.skipIf(!hasRuby)("the formula is Ruby (skipped where ruby is missing)", () => {
  const { status, stderr } = spawnSync("ruby", ["-c"], { input: formula(template, fields), encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
});
