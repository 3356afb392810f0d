import { chmodSync, cpSync, existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type CommandResult, openRig, type Rig } from "../cli/rig.ts";
import { serve } from "./loopback.ts";
import { spawnSync } from "node:child_process";
import { checkFile } from "../../scripts/check-layers.ts";
import { COMMANDS } from "../../src/cli/table.ts";
import { ROWS } from "./foreign-rows.ts";

/**
 * A folder that an attacker made, with the attacker's configuration. Neither content nor a key may
 * be sent to the attacker's server.
 */

const KEY = "mdm_the_users_own_key";

/** A rig with the hostile folder `w`, and the requests that the attacker's server received. */
type Fixture = { readonly rig: Rig; readonly url: string; readonly seen: readonly IncomingMessage[] };

const DOWNLOADED = "a downloaded folder";

/** Ways in which the folder gets the address of the attacker's server. */
const WAYS: Readonly<Record<string, (rig: Rig, url: string) => Promise<void>>> = {
  [DOWNLOADED]: async (rig, url) => {
    // The attacker linked the folder, so it is in the attacker's list of linked folders.
    await makeMirror(rig, { XDG_STATE_HOME: join(rig.dir, "attacker") });
    pointTo(rig, url);
  },
  "a mirror of the user's whose configuration names another address now": async (rig, url) => {
    await makeMirror(rig, {});
    pointTo(rig, url);
  },
  "a folder with the marker of a mirror of the user's": async (rig, url) => {
    await makeMirror(rig, {});
    renameSync(rig.root, join(rig.dir, "own"));
    expect((await rig.run(["sync", "own"])).err[0]).toContain("was");
    cpSync(join(rig.dir, "own"), rig.root, { recursive: true });
    pointTo(rig, url);
  },
};

async function makeMirror(rig: Rig, env: Readonly<Record<string, string>>): Promise<void> {
  const argv = ["init", "w", "--url", rig.url, "--key-file", rig.keyFile, "--yes"];
  expect((await rig.run(argv, { env })).code).toBe(0);
  rig.editBoth("a.md", "mine\n", "theirs\n");
  expect((await rig.run(["sync", "w"], { env })).code).toBe(3);
  rig.write("secret.md", "what nobody else may read\n");
}

function pointTo(rig: Rig, url: string): void {
  rig.write(".mdmirror/config.json", JSON.stringify({ url, allowHttp: ["0.0.0.0"] }));
}

async function openFixture(way: string): Promise<Fixture> {
  const rig = await openRig();
  onTestFinished(() => rig.close());
  rig.createRemotely("a.md", "a\n");
  const { port, seen } = await serve((_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end('{"object":"list","data":[],"hasMore":false,"nextCursor":null}');
  });
  const url = `http://127.0.0.1:${port}`;
  await WAYS[way]!(rig, url);
  return { rig, url, seen };
}

/**
 * Runs a command as the user, with a key in the environment. A command that serves is ended as soon
 * as it serves.
 */
function runAsUser(
  { rig }: Fixture,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const stop = new AbortController();
  const cwd = argv[0] === "undo" ? rig.root : rig.dir;
  const onOut = () => {
    if (argv[0] === "serve" || argv[0] === "ui") stop.abort();
  };
  return rig.run(argv, { env: { MDMIRROR_API_KEY: KEY, ...env }, cwd, stop: stop.signal, onOut });
}

function expectRefusal({ code, out, err }: CommandResult, what: unknown): void {
  const said = [...out, ...err].join("\n");
  expect([what, code, /mdmirror trust /.test(said), /nothing was sent/.test(said)]).toEqual([what, 2, true, true]);
  expect(said).not.toContain(KEY);
}

test("each command has a row in this test", () => {
  expect(Object.keys(ROWS).toSorted()).toEqual(COMMANDS.map(({ name }) => name).toSorted());
});

describe.each(Object.keys(WAYS))("in %s", (way) => {
  test("no command sends anything to the address that the folder names", async () => {
    const fixture = await openFixture(way);
    // The commands do not know how the folder got its address, so each option is tried in one way
    // only.
    const rows = Object.values(ROWS).flatMap((all) => (way === DOWNLOADED ? all : all.slice(0, 1)));
    for (const { argv, end } of rows) {
      const ran = await runAsUser(fixture, argv);
      expect([argv, fixture.seen.length]).toEqual([argv, 0]);
      if (end === "refused") expectRefusal(ran, argv);
      else expect([argv, ran.err.filter((line) => line.includes("(untrusted)"))]).toEqual([argv, []]);
    }
  });

  test("sync says what would be sent where, by which key, and sends it once the user agrees", async () => {
    const fixture = await openFixture(way);
    const before = await runAsUser(fixture, ["sync", "w"]);
    expect(before.err[0]).toContain(`2 Markdown files would go to ${fixture.url}, with the key from MDMIRROR_API_KEY`);
    expect((await runAsUser(fixture, ["trust", "w", "--yes"])).code).toBe(0);
    expect(fixture.seen.length).toBe(0);
    await runAsUser(fixture, ["sync", "w"]);
    expect(fixture.seen.map(({ headers }) => headers.authorization)).toContain(`Bearer ${KEY}`);
  });
});

