import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { WireResponse } from "../../src/contract/wire.ts";
import { useRig } from "./rig.ts";

/** Another program answers at the service's URL: during the first `init`, or after it. */

let instead: WireResponse | null = null;
const rig = useRig();
beforeEach(() => {
  instead = null;
  rig.intercept = () => instead;
});

const html = (status: number, body: string, more: Record<string, string> = {}): WireResponse => ({
  status,
  headers: { "content-type": "text/html; charset=utf-8", ...more },
  body,
});
const json = (status: number, value: unknown): WireResponse => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(value),
});
const LOGIN = "<!doctype html><title>ACME secret</title><form><input type='password'></form>";

const FOREIGN: readonly (readonly [string, WireResponse, string])[] = [
  ["a static file server", html(200, "<!doctype html><h1>It works"), "answers 200, text/html: a web page"],
  ["a login page", html(200, LOGIN), "answers 200, text/html: a login page"],
  ["a login page that refuses", html(401, LOGIN), "answers 401, text/html: a login page"],
  ["a web server without the file", html(404, "<html>not found"), "answers 404, text/html: a web page"],
  [
    "a captive portal",
    html(302, "", { location: "https://login.example.org/?token=secret" }),
    "answers 302, text/html: a redirect to https://login.example.org",
  ],
  ["an API without the route", json(404, { message: "secret" }), "answers 404, application/json"],
  ["an API that answers {}", json(200, {}), 'JSON without "object", "data", "hasMore"'],
  ["an API that answers []", json(200, []), "a JSON array"],
  ["an API that pages differently", json(200, { data: [] }), 'JSON without "object", "hasMore"'],
  ["an API with no kind of answer", json(200, { data: [], hasMore: false }), 'JSON without "object"'],
  [
    "an API that lists something else",
    json(200, { object: "list", data: [{ id: "cus_1", path: "secret" }], hasMore: false }),
    "a list of something else",
  ],
  ["an empty answer", { status: 200, headers: {}, body: "" }, "answers 200, no content type: an empty answer"],
  ["plain text", { status: 200, headers: { "content-type": "text/plain" }, body: "secret" }, "text that is not JSON"],
];

describe("init, where something else answers", () => {
  test.each(FOREIGN)(
    "I19 %s: links nothing, leaves nothing behind, and says what answered",
    async (_name, with_, says) => {
      instead = with_;
      const dir = join(rig.dir, "new/deep/w");
      const { code, out, err } = await rig.link(dir);
      expect({ code, out }).toEqual({ code: 5, out: [] });
      expect(err).toEqual([expect.stringContaining(`${rig.url}/v1/files`), expect.stringMatching(/^ {2}next: /)]);
      expect(err[0]).toContain(says);
      expect(err.join("\n")).not.toContain("secret");
      expect(existsSync(join(rig.dir, "new"))).toBe(false);
    },
  );

  test("leaves an existing folder as it was", async () => {
    instead = html(200, "<html>");
    rig.write("mine.md", "mine\n");
    const { code } = await rig.link("w");
    expect([code, readdirSync(rig.root)]).toEqual([5, ["mine.md"]]);
  });

  test.each([
    [401, "unauthenticated", "refuses the key"],
    [403, "forbidden", "the service refused: no list for you"],
    [404, "workspace_not_found", "gives access to no workspace on "],
    [404, "file_not_found", "the service refused: no list for you"],
  ])("a service that refuses the list with %i %s is not linked either: 5", async (status, code, says) => {
    instead = json(status, { code, status, detail: "no list for you" });
    const ran = await rig.link("w");
    expect([ran.code, existsSync(rig.root)]).toEqual([5, false]);
    expect(ran.err[0]).toContain(says);
    expect(ran.err[0]).toContain(`(${code})`);
    expect(ran.err[1]).toMatch(/next: .*--key-file FILE/);
  });
});

describe("the beginning of the routes at the end of the URL", () => {
  test.each(["/", "///"])("%s at its end is taken off without a word, and kept nowhere", async (more) => {
    const ran = await rig.run(["init", "w", "--url", `${rig.url}${more}`, "--key-file", rig.keyFile, "--yes"]);
    expect(ran).toMatchObject({ code: 0, err: [] });
    const { url } = JSON.parse(rig.read(".mdmirror/config.json")) as { url: string };
    expect(url).toBe(rig.url);
    expect((await rig.run(["status", "w", "--json"])).out.join("")).toContain(`"url":"${rig.url}"`);
  });

  test.each(["/v1", "/v1/", "/v1/files", "/v1/folders/"])("%s is taken off, with a word", async (more) => {
    rig.createRemotely("a.md", "a\n");
    const { code, err } = await rig.run(["init", "w", "--url", rig.url + more, "--key-file", rig.keyFile, "--yes"]);
    expect({ code, err }).toEqual({ code: 0, err: [expect.stringContaining(`the URL is ${rig.url}:`)] });
    expect(rig.read("a.md")).toBe("a\n");
    expect((await rig.run(["sync", "w"])).code).toBe(0);
    expect((await rig.run(["sync", "w"], { env: { MDMIRROR_URL: rig.url + more } })).code).toBe(0);
  });
});

describe("an established linked folder, where something else answers for a time", () => {
  const link = async () => {
    for (const name of ["a", "b", "c"]) rig.createRemotely(`${name}.md`, `${name}\n`);
    await rig.link("w");
  };

  test.each(FOREIGN.filter((_, n) => n % 5 === 0))(
    "I19 I20 %s: one line on the cause, exit 5, and nothing is inferred",
    async (_name, with_, says) => {
      await link();
      rig.write("a.md", "edited\n");
      instead = with_;
      const { code, err } = await rig.run(["sync", "w"]);
      expect(code).toBe(5);
      expect(err).toEqual([expect.stringContaining(`${rig.url}/v1/files`), expect.stringMatching(/^ {2}next: /)]);
      expect(err[0]).toContain(says);
      const answer = (await rig.json(["sync", "w"])) as Record<string, unknown>;
      expect(answer).toMatchObject({
        state: "offline",
        counts: { blocked: 0 },
        attention: [{ path: "", kind: "offline", code: "not-the-service" }],
      });
      expect(readdirSync(rig.root).filter((name) => name.endsWith(".md"))).toEqual(["a.md", "b.md", "c.md"]);
      instead = null;
      expect((await rig.run(["sync", "w"])).code).toBe(0);
      expect(rig.remote("a.md")?.content).toBe("edited\n");
    },
  );
});
