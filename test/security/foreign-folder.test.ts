import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { checkFile } from "../../scripts/check-layers.ts";
import { COMMANDS } from "../../src/cli/table.ts";
import { openRig, type Rig } from "../cli/rig.ts";
import {
  DOWNLOADED,
  expectRefusal,
  KEY,
  makeMirror,
  openFixture,
  pointTo,
  runAsUser,
  WAYS,
} from "./foreign-fixture.ts";
import { ROWS } from "./foreign-rows.ts";

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
