import { existsSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { openRig, useRig } from "./rig.ts";
import type { WireResponse } from "../../src/contract/wire.ts";

describe("folders that contain packages and build output beside the documents", () => {
  const rig = useRig();
  beforeEach(async () => {
    for (let n = 0; n < 8; n++) rig.write(`node_modules/p${n}/README.md`, `package ${n}\n`);
    rig.write("package.json", "{}\n");
    rig.write("docs/a.md", "a\n");
    rig.write("b.md", "b\n");
    rig.write("dist/made.md", "made\n");
    // A folder `vendor` without a package file beside it is not ignored.
    rig.write("docs/vendor/list.md", "list\n");
  });

  const given = () => ["init", "w", "--url", rig.url, "--key-file", rig.keyFile];
  const config = () => JSON.parse(rig.read(".mdmirror/config.json")) as { gitignore: boolean };
  const sent = () =>
    ["b.md", "docs/a.md", "docs/vendor/list.md", "dist/made.md", "node_modules/p0/README.md"].filter(
      (path) => rig.remote(path) !== null,
    );
  const OURS = ["b.md", "docs/a.md", "docs/vendor/list.md"];

  describe("init in a folder of code", () => {
    test("without a terminal says what would go up, and the options that leave it out", async () => {
      const { code, out, err } = await rig.run(given());
      expect(code).toBe(2);
      expect(out.slice(out.indexOf("  most new documents on the service, of 12 documents:"))).toEqual([
        "  most new documents on the service, of 12 documents:",
        "    node_modules/       8 documents, 80 bytes",
        "    docs/               2 documents, 7 bytes",
        "    this folder itself  1 document, 2 bytes",
        "    dist/               1 document, 5 bytes",
        "  stays local: 1 not Markdown",
        "  these look like packages or build output; options that leave them out:",
        "    --ignore node_modules/  8 documents, 80 bytes",
        "    --ignore /dist/         1 document, 5 bytes",
      ]);
      expect(err.at(-1)).toContain("--ignore node_modules/ --ignore /dist/");
      expect(rig.exists(".mdmirrorignore")).toBe(false);
      const taken = await rig.run([...given(), "--yes", "--ignore", "node_modules/", "--ignore", "/dist/"]);
      expect([taken.code, sent()]).toEqual([0, OURS]);
      expect(rig.read(".mdmirrorignore")).toBe("node_modules/\n/dist/\n");
      expect(taken.out.join("\n")).not.toContain("--ignore");
    });

    test("on a terminal asks, and shows the plan without what was left out", async () => {
      rig.write(".gitignore", "node_modules/\n");
      const { code, out, asked } = await rig.run(given(), { terminal: true, answers: ["", "y"] });
      expect([code, asked.length]).toEqual([0, 2]);
      expect(out).toContain("    --gitignore      8 documents, 80 bytes");
      expect([sent(), config().gitignore, rig.read(".mdmirrorignore")]).toEqual([OURS, true, "/dist/\n"]);
      const why = await rig.run(["why", "w/node_modules/p0/README.md"]);
      expect(why.out.join("\n")).toContain("line 1 of .gitignore");
    });

    test("sends nothing after no, and all of it with --yes, which lists the folders", async () => {
      const no = await rig.run(given(), { terminal: true, answers: ["n", "n"] });
      expect([no.code, no.asked.length, rig.exists(".mdmirror")]).toEqual([2, 2, false]);
      const { code, out } = await rig.run([...given(), "--yes"]);
      expect(out).toContain("    --ignore node_modules/  8 documents, 80 bytes");
      expect([code, sent().length, config().gitignore]).toEqual([0, 5, false]);
    });

    test("adds its lines to an existing .mdmirrorignore, and writes through no symbolic link", async () => {
      rig.write(".mdmirrorignore", "dist/\nnode_modules/");
      expect((await rig.run([...given(), "--yes", "--ignore", "dist/", "--ignore", "drafts/"])).code).toBe(0);
      expect(rig.read(".mdmirrorignore")).toBe("dist/\nnode_modules/\ndrafts/\n");
      const other = await openRig();
      symlinkSync(rig.path("b.md"), join(other.dir, "link"));
      other.write("a.md", "a\n");
      symlinkSync(rig.path("b.md"), join(other.root, ".mdmirrorignore"));
      const { code } = await other.link("w", "--ignore", "x/");
      expect([code, rig.read("b.md")]).toEqual([2, "b\n"]);
      await other.close();
    });

    test("refuses what is no pattern", async () => {
      for (const pattern of ["", "#a", "!a", "a\nb", "a/**/b/**/c/**/d"])
        expect([pattern, (await rig.run([...given(), "--yes", "--ignore", pattern])).code]).toEqual([pattern, 2]);
      expect(rig.exists(".mdmirror")).toBe(false);
    });
  });

  describe("a folder of code that is mirrored already", () => {
    test("takes the rules by another init; nothing is deleted, and new files stay local", async () => {
      await rig.init();
      rig.write(".gitignore", "node_modules/\n");
      const { code } = await rig.run(["init", "w", "--gitignore", "--ignore", "/dist/"]);
      expect([code, config().gitignore]).toEqual([0, true]);
      rig.write("node_modules/q/README.md", "new\n");
      rig.write("node_modules/p0/README.md", "edited\n");
      expect((await rig.run(["sync", "w"])).code).toBe(0);
      expect([rig.remote("node_modules/q/README.md"), rig.remote("dist/made.md")?.content]).toEqual([null, "made\n"]);
      expect(rig.remote("node_modules/p0/README.md")!.content).toBe("edited\n");
      expect((await rig.run(["verify", "w"])).code).toBe(0);
    });

    test("is never in sync while its rules cannot be read, though nothing is linked yet", async () => {
      symlinkSync("/etc/passwd", rig.path(".gitignore"));
      expect((await rig.run([...given(), "--yes", "--gitignore"])).code).toBe(3);
      const { exit, attention } = await rig.json(["sync", "w"]);
      expect([exit, attention]).toMatchObject([
        3,
        [{ kind: "local-unreadable", detail: expect.stringContaining("ELOOP") }],
      ]);
      expect((await rig.run(["status", "w", "--short"])).out).toEqual(["attention blocked:1"]);
      rig.remove(".gitignore");
      expect([(await rig.run(["sync", "w"])).code, rig.remote("b.md")?.content]).toEqual([0, "b\n"]);
    });
  });
});

describe("another program answers at the service's URL", () => {
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
});
