import { describe, expect, test, onTestFinished } from "vitest";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_CONFIG, parseConfig } from "../../../src/mirror/settings/config.ts";
import { cleanPrefix, parseRetention } from "../../../src/mirror/settings/settings.ts";
import { makeConflictPolicy } from "../../../src/mirror/folder/run.ts";
import { pickUrl, toAddress, type TrustedOrigin } from "../../../src/mirror/trust/address.ts";
import { findKey } from "../../../src/mirror/settings/key.ts";

const URL_ONLY = { url: "https://files.example.org" };

describe("the config file", () => {
  test("needs the URL alone; the rest has defaults", () => {
    expect(parseConfig(JSON.stringify(URL_ONLY), "c.json")).toEqual({
      kind: "ok",
      value: { ...DEFAULT_CONFIG, ...URL_ONLY },
    });
  });

  test("takes links by their mode alone, or with wiki links", () => {
    const read = (links: unknown) => parseConfig(JSON.stringify({ ...URL_ONLY, links }), "c.json");
    expect(read("translate")).toMatchObject({ value: { links: { mode: "translate", wiki: false } } });
    expect(read({ mode: "translate", wiki: true })).toMatchObject({
      value: { links: { mode: "translate", wiki: true } },
    });
  });

  test.each([
    ["{", /^c\.json is not JSON: /],
    ["[]", "c.json contains no JSON object"],
    ["{}", `c.json: "url" must be the service's base URL, as a string`],
    [{ url: "" }, `c.json: "url" must be the service's base URL, as a string`],
    [
      { ...URL_ONLY, key: "mdm_secret" },
      'c.json: "key" is not a setting: mdmirror init --key-file FILE stores the key',
    ],
    [{ ...URL_ONLY, remote: "a b" }, 'c.json: "remote" must be the path of a folder of the workspace, or a list'],
    [{ ...URL_ONLY, names: "rename" }, 'c.json: "names" must be one of "map", "block"'],
    [{ ...URL_ONLY, links: "wiki" }, 'c.json: "links.mode" must be one of "keep", "translate"'],
    [{ ...URL_ONLY, links: { mode: "keep", wiki: true } }, 'c.json: "links.wiki" needs "mode": "translate"'],
    [
      { ...URL_ONLY, links: { mode: "translate", wiki: 1, x: 1 } },
      'c.json: "links.x" is not a known setting; c.json: "links.wiki" must be true or false',
    ],
    [{ ...URL_ONLY, wiki: true }, 'c.json: "wiki" is not a known setting'],
    [
      { ...URL_ONLY, conflicts: "mine" },
      'c.json: "conflicts" must be one of "conflict-copy", "copy", "local", "remote"',
    ],
    [{ ...URL_ONLY, conflicts: ["copy"] }, 'c.json: "conflicts[0]" must be {"paths": a pattern, "policy": …}'],
    [{ ...URL_ONLY, conflicts: [{ paths: "*" }] }, 'c.json: "conflicts[0].policy" is missing'],
    [
      { ...URL_ONLY, conflicts: [{ paths: "*", policy: "copy", x: 1 }] },
      'c.json: "conflicts[0].x" is not an option of a rule',
    ],
    [{ ...URL_ONLY, allowHttp: "h" }, 'c.json: "allowHttp" must be a list of hosts'],
    [{ ...URL_ONLY, interface: { progress: "yes" } }, 'c.json: "interface.progress" must be true or false'],
    [
      { ...URL_ONLY, events: { listen: "yes", pollEvery: "2h", at: 1 } },
      'c.json: "events.at" is not a known setting; c.json: "events.listen" must be true or false; c.json: "events.pollEvery" must be a time from 1s to 1h',
    ],
    [
      { ...URL_ONLY, polling: { requestsPerMinute: 0.5, every: "5s" } },
      'c.json: "polling.every" is not a known setting; c.json: "polling.requestsPerMinute" must be a whole number from 1 to 6000',
    ],
    ...["30d", "0d, 500MB", "30d, 9MB", "30d, 500", 30].map((keepHistory): [object, string] => [
      { ...URL_ONLY, keepHistory },
      'c.json: "keepHistory" must be days and a size, such as 30d, 500MB: 1d to 3650d, 10MB to 1000GB',
    ]),
    [{ ...URL_ONLY, polling: 60 }, 'c.json: "polling" must be an object'],
    [
      { ...URL_ONLY, interface: { quietFor: "soon" } },
      'c.json: "interface.quietFor" must be a time such as 0s, 15m, 6h or 2d',
    ],
    [
      { ...URL_ONLY, handsOff: { quiet: "2h", open: "25h", vim: true } },
      'c.json: "handsOff.vim" is not a known setting; c.json: "handsOff.quiet" must be a time from 0s to 60s; c.json: "handsOff.open" must be a time from 0s to 24h',
    ],
    [{ ...URL_ONLY, handsOff: "10m" }, 'c.json: "handsOff" must be an object'],
    [{ ...URL_ONLY, interface: { colour: true } }, 'c.json: "interface.colour" is not a known setting'],
  ])("%j is refused, naming file and member, never the value", (json, what) => {
    const read = parseConfig(typeof json === "string" ? json : JSON.stringify(json), "c.json");
    expect(read).toMatchObject({
      kind: "trouble",
      trouble: { kind: "usage", what: typeof what === "string" ? what : expect.stringMatching(what) },
    });
    expect(JSON.stringify(read)).not.toContain("mdm_secret");
  });

  test.each([
    [
      "{a,b}".repeat(24),
      "must not contain braces, which have no meaning in gitignore patterns: write one rule for each",
    ],
    ["a/**/a/**/a/**/b", 'has more than 2 "**" between its names'],
    ["a".repeat(1_001), "has more than 1000 characters"],
    ["!a.md", 'must not begin with "#" or "!"'],
    ["  ", "must be one pattern of gitignore syntax"],
  ])("refuses a pattern that would cost too much or says nothing: %.30s", (paths, why) => {
    const read = parseConfig(JSON.stringify({ ...URL_ONLY, conflicts: [{ paths, policy: "copy" }] }), "c.json");
    const what = `c.json: "conflicts[0].paths" ${why}`;
    expect(read).toMatchObject({ kind: "trouble", trouble: { kind: "usage", what } });
  });

  test("chooses the conflict policy of the first rule whose pattern matches", () => {
    const rules = [
      { paths: "journal/**", policy: "copy" },
      { paths: "**/*.md", policy: "local" },
    ] as const;
    const policy = makeConflictPolicy({ ...DEFAULT_CONFIG, ...URL_ONLY, conflicts: rules });
    expect([policy("journal/2026/a.md"), policy("notes/a.md"), policy("a.md")]).toEqual(["copy", "local", "local"]);
    expect(makeConflictPolicy({ ...DEFAULT_CONFIG, ...URL_ONLY, conflicts: [] })("a.md")).toBe("conflict-copy");
    expect(makeConflictPolicy({ ...DEFAULT_CONFIG, ...URL_ONLY, conflicts: "remote" })("a.md")).toBe("remote");
  });

  test.each([
    ["90d, 2GB", { days: 90, bytes: 2_000_000_000 }],
    ["1d,10MB", { days: 1, bytes: 10_000_000 }],
  ])("keepHistory %j is %j", (text, retention) => {
    expect(parseRetention(text)).toEqual(retention);
  });

  test.each([
    ["", ""],
    ["/", ""],
    ["/a/b/", "a/b"],
    ["a b", null],
    ["a.md", null],
    ["../x", null],
  ])("the mirrored folder %j is kept as %j", (given, kept) => {
    expect(cleanPrefix(given)).toBe(kept);
  });
});

