import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { checkFile } from "../../scripts/check-layers.ts";
import { COMMANDS } from "../../src/cli/table.ts";
import { openRig, type Rig } from "../cli/rig.ts";
import { expectRefusal, KEY, makeMirror, openFixture, pointTo, runAsUser, WAYS } from "./foreign-fixture.ts";

/** `refused`: exit 2, and the way to trust it. `local`: it goes on, by this machine alone. */
type Row = { readonly argv: readonly string[]; readonly end: "refused" | "local" };
const refused = (...argv: string[]): Row => ({ argv, end: "refused" });
const local = (...argv: string[]): Row => ({ argv, end: "local" });

const ROWS: Readonly<Record<string, readonly Row[]>> = {
  init: [refused("init", "w"), refused("init", "w", "--prefer", "local", "--yes")],
  // The question is put, and nobody answers.
  trust: [local("trust", "w")],
  list: [local("list")],
  "upgrade-check": [local("upgrade-check"), local("upgrade-check", "--json")],
  name: [local("name", "w", "mine")],
  mv: [local("mv", "w", "w/inside")],
  unlink: [refused("unlink", "w")],
  sync: [
    refused("sync", "w"),
    refused("sync", "w", "--dry-run"),
    refused("sync", "w", "--quiet"),
    refused("sync", "w", "--json"),
    refused("sync", "w", "--push-only"),
    refused("sync", "w", "--wait-for", "w/a.md"),
    refused("sync", "w", "--key-file", "key-file"),
  ],
  wait: [refused("wait", "w"), refused("wait", "w/a.md", "--json")],
  watch: [refused("watch", "w"), local("watch", "w", "--all")],
  service: [
    refused("service", "install", "w"),
    local("service", "print", "w", "--for", "systemd"),
    local("service", "print", "--all", "--for", "systemd"),
    local("service", "status", "w"),
    local("service", "uninstall", "w"),
  ],
  pause: [local("pause", "w")],
  resume: [local("resume", "w")],
  status: [
    refused("status", "w"),
    refused("status", "w", "--json"),
    local("status", "--all"),
    local("status", "--all", "--prometheus"),
  ],
  plan: [refused("plan", "w")],
  approve: [refused("approve", "w", "--yes")],
  refuse: [refused("refuse", "w", "--yes")],
  why: [refused("why", "w/a.md")],
  search: [local("search", "mine", "w"), local("search", "mine", "w", "--regex")],
  log: [local("log", "w")],
  diff: [
    refused("diff", "w"),
    refused("diff", "w/a.md"),
    local("diff", "w/a.md@1"),
    local("diff", "w/a.md@1", "--origins"),
  ],
  conflicts: [local("conflicts", "w")],
  reviews: [local("reviews", "w"), local("reviews", "w", "--json")],
  resolve: [
    refused("resolve", "w/a.md", "--mine"),
    refused("resolve", "w/a.md", "--tool"),
    refused("resolve", "w/a.md", "--theirs", "--no-sync"),
  ],
  history: [local("history", "w/a.md"), local("history", "w/a.md", "--origins", "1")],
  show: [local("show", "w/a.md@1")],
  restore: [refused("restore", "w/a.md@1")],
  undo: [refused("undo", "--yes")],
  verify: [refused("verify", "w")],
  protect: [refused("protect", "w/a.md")],
  unprotect: [refused("unprotect", "w/a.md")],
  "fix-names": [refused("fix-names", "w"), refused("fix-names", "w", "--dry-run")],
  links: [refused("links", "keep", "w"), refused("links", "check", "w")],
  doctor: [refused("doctor", "w")],
  merge: [local("merge", "w/a.md", "w/a.md", "w/a.md", "--print")], // Files, not a mirror.
  completion: [local("completion", "bash")],
  ui: [local("ui", "w", "--no-open")],
  mcp: [refused("mcp", "w"), refused("mcp", "w", "--read-only")],
  serve: [
    local("serve", "--port", "0", "--data", "data"),
    local("serve", "--port", "0", "--data", "data", "--docs-base", "https://docs.example.org", "--access-log", "-"),
  ],
  "serve-admin": [
    local("serve-admin", "keys", "--data", "data"),
    local("serve", "admin", "reviews", "--data", "w"),
    local("serve-admin", "workspaces", "--url", "http://127.0.0.1:9", "--admin-key-file", "key-file"),
  ],
  "serve-backup": [local("serve", "backup", "--data", "w", "--out", "b.db")],
  "serve-restore": [local("serve", "restore", "w/a.md", "--data", "restored")],
};

