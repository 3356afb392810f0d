import { readFileSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AccessLog, makeFileAppender } from "../../src/service/http/access-log.ts";
import type { AccessEntry } from "../../src/service/http/access-log.ts";
import { serveHttp } from "./fixture.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const ENTRY: AccessEntry = {
  at: "2026-01-01T00:00:00.000Z",
  method: "GET",
  route: "/v1/files",
  status: 200,
  bytes: 2,
  ms: 1,
  key: null,
  requestId: "req_1",
};

const linesOf = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as object);

test("each request is a line with its owner, kind and end; never content, key, query or path", async () => {
  const seen: AccessEntry[] = [];
  const { service, server, key, api } = await serveHttp(undefined, { log: (entry) => void seen.push(entry) });
  const { id } = await api.file("secret/garden.md", "roses\n");
  const headers = { "x-api-key": key };
  const ask = async (path: string, more = {}) =>
    await (await fetch(`${server.url}${path}`, { headers, ...more })).text();
  const read = await ask(`/v1/files/${id}`);
  await ask("/v1/files?path_prefix=secret");
  await ask(`/v1/files/${id}/content`, { method: "PUT", body: JSON.stringify({ content: "roses" }) });
  await ask("/secret/garden.md", { headers: { "x-api-key": "mdm_secret" } });
  const [mine] = await service.admin.keys();
  expect(seen.map(({ method, route, status, key: whose }) => [method, route, status, whose])).toEqual([
    ["GET", "/v1/files/{id}", 200, mine!.id],
    ["GET", "/v1/files", 200, mine!.id],
    ["PUT", "/v1/files/{id}/content", 400, mine!.id],
    ["GET", "other", 401, null],
  ]);
  expect(seen[0]).toMatchObject({ bytes: Buffer.byteLength(read), requestId: expect.stringMatching(/^req_/) });
  expect(seen[0]!.ms).toBeGreaterThan(0);
  for (const secret of ["secret", "garden", "roses", id, key]) expect(JSON.stringify(seen)).not.toContain(secret);
});

test("lines are appended for their owner alone, also after the file was moved away", async () => {
  const file = join(temporaryFolder(), "access.log");
  for (const name of ["first", "second"]) {
    const log = new AccessLog(makeFileAppender(file), (error) => expect.fail(String(error)));
    log.note(ENTRY);
    log.note({ ...ENTRY, requestId: name });
    await log.close();
    expect(linesOf(readFileSync(file, "utf8"))).toEqual([ENTRY, { ...ENTRY, requestId: name }]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    renameSync(file, `${file}.${name}`);
  }
});

test("what cannot be written is reported, and counted by the next line that can", async () => {
  let isFull = true;
  let written = "";
  const faults: unknown[] = [];
  const append = async (text: string) => {
    if (isFull) throw new Error("ENOSPC");
    written += text;
  };
  const log = new AccessLog(append, (error) => void faults.push(error));
  for (let n = 0; n < 20_001; n++) log.note(ENTRY);
  await log.close();
  expect(faults).toHaveLength(1);
  isFull = false;
  log.note(ENTRY);
  await log.close();
  expect(linesOf(written)).toEqual([ENTRY, { lost: 20_001 }]);
});
