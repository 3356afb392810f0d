import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { requireFitNode } from "../../src/lib/fit-node.ts";

const root = new URL("../../", import.meta.url);

it.each(["22.22.0", "23.0.0", "24.21.0", "100.0.0"])("Node %s will do", (version) => {
  expect(() => requireFitNode(version)).not.toThrow();
});

it.each(["20.20.2", "22.21.9", "9.0.0"])("Node %s will not, and the message says what to do", (version) => {
  expect(() => requireFitNode(version)).toThrow(expect.objectContaining({ code: "unfit-node", kind: "usage" }));
});

it("is the one that package.json and the command name", () => {
  const { engines } = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as { engines: { node: string } };
  const least = engines.node.replace(">=", "");
  const before = least.replace(/\d+$/, (minor) => String(Number(minor) - 1));
  expect(() => requireFitNode(least)).not.toThrow();
  expect(() => requireFitNode(before)).toThrow(`needs Node ${least} or newer`);
  expect(readFileSync(new URL("src/cli/entry.mjs", root), "utf8")).toContain(`needs Node ${least} or newer`);
});