describe("the URL", () => {
  const config = { url: "https://config.example.org", allowHttp: ["nas.local"] };

  test("comes from --url before MDMIRROR_URL before the configuration, with its source", () => {
    const env = { MDMIRROR_URL: "https://env.example.org" };
    const url = "https://given.example.org";
    expect(pickUrl(config.url, { url, env })).toEqual({ url, from: "--url" });
    expect(pickUrl(config.url, { url: null, env })).toEqual({ url: "https://env.example.org", from: "MDMIRROR_URL" });
    expect(pickUrl(config.url, { env: { MDMIRROR_URL: "" } })).toEqual({ url: config.url, from: "config" });
    expect(pickUrl(null, { env: {} })).toBeNull();
  });

  test("is plain http to loopback and to hosts that were allowed, else refused", () => {
    const address = (url: string) => toAddress({ url, from: "--url" }, config.allowHttp);
    expect(address("http://nas.local").kind).toBe("ok");
    expect(address("http://127.0.0.1:8").kind).toBe("ok");
    expect(address("http://other.local")).toMatchObject({
      kind: "trouble",
      trouble: { what: expect.stringContaining("(--url)") },
    });
  });

  test.each([
    ["https://Files.Example.org:443/", "https://files.example.org"],
    ["https://files.example.org/team/a//", "https://files.example.org/team/a"],
    ["https://files.example.org:8443", "https://files.example.org:8443"],
    ["https://пример.org", "https://xn--e1afmkfd.org"],
  ])("%s is the address %s, to which a key is bound", (url, address) => {
    expect(toAddress({ url, from: "config" }, [])).toEqual({ kind: "ok", value: address });
  });
});

test("the command that takes a key from other users is right for any name of a folder", () => {
  const dir = mkdtempSync(join(tmpdir(), "it's mine "));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const folder = join(dir, ".mdmirror");
  mkdirSync(folder, { mode: 0o700 });
  const file = join(folder, "key");
  writeFileSync(file, "key_1\n");
  chmodSync(file, 0o644);
  const origin = { url: "https://files.example.org" } as TrustedOrigin;
  const found = findKey({ folder, keyFile: null, cwd: dir, env: {}, origin });
  const next = found.kind === "trouble" ? found.trouble.next : "";
  execFileSync("sh", ["-c", next.slice(0, next.indexOf("; if others"))]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});
