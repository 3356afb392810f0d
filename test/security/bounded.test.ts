import { execFile } from "node:child_process";
import type { ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, describe, expect, it } from "vitest";
import { LIST_LIMITS } from "../../src/mirror/remote/listing.ts";
import { answer, bench } from "../remote/scripted-wire.ts";
import { BOUNDS, GET, wireTo } from "../remote/wire-fixture.ts";
import { type Handle, serve } from "./loopback.ts";

/**
 * Answers of unlimited length (shorter ones: test/remote/wire.test.ts). Memory stays bounded, and
 * the fault names the problem.
 */

const CHILD = fileURLToPath(new URL("./reader-child.ts", import.meta.url));

/** Lets a client in its own process read the answers. Returns its result and its peak of memory. */
async function readFrom(handle: Handle, what: "files" | "file") {
  const { port } = await serve(handle);
  const text = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, [CHILD, `http://127.0.0.1:${port}`, what], (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    );
  });
  const { fault, before, peak } = JSON.parse(text) as {
    readonly fault: { readonly kind: string; readonly detail: string } | null;
    readonly before: number;
    readonly peak: number;
  };
  return { fault, more: peak - before };
}

const MB = 1024 * 1024;
const page = (items: string, cursor: string | null = null) =>
  `{"object":"list","data":[${items}],"hasMore":${cursor !== null},"nextCursor":${JSON.stringify(cursor)}}`;
const times = (n: number, item: (i: number) => string) => Array.from({ length: n }, (_, i) => item(i)).join(",");

/**
 * Frees the memory that V8 would keep: its page tables would be copied for each process that later
 * tests start.
 */
afterAll(() => {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
});

describe("I33 a client's memory", () => {
  it.each<[string, string, "files" | "file", (response: ServerResponse) => void]>([
    [
      "three million objects on a page",
      "it has too many values",
      "files",
      (response) => response.end(page(`{}${",{}".repeat(3_000_000 - 1)}`)),
    ],
    [
      "150,000 items on a page",
      "the page has too many items",
      "files",
      (response) => response.end(page(times(150_000, (i) => `{"id":"doc_${i}"}`))),
    ],
    [
      "a body that never ends",
      "the answer is too large",
      "file",
      (response) => {
        const chunk = Buffer.alloc(MB, 0x20);
        const more = () => {
          while (!response.destroyed) if (!response.write(chunk)) return void response.once("drain", more);
        };
        more();
      },
    ],
    [
      "brackets, nested a million deep",
      "it is nested too deeply",
      "file",
      (response) => response.end("[".repeat(1_000_000)),
    ],
  ])("%s", async (_name, why, what, send) => {
    const { fault, more } = await readFrom((_request, response) => send(response), what);
    expect(fault?.detail).toContain(why);
    expect(more).toBeLessThan(300 * MB);
  });

  it("pages without end, each of new items with the longest paths", async () => {
    const { remote, wire } = bench(() => {
      const first = wire.sent.length * 1_900;
      const data = Array.from({ length: 1_900 }, (_, i) => ({
        id: `doc_${first + i}`,
        lastChangeId: "chg_1",
        path: `${"x".repeat(16_000)}.md`,
      }));
      return answer(200, { object: "list", data, hasMore: true, nextCursor: `c${first}` });
    });
    const listing = await remote.listFiles({ kind: "none" });
    expect(listing).toMatchObject({ complete: false, fault: { detail: "the list is too long" } });
    const characters = listing.items.reduce((sum, { path }) => sum + path.length, 0);
    expect(characters).toBeLessThan(LIST_LIMITS.characters + 1_900 * 16_100);
  });

  it("a thousand root folders, each with endless folders below: their memory is bounded together", async () => {
    let n = 0;
    const long = "x".repeat(16_000);
    const { remote, wire } = bench((request) => {
      const roots = !request.path.includes("path_prefix");
      const data = Array.from({ length: roots ? 1_000 : 500 }, () => ({
        id: `dir_${++n}`,
        path: roots ? `r${n}` : `${long}/${n}`,
      }));
      return answer(200, { object: "list", data, hasMore: !roots, nextCursor: roots ? null : `c${n}` });
    });
    const listing = await remote.listFolders(null);
    expect(listing).toMatchObject({ complete: false, fault: { detail: "the list is too long" } });
    const characters = listing.items.reduce((sum, { path }) => sum + path.length, 0);
    expect(characters).toBeLessThan(LIST_LIMITS.characters + 9 * 500 * 16_100);
    expect(wire.sent.length).toBeLessThan(50);
  });

  it("a root folder for each of 30,000 requests: they are not all made", async () => {
    const { remote, wire } = bench((request) => {
      const roots = !request.path.includes("path_prefix");
      const data = roots ? Array.from({ length: 30_000 }, (_, i) => ({ id: `dir_${i}`, path: `r${i}` })) : [];
      return answer(200, { object: "list", data, hasMore: false, nextCursor: null });
    });
    expect(await remote.listFolders(null)).toMatchObject({
      complete: false,
      fault: { detail: "the list does not end" },
    });
    expect(wire.sent.length).toBeLessThanOrEqual(LIST_LIMITS.pages + 8);
  });
});

it("headers that never end are given up, with what they were", async () => {
  const { port } = await serve((_request, { socket }) => {
    socket?.write("HTTP/1.1 200 OK\r\n");
    const more = () => {
      while (socket !== null && !socket.destroyed)
        if (!socket.write(`x: ${"y".repeat(1_000)}\r\n`)) return void socket.once("drain", more);
    };
    more();
  });
  expect(await wireTo(`http://127.0.0.1:${port}`).send(GET, BOUNDS)).toEqual({
    kind: "lost",
    why: expect.stringMatching(/HEADERS_OVERFLOW|HPE_/) as unknown as string,
  });
});
