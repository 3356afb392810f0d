import { unwrap } from "../../../src/common/trouble.ts";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import {
  DAEMON_NODE_OPTIONS,
  makeCronLine,
  makeUnit,
  type ServiceUnit,
  type UnitOptions,
} from "../../../src/mirror/daemon/autostart/service-unit.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

let dir: string;
beforeEach(() => {
  dir = temporaryFolder();
});

function unit(more: Partial<UnitOptions> = {}): ServiceUnit {
  return unwrap(
    makeUnit({
      manager: "systemd",
      root: "/home/ann/notes",
      home: "/home/ann",
      env: {},
      hasSystemdNotify: true,
      ...more,
    }),
  );
}

const HOSTILE = `/home/ann/my "no%tes" $HOME 'x' \\n & <b> ü {{ROOT}}`;

const environment = (env: UnitOptions["env"]) =>
  unit({ env })
    .text.split("\n")
    .filter((line) => line.startsWith("Environment="));

describe("a systemd unit", () => {
  test("has a watchdog, does not start again after a configuration fault, and waits for word", () => {
    const { text } = unit();
    for (const line of [
      "Type=notify",
      "NotifyAccess=all",
      "WatchdogSec=300",
      "Restart=on-failure",
      "RestartPreventExitStatus=2",
    ])
      expect(text.split("\n")).toContain(line);
    expect(text).not.toMatch(/\{\{/);
  });

  test.each(["systemd", "launchd"] as const)("of %s starts Node with the options for a daemon", (manager) => {
    const { text } = unit({ manager });
    const places = [process.execPath, ...DAEMON_NODE_OPTIONS, "entry.mjs", "watch"].map((word) => text.indexOf(word));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(spawnSync(process.execPath, [...DAEMON_NODE_OPTIONS, "-e", "0"]).status).toBe(0);
  });

  test("without systemd-notify it waits for no notice", () => {
    const lines = unit({ hasSystemdNotify: false }).text.split("\n");
    expect(lines).toContain("Type=exec");
    expect(lines.filter((line) => /Watchdog|Notify|notify/.test(line) && !line.startsWith("#"))).toEqual([]);
  });

  test("is named after its folder, the same each time, another for another folder of the same name", () => {
    expect(unit().name).toMatch(/^mdmirror-notes-[0-9a-f]{8}$/);
    expect(unit().name).toBe(unit().name);
    expect(unit({ root: "/home/bob/notes" }).name).not.toBe(unit().name);
    expect(unit({ root: "/home/ann/日本" }).name).toMatch(/^mdmirror-folder-/);
  });

  test.each([
    [{}, "/home/ann/.config/systemd/user/"],
    [{ XDG_CONFIG_HOME: "/cfg" }, "/cfg/systemd/user/"],
  ])("with the environment %j goes below %s", (env, folder) => {
    expect(dirname(unit({ env }).file)).toBe(folder.replace(/\/$/, ""));
  });

  test("keeps a hostile path one word of the command", () => {
    const line = unit({ root: HOSTILE })
      .text.split("\n")
      .find((one) => one.startsWith("ExecStart="))!;
    expect(line).toMatch(/^ExecStart=:"/);
    expect(line.endsWith(String.raw` "watch" "/home/ann/my \"no%%tes\" $HOME 'x' \\n & <b> ü {{ROOT}}"`)).toBe(true);
  });

  test("a path with a line feed is refused: it could add lines to the unit", () => {
    const made = makeUnit({
      manager: "systemd",
      root: "/a\n[Service]\nUser=root",
      home: "/",
      env: {},
      hasSystemdNotify: true,
    });
    expect(made).toMatchObject({ kind: "trouble", trouble: { kind: "usage" } });
  });

  test("passes the folders of the list of linked folders and of the hooks, each as one word, and nothing else", () => {
    expect(environment({ XDG_STATE_HOME: "/state", MDMIRROR_API_KEY: "mdm_x" })).toEqual([
      'Environment="XDG_STATE_HOME=/state"',
    ]);
    expect(environment({ XDG_CONFIG_HOME: "/cfg", XDG_STATE_HOME: "/state" })).toEqual([
      'Environment="XDG_STATE_HOME=/state"',
      'Environment="XDG_CONFIG_HOME=/cfg"',
    ]);
    expect(environment({ XDG_STATE_HOME: '/a "b" 100%' })).toEqual([
      String.raw`Environment="XDG_STATE_HOME=/a \"b\" 100%%"`,
    ]);
    expect([environment({}), environment({ XDG_STATE_HOME: "relative" })]).toEqual([[], []]);
    const env = { XDG_STATE_HOME: "/a\nUser=root" };
    expect(makeUnit({ manager: "systemd", root: "/a", home: "/", env, hasSystemdNotify: true }).kind).toBe("trouble");
  });

  const analyze = spawnSync("systemd-analyze", ["--version"]).status === 0;
  if (!analyze) console.log("skipped: systemd-analyze is not there, so no unit is verified by it");
  test.skipIf(!analyze).each([
    ["usual", "/home/ann/notes", true],
    ["hostile", HOSTILE, true],
    ["without systemd-notify", "/home/ann/notes", false],
  ])("is accepted by systemd-analyze: %s", (_name, root, hasSystemdNotify) => {
    const made = unit({ root, hasSystemdNotify, env: { XDG_STATE_HOME: root } });
    const file = join(dir, `${made.name}.service`);
    writeFileSync(file, made.text);
    mkdirSync(join(dir, "run"), { mode: 0o700 });
    const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--user", file], {
      encoding: "utf8",
      env: { ...process.env, XDG_RUNTIME_DIR: join(dir, "run") },
    });
    expect({ status, told: stderr.includes(made.name) ? stderr : "" }).toEqual({ status: 0, told: "" });
  });
});

test("a unit brings along the proxy and the authorities of this shell", () => {
  const network = { HTTPS_PROXY: "http://proxy:3128", NO_PROXY: "*.test", NODE_EXTRA_CA_CERTS: "/etc/ca 1.pem" };
  expect(environment({ ...network, HTTP_PROXY: "" })).toEqual([
    'Environment="HTTPS_PROXY=http://proxy:3128"',
    'Environment="NO_PROXY=*.test"',
    'Environment="NODE_EXTRA_CA_CERTS=/etc/ca 1.pem"',
  ]);
});

describe("a line for cron", () => {
  const line = (root: string, env: UnitOptions["env"] = {}) => {
    return unwrap(makeCronLine(root, env));
  };
  /**
   * Returns the words of a command as cron's shell reads them. cron removes the backslash before a
   * %.
   */
  const wordsOf = (text: string) => {
    const command = text.replace("*/5 * * * * ", "").replaceAll("\\%", "%");
    const argv = ["-c", `for word in ${command}; do printf '%s\\0' "$word"; done`];
    return spawnSync("/bin/sh", argv, { encoding: "utf8" }).stdout.split("\0").slice(0, -1);
  };

  test("names the Node that runs now and the program by their paths", () => {
    const [node, entry, ...rest] = wordsOf(line("/home/ann/notes"));
    expect([node, rest]).toEqual([process.execPath, ["sync", "--quiet", "/home/ann/notes"]]);
    expect(entry).toMatch(/^\/.*entry\.mjs$/);
  });

  test("keeps a hostile path one word, and brings the proxy along", () => {
    const words = wordsOf(line(HOSTILE, { HTTPS_PROXY: "http://a b%20c@proxy:1" }));
    expect([words[0], words.at(-1)]).toEqual(["HTTPS_PROXY=http://a b%20c@proxy:1", HOSTILE]);
    expect(line("/a%b")).not.toMatch(/[^\\]%/);
  });

  test("is refused for a path that would add a line", () => {
    expect(makeCronLine("/a\n* * * * * rm", {}).kind).toBe("trouble");
  });
});

describe("a launchd agent", () => {
  test("is XML, with a hostile path as one argument", () => {
    const { text, file } = unit({ manager: "launchd", root: HOSTILE, env: { XDG_STATE_HOME: HOSTILE } });
    expect(file).toMatch(/^\/home\/ann\/Library\/LaunchAgents\/mdmirror-.*\.plist$/);
    expect(text).toContain(`<string>/home/ann/my "no%tes" $HOME 'x' \\n &amp; &lt;b&gt; ü {{ROOT}}</string>`);
    const python = spawnSync(
      "python3",
      ["-c", "import plistlib,sys,json;print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))"],
      { input: text, encoding: "utf8" },
    );
    if (python.error !== undefined) return;
    const plist = JSON.parse(python.stdout) as { ProgramArguments: string[] };
    expect(plist).toMatchObject({ EnvironmentVariables: { XDG_STATE_HOME: HOSTILE } });
    expect(plist.ProgramArguments.slice(-2)).toEqual(["watch", HOSTILE]);
    expect(plist).toMatchObject({ KeepAlive: { SuccessfulExit: false } });
  });
});
