import { beforeAll, describe, expect, it } from "vitest";
import { staleFiles } from "../../scripts/build/api-report.ts";
import { buildDist } from "../../scripts/build/dist.ts";
import { CHECKOUT } from "./installed.ts";

describe("what the package exports", () => {
  beforeAll(() => expect(buildDist(CHECKOUT).kind).not.toBe("failed"));

  it("is written down; if not: node scripts/api-report.ts --write, and say it in .github/CHANGELOG.md", () => {
    expect(staleFiles(CHECKOUT, false)).toEqual([]);
  });

  it("is built once, and used while no source has changed", () => {
    expect(buildDist(CHECKOUT).kind).toBe("up to date");
  });
});
