import { describe, expect, it, test } from "vitest";
import type { ChangeId, DocId } from "../../src/contract/ids.ts";
import type { Answer, Fault } from "../../src/mirror/ports/remote.ts";
import type { WireResult } from "../../src/common/wire.ts";
import { checkBaseUrl } from "../../src/mirror/remote/address.ts";
import { readPath } from "../../src/mirror/remote/shapes.ts";
import { answer, bench, FILE, KEY, LOST, NOT_SENT, problem } from "./scripted-wire.ts";

const DOC = "doc_1" as DocId;
const BASE = "chg_1" as ChangeId;
const HTML = "<html><body>404 nginx</body></html>";

function fault(result: Answer<unknown>): Fault {
  if (result.ok) throw new Error("it was answered");
  return result.fault;
}

const short = (value: Fault): string =>
  value.kind === "problem" || value.kind === "locked-out"
    ? `${value.kind} ${value.code}`
    : value.kind === "later"
      ? `${value.kind} ${value.cause}`
      : value.kind;

type Row = readonly [name: string, read: string, write: string, result: WireResult];

const ROWS: readonly Row[] = [
  ["a lost answer", "later unreachable", "uncertain", LOST],
  ["a deadline after sending", "later unreachable", "uncertain", { kind: "lost", why: "deadline of 30000 ms" }],
  ["a refused connection", "later unreachable", "later unreachable", NOT_SENT],
  ["400 invalid_request", "problem invalid_request", "problem invalid_request", problem(400, "invalid_request")],
  ["401", "locked-out unauthenticated", "locked-out unauthenticated", problem(401, "unauthenticated")],
  ["401 with another code", "locked-out unauthenticated", "locked-out unauthenticated", problem(401, "key_expired")],
  ["401 as HTML", "later malformed", "uncertain", answer(401, HTML)],
  ["403", "problem forbidden", "problem forbidden", problem(403, "forbidden")],
  ["404 file_not_found", "problem file_not_found", "problem file_not_found", problem(404, "file_not_found")],
  [
    "404 workspace_not_found",
    "locked-out workspace_not_found",
    "locked-out workspace_not_found",
    problem(404, "workspace_not_found"),
  ],
  ["404 as HTML", "later malformed", "uncertain", answer(404, HTML)],
  ["404 as JSON without code", "problem status_404", "problem status_404", answer(404, { message: "no route" })],
  [
    "404 with the code in its type alone",
    "problem file_not_found",
    "problem file_not_found",
    answer(404, { type: "https://d/errors/file-not-found" }),
  ],
  ["file_not_found under 500", "later unavailable", "uncertain", problem(500, "file_not_found")],
  ["file_not_found under 400", "later malformed", "uncertain", problem(400, "file_not_found")],
  [
    "a status that is not the answer's",
    "later malformed",
    "uncertain",
    answer(404, { status: 200, code: "file_not_found" }),
  ],
  ["a code of the wrong type", "later malformed", "uncertain", answer(404, { status: 404, code: 7 })],
  ["a code that is a sentence", "later malformed", "uncertain", answer(404, { code: "No such file" })],
  ["an error body that is an array", "later malformed", "uncertain", answer(404, [])],
  ["an error body that is cut", "later malformed", "uncertain", answer(404, '{"code":"file_not_found"')],
  ["an error body that is nested", "later malformed", "uncertain", answer(404, `${"[".repeat(99)}${"]".repeat(99)}`)],
  ["an empty 404", "later malformed", "uncertain", answer(404)],
  ["409 with an unknown code", "problem moon_phase", "problem moon_phase", problem(409, "moon_phase")],
  ["422", "problem content_too_large", "problem content_too_large", problem(422, "content_too_large")],
  ["429", "later rate-limited", "later rate-limited", problem(429, "rate_limited")],
  ["429 as HTML", "later rate-limited", "uncertain", answer(429, HTML)],
  ["500", "later unavailable", "uncertain", problem(500, "internal_error")],
  ["502 as HTML", "later unavailable", "uncertain", answer(502, HTML)],
  ["503", "later unavailable", "uncertain", problem(503, "service_unavailable")],
  ["503 as HTML", "later unavailable", "uncertain", answer(503, HTML)],
  ["a redirect", "later malformed", "uncertain", answer(301, "", { location: "https://evil.example/x?key=1" })],
  ["304", "later malformed", "uncertain", answer(304)],
  ["200 as HTML", "later malformed", "uncertain", answer(200, HTML)],
  ["200, cut", "later malformed", "uncertain", answer(200, '{"id":"doc_1","lastCha')],
  ["200 and null", "later malformed", "uncertain", answer(200, "null")],
  ["200 and an array", "later malformed", "uncertain", answer(200, [FILE])],
  ["200 about another file", "later malformed", "uncertain", answer(200, { ...FILE, id: "doc_2", content: "x" })],
  ["200, nested too deeply", "later malformed", "uncertain", answer(200, `{"id":${"[".repeat(99)}${"]".repeat(99)}}`)],
  ["206", "later malformed", "uncertain", answer(206, { ...FILE, content: "x" })],
];