/** Installs a keychain program that has a key for every service and records its calls. */
function plantKeychain(rig: Rig): string {
  const bin = join(rig.dir, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "secret-tool"), `#!/bin/sh\necho ${KEY}\n`);
  chmodSync(join(bin, "secret-tool"), 0o755);
  return `${bin}:${process.env["PATH"]}`;
}

describe("a key, from any source,", () => {
  test.each([
    ["in the environment", [], (): Record<string, string> => ({ MDMIRROR_API_KEY: KEY }), "MDMIRROR_API_KEY"],
    ["in a key file", ["--key-file", "key-file"], () => ({}), "--key-file"],
    ["in the keychain", [], (rig: Rig) => ({ DBUS_SESSION_BUS_ADDRESS: "x", PATH: plantKeychain(rig) }), "keychain"],
    // The key is the attacker's, so the documents would be sent to the attacker's workspace.
    ["in the folder itself", [], () => ({}), "the key in the folder itself"],
  ])("%s does not go to an address that only a folder names", async (_where, more, envOf, message) => {
    const { rig, seen } = await openFixture(DOWNLOADED);
    const env = envOf(rig);
    for (const name of ["sync", "verify", "diff", "plan", "watch"]) {
      const ran = await rig.run([name, "w", ...(name === "plan" ? [] : more)], { env });
      expectRefusal(ran, name);
      if (name === "sync") expect(ran.err[0]).toContain(message);
    }
    expect(seen.length).toBe(0);
  });

  test("is not taken from a folder that is linked for the first time", async () => {
    const rig = await openRig();
    onTestFinished(() => rig.close());
    mkdirSync(rig.path(".mdmirror"), { recursive: true, mode: 0o700 });
    writeFileSync(rig.path(".mdmirror/key"), "mdm_the_attackers_key\n", { mode: 0o600 });
    const { code, err } = await rig.run(["init", "w", "--url", rig.url, "--yes"]);
    expect([code, err[0]]).toEqual([2, "mdmirror: there is no API key"]);
  });
});

describe("plain http", () => {
  test("that a folder allows itself is not allowed, by no command and by no plain trust", async () => {
    const fixture = await openFixture(DOWNLOADED);
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
    expect(trust.err).toEqual([
      `mdmirror: ${url} is plain http: others on the network can read the key and all documents`,
      `  next: to allow it anyway: mdmirror trust ${rig.root} --allow-http ${new URL(url).host}`,
    ]);
    expect(trust.code).toBe(2);
    expect(seen.length).toBe(0);
    expect((await runAsUser(fixture, ["trust", "w", "--yes", "--allow-http", new URL(url).host])).code).toBe(0);
    await runAsUser(fixture, ["sync", "w"]);
    expect(seen.length).toBeGreaterThan(0);
  });

  test("that the configuration of a linked folder begins to allow is not allowed by that", async () => {
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
  test.skipIf(!hasGit)("names no merge tool that mdmirror would run (needs git)", async () => {
    const rig = await openRig();
    rig.createRemotely("a.md", "a\n");
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
  test("is not taken up by init: it would say what was deleted locally", async () => {
    const { rig } = await openFixture(DOWNLOADED);
    rig.remove(".mdmirror/config.json");
    const { code, err } = await rig.init();
    expect(err[0]).toContain("has the state of a linked folder that is not in your list");
    expect(code).toBe(2);
  });
});

const breaches = (file: string, text: string) =>
  checkFile(file, text).map((line) => line.split(" ").slice(1).join(" "));

describe("the one way to the network", () => {
  test("is the gate's: no other file of app and cli may open a connection, or call an address trusted", () => {
    const wire = 'import { createWire } from "./remote/wire.ts";';
    const client = 'import { createRemote } from "../remote/client.ts";';
    const trusted = 'const origin = { url: "https://evil.example" } as TrustedOrigin;';
    expect(breaches("mirror/new.ts", wire)).toEqual([
      "imports mirror/remote/wire.ts, which mirror/trust/connect.ts alone may",
    ]);
    expect(breaches("mirror/operations/new.ts", client)).toEqual([
      "imports mirror/remote/client.ts, which mirror/trust/connect.ts alone may",
    ]);
    expect(breaches("mirror/new.ts", trusted)).toEqual([
      "makes a trusted address, which mirror/trust/gate.ts alone may",
    ]);
    expect(breaches("mirror/trust/connect.ts", client)).toEqual([]);
  });
});