test("each command has a row here", () => {
  expect(Object.keys(ROWS).toSorted()).toEqual(COMMANDS.map(({ name }) => name).toSorted());
});

describe.each(Object.keys(WAYS))("in %s", (way) => {
  test("no command sends anything to the address that the folder names", async () => {
    const fixture = await openFixture(way);
    for (const { argv, end } of Object.values(ROWS).flat()) {
      const ran = await runAsUser(fixture, argv);
      expect([argv, fixture.seen.length]).toEqual([argv, 0]);
      if (end === "refused") expectRefusal(ran, argv);
      else expect([argv, ran.err.filter((line) => line.includes("(untrusted)"))]).toEqual([argv, []]);
    }
  });

  test("sync says what would go where, by which key, and goes there once the user has said so", async () => {
    const fixture = await openFixture(way);
    const before = await runAsUser(fixture, ["sync", "w"]);
    expect(before.err[0]).toContain(`2 Markdown files would go to ${fixture.url}, with the key from MDMIRROR_API_KEY`);
    expect((await runAsUser(fixture, ["trust", "w", "--yes"])).code).toBe(0);
    expect(fixture.seen.length).toBe(0);
    await runAsUser(fixture, ["sync", "w"]);
    expect(fixture.seen.map(({ headers }) => headers.authorization)).toContain(`Bearer ${KEY}`);
  });
});

/** A keychain that has a key for everybody, and says when it was asked. */
function plantKeychain(rig: Rig): string {
  const bin = join(rig.dir, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "secret-tool"), `#!/bin/sh\necho ${KEY}\n`);
  chmodSync(join(bin, "secret-tool"), 0o755);
  return `${bin}:${process.env["PATH"]}`;
}

describe("a key, wherever it lies,", () => {
  test.each([
    ["in the environment", [], (): Record<string, string> => ({ MDMIRROR_API_KEY: KEY }), "MDMIRROR_API_KEY"],
    ["in a key file", ["--key-file", "key-file"], () => ({}), "--key-file"],
    ["in the keychain", [], (rig: Rig) => ({ DBUS_SESSION_BUS_ADDRESS: "x", PATH: plantKeychain(rig) }), "keychain"],
    // The attacker's own: the documents would go into the attacker's workspace.
    ["in the folder itself", [], () => ({}), "lies in the folder itself"],
  ])("%s does not go to an address that only a folder names", async (_where, more, envOf, told) => {
    const { rig, seen } = await openFixture("a downloaded folder");
    const env = envOf(rig);
    for (const name of ["sync", "verify", "diff", "plan", "watch"]) {
      const ran = await rig.run([name, "w", ...(name === "plan" ? [] : more)], { env });
      expectRefusal(ran, name);
      if (name === "sync") expect(ran.err[0]).toContain(told);
    }
    expect(seen.length).toBe(0);
  });

  test("is not taken from a folder that is linked for the first time", async () => {
    const rig = await openRig();
    onTestFinished(() => rig.close());
    mkdirSync(join(rig.root, ".mdmirror"), { recursive: true, mode: 0o700 });
    writeFileSync(join(rig.root, ".mdmirror/key"), "mdm_the_attackers_key\n", { mode: 0o600 });
    const { code, err } = await rig.run(["init", "w", "--url", rig.url, "--yes"]);
    expect([code, err[0]]).toEqual([2, "mdmirror: there is no API key"]);
  });
});

