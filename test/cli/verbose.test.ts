import { expect, test } from "vitest";
import { useWatchedFolder } from "./watched-folder.ts";

const watched = useWatchedFolder();
const EXCHANGE = /^(GET|PUT|POST|PATCH|DELETE) \/v1\/\S* \d{3} (\w+ )?\(\d+ ms\)/;

test("I30 -v prints each request with its answer, and neither content, names nor the key", async () => {
  const { rig } = watched;
  rig.write("secret-name.md", "secret content\n");
  const { code, out, err } = await rig.run(["sync", "w", "-v"]);
  expect([code, out.length, err.every((line) => EXCHANGE.test(line))]).toEqual([0, 1, true]);
  expect(err.some((line) => line.startsWith("POST /v1/files 201 "))).toBe(true);
  const printed = err.join("\n");
  for (const hidden of ["secret", rig.key]) expect(printed).not.toContain(hidden);
  expect(printed).not.toContain("req_");
  const long = await rig.run(["plan", "w", "-vv"]);
  expect(long.err.length).toBeGreaterThan(0);
  expect(long.err.every((line) => line.includes("req_"))).toBe(true);
  expect((await rig.run(["sync", "w"])).err).toEqual([]);
});

test("-v shows the requests of the sync itself, also if a daemon runs", async () => {
  await watched.watchingHere();
  const { code, err } = await watched.rig.run(["sync", "w", "-v"]);
  expect([code, err.length > 0]).toEqual([0, true]);
});