describe("one call", () => {
  it.each(ROWS)("a read after %s is %s", async (_name, read, _write, result) => {
    expect(short(fault(await bench([result]).remote.getFile(DOC)))).toBe(read);
  });

  it.each(ROWS)("a write after %s (a read: %s) is %s (I08)", async (_name, _read, write, result) => {
    const { remote, wire } = bench([result]);
    expect(short(fault(await remote.putContent(DOC, BASE, "text")))).toBe(write);
    // Only a request that was certainly not sent is sent again.
    expect(wire.sent.length).toBe(result.kind === "not-sent" ? 4 : 1);
  });

  it("returns a problem with its pointers and the request id of its body, else of the header", async () => {
    const found = fault(await bench([problem(400, "invalid_request", ["/name", "/path"])]).remote.getFile(DOC));
    expect(found).toEqual({
      kind: "problem",
      status: 400,
      code: "invalid_request",
      detail: "the detail",
      requestId: "req_body",
      pointers: ["/name", "/path"],
      fieldCodes: ["invalid_name", "invalid_name"],
    });
    const bare = fault(await bench([answer(404, HTML, { "x-request-id": "req_header" })]).remote.getFile(DOC));
    expect(bare.requestId).toBe("req_header");
  });

  it("drops a request id and pointers that are not of the form, and bounds their number", async () => {
    const errors = [{ pointer: 7 }, "x", null, ...Array.from({ length: 100 }, (_, n) => ({ pointer: `/p${n}` }))];
    const found = fault(
      await bench([answer(409, { code: "odd", requestId: "two words", detail: { a: 1 }, errors })]).remote.getFile(DOC),
    );
    expect(found).toMatchObject({ requestId: null, detail: "", pointers: expect.any(Array) });
    expect(found.kind === "problem" && found.pointers.length).toBe(17);
  });

  it("takes control characters and length out of what the service says", async () => {
    const detail = `\u001b[2J\u202eevil\r\n${"x".repeat(1_000_000)}`;
    const found = fault(await bench([answer(409, { code: "odd", detail })]).remote.getFile(DOC));
    expect(found.detail.length).toBe(500);
    expect(found.detail).toMatch(/^\[2J evil x+…$/);
  });

  it("names the origin of a redirect, and nothing else of it", async () => {
    const found = fault(
      await bench([answer(308, "", { location: "https://u:p@other.example/a?token=1" })]).remote.getFile(DOC),
    );
    expect(found.detail).toContain("https://other.example, ");
    expect(found.detail).not.toMatch(/token|u:p/);
  });

  it("sends the key, and a JSON body", async () => {
    const { remote, wire } = bench([answer(200, { content: "x", lastChangeId: "chg_2" })]);
    await remote.putContent(DOC, BASE, "te\u2028xt");
    expect(wire.sent[0]).toMatchObject({
      method: "PUT",
      path: "/v1/files/doc_1/content",
      headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    });
    expect(JSON.parse(wire.sent[0]!.body!)).toEqual({ baseChangeId: "chg_1", content: "te\u2028xt" });
  });

  it("counts what was sent, by method", async () => {
    const { remote } = bench([LOST]);
    await remote.getFile(DOC);
    await remote.deleteFile(DOC);
    expect(remote.counts()).toEqual({ GET: 4, DELETE: 1 });
  });

  it.each(["doc_../x", "../folders/dir_1", "doc_1/content", "doc_1?x=1", "doc_1\n"])(
    "requests no other route for %j",
    async (id) => {
      const { remote, wire } = bench([problem(404, "file_not_found")]);
      await remote.getFile(id as DocId);
      await remote.deleteFile(id as DocId);
      for (const { path } of wire.sent) expect(path).toMatch(/^\/v1\/files\/[\w.%-]+$/);
    },
  );
});

it("returns the generation of the service's newest answer, and of no other server's answer", async () => {
  const named = (generation: string) => ({ "x-service-generation": generation });
  const foreign = answer(502, HTML, named("proxy"));
  const script = [
    answer(200, FILE),
    answer(200, FILE, named("one")),
    problem(404, "file_not_found", [], named("two")),
    foreign,
    foreign,
    foreign,
    foreign,
    answer(200, FILE, named("a b")),
  ];
  const { remote } = bench(script);
  const seen: (string | null)[] = [];
  for (let n = 0; n < 5; n++) {
    await remote.getFile(DOC);
    seen.push(remote.generation());
  }
  expect(seen).toEqual([null, "one", "two", "two", "two"]);
});

describe("checkBaseUrl", () => {
  it.each([
    ["https://files.example.com", "https://files.example.com", ""],
    ["https://files.example.com/", "https://files.example.com", ""],
    ["https://files.example.com:8443/api/files//", "https://files.example.com:8443", "/api/files"],
    ["http://localhost:8080", "http://localhost:8080", ""],
    ["http://127.0.0.1:1/x", "http://127.0.0.1:1", "/x"],
    ["http://127.1", "http://127.0.0.1", ""],
    ["http://[::1]:8080", "http://[::1]:8080", ""],
    ["http://NAS.local:8080", "http://nas.local:8080", ""],
    ["http://box:81", "http://box:81", ""],
  ])("takes %s", (text, origin, prefix) => {
    expect(checkBaseUrl(text, ["nas.LOCAL", "box:81"])).toEqual({ kind: "good", origin, prefix });
  });

  it.each([
    ["files.example.com", "absolute"],
    ["ftp://files.example.com", "does not start with"],
    ["file:///etc/passwd", "does not start with"],
    ["https://user:secret@files.example.com", "password"],
    ["https://files.example.com/?key=secret", "query"],
    ["https://files.example.com/#secret", "query or fragment"],
    ["http://files.example.com", "plain http"],
    ["http://127.0.0.1.example.com", "plain http"],
    ["http://localhost.example.com", "plain http"],
    ["http://10.0.0.1", "plain http"],
    ["http://box:82", "plain http"],
    ["http://0.0.0.0", "plain http"],
  ])("refuses %s and does not repeat it", (text, why) => {
    const judged = checkBaseUrl(text, ["box:81"]);
    expect(judged).toEqual({ kind: "bad", why: expect.stringContaining(why) });
    expect(JSON.stringify(judged)).not.toContain("secret");
  });
});

const LETTERS = ["/", ".", "a", " ", "\\", "-", "é", "\u0001"];

/** Yields every string of these letters with at most `length` characters. */
function* textsOf(length: number): Generator<string> {
  yield "";
  if (length === 0) return;
  for (const rest of textsOf(length - 1)) for (const letter of LETTERS) yield letter + rest;
}

/** The rules for the path of an answer, name by name, written independently of the client. */
function isBelievable(wire: string, kind: "file" | "folder"): boolean {
  const names = wire.replace(/^\//, "").split("/");
  return (
    !/[\\\u0001]/.test(wire) &&
    names.length <= 256 &&
    names.every((name) => !["", ".", ".."].includes(name)) &&
    names.at(-1)!.endsWith(".md") === (kind === "file")
  );
}

const deep = (names: number) => [`${"a/".repeat(names - 1)}a.md`, `/${"a/".repeat(names - 1)}a`, "a/".repeat(names)];

test("I26 a path is believed for its names alone, however plain it looks", () => {
  const wires = new Set([...textsOf(4)].flatMap((text) => [text, `${text}.md`, `a/${text}/b.md`]));
  for (const wire of [...wires, ...deep(255), ...deep(256), ...deep(257), ...deep(300)]) {
    for (const kind of ["file", "folder"] as const) {
      const read = readPath(wire, kind);
      const path = read.ok ? read.value : null;
      expect(path, `${JSON.stringify(wire)} as a ${kind}`).toEqual(
        isBelievable(wire, kind) ? { wire, path: wire.replace(/^\//, "") } : null,
      );
    }
  }
});
