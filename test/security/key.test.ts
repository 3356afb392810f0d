import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { makeUnit } from "../../src/mirror/daemon/autostart/service-unit.ts";
import { COMMANDS } from "../../src/cli/table.ts";
import { type Rig, useRig } from "../cli/rig.ts";
import { ENTRY, keptCompiled, Running } from "../program.ts";

/** Resolves when `watch --json` has finished its first cycle. Rejects if it ends first. */
async function whenWatching(watch: Running): Promise<void> {
  await watch.line((line) => line.includes('"kind":"run"'));
}

/** Returns the environment of a user whose folders are the rig's. */
function envOf(rig: Rig, more: Readonly<Record<string, string>> = {}) {
  return {
    ...keptCompiled(),
    PATH: process.env["PATH"],
    HOME: rig.dir,
    XDG_RUNTIME_DIR: join(rig.dir, "run"),
    XDG_STATE_HOME: rig.stateHome,
    MDMIRROR_NOTIFY: "off",
    ...more,
  };
}

/** Starts `mdmirror …` in a shell that first runs `before`, in a separate working folder. */
function startUnder(
  before: string,
  rig: Rig,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Running {
  mkdirSync(join(rig.dir, "run"), { recursive: true, mode: 0o700 });
  mkdirSync(join(rig.dir, "cwd"), { recursive: true });
  const command = ["-c", `${before}; exec "$@"`, "sh", process.execPath, ENTRY, ...args];
  const options = { cwd: join(rig.dir, "cwd"), env: envOf(rig, more) };
  return new Running(spawn("sh", command, { ...options, stdio: ["ignore", "pipe", "pipe"] }));
}

/**
 * I30, more than test/cli/init.test.ts: what a crash, another program and another user can see of
 * the key.
 */

const rig = useRig();
beforeEach(async () => {
  rig.createRemotely("a.md", "a\n");
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => join(folder, path))
    .filter((path) => lstatSync(path).isFile());
}

const linux = process.platform === "linux";
const dumpsHere =
  linux &&
  !/^[|/]/.test(readFileSync("/proc/sys/kernel/core_pattern", "utf8")) &&
  spawnSync("sh", ["-c", "ulimit -c unlimited"]).status === 0;

describe("I30 what a crash leaves behind", () => {
  test.skipIf(!dumpsHere)("the core file of a crash has neither key nor content (needs core files)", async () => {
    await rig.init();
    const watch = startUnder("ulimit -c unlimited", rig, ["watch", rig.root, "--json"], {
      MDMIRROR_API_KEY: rig.key,
    });
    await whenWatching(watch);
    watch.child.kill("SIGSEGV");
    expect(await watch.ended).toBe("SIGSEGV");
    const cores = readdirSync(join(rig.dir, "cwd")).filter((name) => name.startsWith("core"));
    expect(cores.length).toBe(1);
    const core = readFileSync(join(rig.dir, "cwd", cores[0]!));
    expect(core.length).toBeLessThan(4_000_000);
    expect(core.includes(rig.key)).toBe(false);
  });

  test("a report requested by NODE_OPTIONS has no environment", async () => {
    await rig.init();
    const reports = join(rig.dir, "reports");
    mkdirSync(reports);
    const watch = startUnder(":", rig, ["watch", rig.root, "--json"], {
      MDMIRROR_API_KEY: rig.key,
      NODE_OPTIONS: `--report-on-signal --report-uncaught-exception --report-directory=${reports}`,
    });
    await whenWatching(watch);
    watch.child.kill("SIGUSR2");
    await watch.printed.untilErr("Node.js report completed");
    await watch.stop();
    const made = filesBelow(reports);
    expect(made.length).toBe(1);
    const report = readFileSync(made[0]!, "utf8");
    expect(report).toContain("nodejsVersion");
    expect(report).not.toContain(rig.key);
    expect(report).not.toContain("MDMIRROR_API_KEY");
  });

  test("the units of systemd and launchd disable core files, and have no key", () => {
    for (const [manager, line] of [
      ["systemd", /^LimitCORE=0$/m],
      ["launchd", /<key>HardResourceLimits<\/key>\s*<dict>\s*<key>Core<\/key>\s*<integer>0<\/integer>/],
    ] as const) {
      const given = { MDMIRROR_API_KEY: rig.key };
      const made = makeUnit({
        manager,
        root: "/home/ann/notes",
        home: "/home/ann",
        env: given,
        hasSystemdNotify: true,
      });
      if (made.kind !== "ok") throw new Error(made.trouble.what);
      expect(made.value.text).toMatch(line);
      expect(made.value.text).not.toContain(rig.key);
    }
  });
});

describe("I30 what other programs and users see", () => {
  test("a command has no argument for the key, and a process has no key in its arguments", async () => {
    for (const entry of COMMANDS) {
      const { command } = await entry.load();
      const secret = Object.keys(command.options).filter((name) => /key|secret|token|pass/.test(name));
      expect(secret.filter((name) => !/^((?:admin-)?key-file|no-store-key|tls-key|store-key)$/.test(name))).toEqual([]);
    }
    await rig.init();
    const watch = startUnder(":", rig, ["watch", rig.root, "--json"], { MDMIRROR_API_KEY: rig.key });
    await whenWatching(watch);
    const ps = spawnSync("ps", ["-ww", "-o", "args=", "-p", String(watch.child.pid)], { encoding: "utf8" });
    // A core file of this process would contain no memory at all.
    if (linux) expect(readFileSync(`/proc/${watch.child.pid}/coredump_filter`, "utf8").trim()).toBe("00000000");
    await watch.stop();
    expect(ps.stdout).toContain("watch");
    expect(ps.stdout).not.toContain(rig.key);
  });

  test("the merge tool and git are run without it", async () => {
    await rig.init();
    rig.editBoth("a.md", "mine\n", "theirs\n");
    await rig.run(["sync", "w"]);
    const bin = join(rig.dir, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "git"), `#!/bin/sh\nenv > '${rig.dir}/git.env'\necho none\n`);
    chmodSync(join(bin, "git"), 0o755);
    const path = `${bin}:${process.env["PATH"]}`;
    const tool = `env > '${rig.dir}/tool.env'; printf 'both\\n' > "$MERGED"`;
    await rig.run(["resolve", "w/a.md", "--tool"], { env: { PATH: path, MDMIRROR_API_KEY: rig.key } });
    const { code } = await rig.run(["resolve", "w/a.md", "--tool"], {
      env: { PATH: path, MDMIRROR_API_KEY: rig.key, MDMIRROR_MERGETOOL: tool },
    });
    expect([code, rig.read("a.md")]).toEqual([0, "both\n"]);
    for (const name of ["git.env", "tool.env"]) {
      const seen = readFileSync(join(rig.dir, name), "utf8");
      expect(seen).toContain("PATH=");
      expect(seen).not.toContain(rig.key);
    }
  });

  test("the service keeps no key in the clear, and says none but where its own is", async () => {
    const data = join(rig.dir, "data");
    const serve = startUnder("umask 000", rig, ["serve", "--port", "0", "--data", data]);
    const said = () => [...serve.printed.lines, serve.printed.err()].join("\n");
    await serve.line((line) => line.includes("http://"));
    const [url] = /http:\/\/[\d.:]+/.exec(said())!;
    const keys = filesBelow(data).filter((path) => /key/.test(path));
    const values = keys.map((path) => readFileSync(path, "utf8").trim());
    expect(values.length).toBeGreaterThan(0);
    for (const key of values)
      await fetch(`${url}/v1/files?x=${key}`, { headers: { authorization: `Bearer ${key}`, "x-odd": key } });
    await serve.stop();
    for (const key of values) {
      expect(said()).not.toContain(key);
      expect(filesBelow(data).filter((path) => !keys.includes(path) && readFileSync(path).includes(key))).toEqual([]);
    }
    for (const path of [...filesBelow(data), data]) expect([path, statSync(path).mode & 0o077]).toEqual([path, 0]);
  });

  test("is refused from a .mdmirror/key that is a symbolic link, wherever it leads", async () => {
    await rig.init();
    rig.remove(".mdmirror/key");
    symlinkSync(rig.keyFile, rig.path(".mdmirror/key"));
    const { code, err } = await rig.run(["sync", "w"]);
    expect([code, err[0]]).toEqual([2, expect.stringContaining(".mdmirror/key is a symbolic link")]);
  });
});