describe("plain http", () => {
  test("that a folder allows itself is not allowed, by no command and by no plain trust", async () => {
    const fixture = await openFixture("a downloaded folder");
    const { rig, seen } = fixture;
    const url = fixture.url.replace("127.0.0.1", "0.0.0.0");
    pointTo(rig, url);
    for (const argv of [
      ["sync", "w"],
      ["doctor", "w"],
      ["init", "w"],
      ["verify", "w"],
    ]) {
      expectRefusal(await runAsUser(fixture, argv), argv);
    }
    const trust = await runAsUser(fixture, ["trust", "w", "--yes"]);
    expect([trust.code, trust.err]).toEqual([
      2,
      [
        `mdmirror: ${url} is plain http, which shows the key and all texts to the network`,
        `  next: if you want that all the same: mdmirror trust ${rig.root} --allow-http ${new URL(url).host}`,
      ],
    ]);
    expect(seen.length).toBe(0);
    expect((await runAsUser(fixture, ["trust", "w", "--yes", "--allow-http", new URL(url).host])).code).toBe(0);
    await runAsUser(fixture, ["sync", "w"]);
    expect(seen.length).toBeGreaterThan(0);
  });

  test("that the configuration of a mirror begins to allow is not allowed by that", async () => {
    const rig = await openRig();
    onTestFinished(() => rig.close());
    await rig.init();
    rig.write(".mdmirror/config.json", JSON.stringify({ url: rig.url, allowHttp: ["files.example.org"] }));
    const { code, err } = await rig.run(["sync", "w", "--url", "http://files.example.org"]);
    expect([code, err[0]]).toEqual([2, expect.stringContaining("you did not allow that")]);
  });
});

describe("a repository that came with a folder", () => {
  const hasGit = spawnSync("git", ["--version"]).status === 0;
  test.skipIf(!hasGit)("names no merge tool: neither the tool nor its command is taken from there", async () => {
    const rig = await openRig();
    rig.api("POST", "/v1/files", { path: "a.md", content: "a\n" });
    await makeMirror(rig, {});
    const ran = join(rig.dir, "ran");
    spawnSync("git", ["init", "-q", rig.root]);
    for (const [name, value] of [
      ["merge.tool", "evil"],
      ["mergetool.evil.cmd", `touch '${ran}'`],
    ])
      spawnSync("git", ["-C", rig.root, "config", name!, value!]);
    const before = process.cwd();
    onTestFinished(async () => {
      process.chdir(before);
      await rig.close();
    });
    process.chdir(rig.root);
    const env = { PATH: process.env["PATH"]!, HOME: rig.dir, GIT_CONFIG_NOSYSTEM: "1" };
    const { code, err } = await rig.run(["resolve", "w/a.md", "--tool"], { env });
    expect([code, err[0], existsSync(ran)]).toEqual([2, "mdmirror: no merge tool is configured", false]);
  });
});

describe("a state that came with a folder", () => {
  test("is not taken up by init: it would say what was deleted here", async () => {
    const { rig } = await openFixture("a downloaded folder");
    rmSync(join(rig.root, ".mdmirror/config.json"));
    const { code, err } = await rig.init();
    expect([code, err[0]]).toEqual([2, expect.stringContaining("holds the state of a mirror that is not in the list")]);
  });
});

const breaches = (file: string, text: string) =>
  checkFile(file, text).map((line) => line.split(" ").slice(1).join(" "));

describe("the one way to the network", () => {
  test("is the gate's: no other file of app and cli may open a connection, or call an address trusted", () => {
    const wire = 'import { createUndiciWire } from "../remote/undici-wire.ts";';
    const client = 'import { createRemote } from "../../remote/client.ts";';
    const trusted = 'const origin = { url: "https://evil.example" } as TrustedOrigin;';
    expect([
      breaches("app/new.ts", wire),
      breaches("app/doctor/new.ts", client),
      breaches("app/new.ts", trusted),
    ]).toEqual([
      ["imports remote/undici-wire.ts, which app/trust/connect.ts alone may"],
      ["imports remote/client.ts, which app/trust/connect.ts alone may"],
      ["makes a trusted address, which app/trust/gate.ts alone may"],
    ]);
    expect(breaches("app/trust/connect.ts", client)).toEqual([]);
  });
});
