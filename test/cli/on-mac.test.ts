import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ENTRY, keptCompiled, type Running } from "../program.ts";
import { type Installed, run, start } from "../package/installed.ts";

/**
 * The whole command line in processes whose platform is changed to macOS: no `/proc`, no tool of
 * Linux on the PATH, no runtime folder. LIMIT: the tests do not run on a real Mac.
 */

/** Records each call about `/proc`, and lets it fail as if `/proc` did not exist. */
const PRELOAD = `
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
const { platform } = process;
// SQLite's binary is chosen by platform, and the one for macOS is not installed.
const isBinary = () => /node_modules[/]better-sqlite3/.test(new Error().stack);
Object.defineProperty(process, "platform", { get: () => (isBinary() ? platform : process.env.TEST_PLATFORM) });
const { appendFileSync } = fs;
const hidden = (name, path) => {
  if (!/^\\/proc(?:\\/|$)/.test(String(path)) || isBinary()) return null;
  appendFileSync(process.env.TEST_ASKED, "file " + path + "\\n");
  const text = "ENOENT: no such file or directory, " + name + " '" + path + "'";
  return Object.assign(new Error(text), { code: "ENOENT", errno: -2, syscall: name, path });
};
for (const name of Object.keys(fs).filter((one) => one.endsWith("Sync"))) {
  const real = fs[name];
  fs[name] = Object.assign((path, ...rest) => {
    const error = hidden(name, path);
    if (error === null) return real(path, ...rest);
    if (name === "existsSync") return false;
    if (rest[0]?.throwIfNoEntry === false) return undefined;
    throw error;
  }, real);
}
syncBuiltinESMExports();
`;

const LINUX_TOOLS = ["systemctl", "systemd-notify", "notify-send", "secret-tool", "sync"];

let dir: string;
let asked: string;
let service: Running | undefined;
let url: string;
let mac: Installed;

const at = (name: string): string => join(dir, name);
const here = (...path: string[]): string => join(dir, "notes", ...path);
const askedFor = (): string[] => (existsSync(asked) ? readFileSync(asked, "utf8").trimEnd().split("\n") : []);

/** Installs a script that records its arguments. */
function plant(name: string, then = ""): void {
  const file = join(dir, "bin", name);
  writeFileSync(file, `#!/bin/sh\necho "${name} $*" >> '${asked}'\n${then}\n`);
  chmodSync(file, 0o755);
}

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "mdm-mac-"));
  asked = at("asked");
  for (const folder of ["bin", "home", "T"]) mkdirSync(at(folder));
  for (const tool of [...LINUX_TOOLS, "launchctl"]) plant(tool);
  const command = at("mdmirror");
  const preload = `data:text/javascript,${encodeURIComponent(PRELOAD)}`;
  writeFileSync(
    command,
    `#!/bin/sh\nexec '${process.execPath}' --import '${preload.replaceAll("'", "%27")}' '${ENTRY}' "$@"\n`,
  );
  chmodSync(command, 0o755);
  const env = {
    ...keptCompiled(),
    PATH: at("bin"),
    HOME: at("home"),
    TMPDIR: at("T"),
    MDMIRROR_NOTIFY: "off",
    TEST_PLATFORM: "darwin",
    TEST_ASKED: asked,
  };
  mac = { by: "linked", said: "", folder: dir, command, env, dir };
  service = start(mac, "serve", "--data", at("service"), "--port", "0");
  url = (await service.line((line) => line.startsWith("serving "))).slice("serving ".length);
  const linked = run(mac, "init", here(), "--url", url, "--key-file", join(at("service"), "key"), "--yes");
  expect(linked).toMatchObject({ code: 0, err: "" });
});
afterAll(async () => {
  if (service?.child.exitCode === null) await service.stop();
  rmSync(dir, { recursive: true, force: true });
});
beforeEach(() => rmSync(asked, { force: true }));

test("sync, status and doctor work, and ask for no tool of Linux", () => {
  writeFileSync(here("plan.md"), "# Plan\n");
  expect(run(mac, "sync", here())).toMatchObject({ code: 0, err: "" });
  expect(run(mac, "status", here())).toMatchObject({ code: 0, out: expect.stringContaining("In sync: last sync") });
  const doctor = run(mac, "doctor", here(), "--json");
  expect(doctor.code).toBe(0);
  expect(doctor.out).not.toContain("inotify");
  // Because this file is missing, doctor concludes that the system has no such limit.
  expect(askedFor()).toEqual(["file /proc/sys/fs/inotify/max_user_watches"]);
});

test("watch hears a save by one watch of the tree, and sync beside it reaches it by a socket in TMPDIR", async () => {
  const watching = start(mac, "watch", here(), "--json");
  await watching.line((line) => line.includes('"kind":"run"'));
  const place = at(`T/mdmirror-${process.getuid!()}`);
  expect(lstatSync(place).mode & 0o777).toBe(0o700);
  expect(readdirSync(place)).toEqual([expect.stringMatching(/^[0-9a-f]{12}\.sock$/)]);
  mkdirSync(here("deep/er"), { recursive: true });
  writeFileSync(here("deep/er/new.md"), "new\n");
  await watching.line((line) => line.includes('"kind":"change"') && line.includes("deep/er/new.md"));
  appendFileSync(here("plan.md"), "- more\n");
  expect(run(mac, "sync", here())).toMatchObject({ code: 0, err: "" });
  expect(await watching.stop()).toBe(0);
  expect(readdirSync(place)).toEqual([]);
  expect(askedFor()).toEqual([]);
});

test("service shows the agent of launchd, installs it by launchctl, and takes it away", () => {
  const printed = run(mac, "service", "print", here());
  expect(printed).toMatchObject({ code: 0, err: "" });
  expect(printed.out).toContain("<key>ProgramArguments</key>");
  expect(run(mac, "service", "print", here(), "--for", "launchd").out).toBe(printed.out);
  const agents = at("home/Library/LaunchAgents");
  expect(run(mac, "service", "install", here()).code).toBe(0);
  const [file] = readdirSync(agents);
  const domain = `gui/${process.getuid!()}`;
  expect(readFileSync(join(agents, file!), "utf8")).toBe(printed.out);
  expect(askedFor()).toEqual([
    `launchctl bootout ${domain}/${file!.replace(".plist", "")}`,
    `launchctl bootstrap ${domain} ${join(agents, file!)}`,
  ]);
  expect(run(mac, "service", "uninstall", here()).code).toBe(0);
  expect(readdirSync(agents)).toEqual([]);
});

test("the key comes from the keychain of the Mac; without its tool it is said where a key may be", () => {
  const key = readFileSync(here(".mdmirror/key"), "utf8");
  rmSync(here(".mdmirror/key"));
  expect(run(mac, "sync", here())).toMatchObject({ code: 2, err: expect.stringContaining("--key-file") });
  plant("security", `printf %s '${key.trim()}'`);
  expect(run(mac, "sync", here())).toMatchObject({ code: 0, err: "" });
  expect(askedFor()).toEqual([`security find-generic-password -s mdmirror -a ${url} -w`]);
});
