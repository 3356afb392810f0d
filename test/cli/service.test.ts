import { execFile } from "node:child_process";
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { keptCompiled } from "../program.ts";
import { useRigOfFile } from "./rig.ts";

/**
 * `systemctl` is a script that records its arguments. `fails` makes it fail like a session without
 * a service manager.
 */
const rig = useRigOfFile();
let calls: string;
let fails: string;

beforeAll(async () => {
  expect((await rig.init()).code).toBe(0);
  calls = join(rig.dir, "calls");
  fails = join(rig.dir, "fails");
  const script = `#!/bin/sh
echo "$* key=$MDMIRROR_API_KEY" >> '${calls}'
[ -e '${fails}' ] && { echo 'Failed to connect to bus' >&2; exit 1; }
[ "$2" = is-active ] && { echo inactive; exit 3; }
exit 0
`;
  for (const [name, text] of [
    ["systemctl", script],
    ["systemd-notify", "#!/bin/sh\n"],
  ] as const) {
    writeFileSync(join(rig.dir, name), text);
    chmodSync(join(rig.dir, name), 0o755);
  }
});
beforeEach(() => {
  rmSync(calls, { force: true });
  rmSync(fails, { force: true });
});

const env = () => ({
  PATH: `${rig.dir}:/usr/bin:/bin`,
  XDG_CONFIG_HOME: join(rig.dir, "cfg"),
  MDMIRROR_API_KEY: "mdm_from_the_shell",
});
const run = (...argv: string[]) => rig.run(["service", ...argv], { env: env() });
const asked = () => (existsSync(calls) ? readFileSync(calls, "utf8").trimEnd().split("\n") : []);

/**
 * Runs a command in the environment of cron. Returns its error, standard output and standard error.
 */
function runAsCron(command: string): Promise<readonly unknown[]> {
  const options = { env: { ...keptCompiled(), PATH: "/usr/bin:/bin", HOME: join(rig.dir, "home") } };
  return new Promise((resolve) => {
    execFile("/bin/sh", ["-c", command], options, (...ended) => resolve(ended));
  });
}

describe.skipIf(process.platform !== "linux")("service (needs Linux)", () => {
  test("print --for cron shows a line that syncs where PATH has no Node", async () => {
    const { code, out } = await run("print", "w", "--for", "cron");
    expect([code, out.length]).toEqual([0, 1]);
    const command = out[0]!.replace("*/5 * * * * ", "").replaceAll("\\%", "%");
    rig.write("from-cron.md", "text\n");
    expect(await runAsCron(command)).toEqual([null, "", ""]);
    expect(rig.remote("from-cron.md")?.content).toBe("text\n");
  });

  test("install writes the unit, starts it, and twice is once; uninstall takes it away", async () => {
    const first = await run("install", "w");
    expect(first.code).toBe(0);
    const file = first.out[0]!.replace("installed ", "");
    const name = /(mdmirror-w-[0-9a-f]{8})\.service$/.exec(file)![1]!;
    expect(asked()).toEqual([
      "--user daemon-reload key=",
      `--user enable ${name}.service key=`,
      `--user restart ${name}.service key=`,
    ]);
    expect(readFileSync(file, "utf8")).not.toContain(rig.key);
    expect(await run("install", "w")).toEqual(first);

    const status = await run("status", "w");
    expect(status).toMatchObject({ code: 3, out: [`systemd: ${file}`, "state: inactive", "daemon: not running"] });

    rmSync(calls);
    expect(await run("uninstall", "w")).toMatchObject({ code: 0, out: [`removed ${file}`] });
    expect(existsSync(file)).toBe(false);
    expect(asked()).toEqual([`--user disable --now ${name}.service key=`, "--user daemon-reload key="]);
    expect((await run("uninstall", "w")).out).toEqual(["no background service is installed for this folder"]);
  });

  test("install in a session without a manager leaves the unit and says how to start it", async () => {
    writeFileSync(fails, "");
    const { code, out, err } = await run("install", "w");
    expect([code, existsSync(out[0]!.replace("installed ", ""))]).toEqual([3, true]);
    expect(err.join("\n")).toMatch(
      /the daemon was not started: .*Failed to connect to bus[\s\S]*next: .*systemctl --user enable --now mdmirror-w-/,
    );
    expect((await run("status", "w")).out[1]).toBe("state: unknown: the service manager does not answer this process");
    await run("uninstall", "w");
  });

  test("install refuses where the service would have no key: the shell's is not the service's", async () => {
    const key = rig.path(".mdmirror/key");
    const text = readFileSync(key, "utf8");
    rmSync(key);
    const { code, err } = await run("install", "w");
    expect([code, err.join(" ")]).toEqual([2, expect.stringContaining("store it first: mdmirror init")]);
    expect(asked()).toEqual([]);
    writeFileSync(key, text, { mode: 0o600 });
  });

  test("install --all takes the place of the services of single folders, which then are not installed again", async () => {
    const one = (await run("install", "w")).out[0]!.replace("installed ", "");
    const all = await run("install", "--all");
    const file = join(rig.dir, "cfg/systemd/user/mdmirror-all.service");
    expect(all).toMatchObject({ code: 0, err: [] });
    expect(all.out.slice(0, 2)).toEqual([
      `removed ${one}: the background service for all linked folders replaces it`,
      `installed ${file}`,
    ]);
    expect([existsSync(one), asked().slice(-1)]).toEqual([false, ["--user restart mdmirror-all.service key="]]);
    expect((await run("install", "w")).out).toEqual([
      `the background service for all linked folders already syncs it: ${file}`,
    ]);
    expect((await run("status", "--all")).out.slice(0, 2)).toEqual([`systemd: ${file}`, "state: inactive"]);
    expect((await run("uninstall", "--all")).out).toEqual([`removed ${file}`]);
    expect((await run("uninstall", "--all")).out).toEqual([
      "no background service is installed for all linked folders",
    ]);
    expect(await run("install", "w", "--all")).toMatchObject({ code: 2 });
  });

  test("mv takes a folder's service along, unlink takes it away", async () => {
    await run("install", "w");
    const stored = { ...env(), MDMIRROR_API_KEY: "" };
    const moved = await rig.run(["mv", "w", "elsewhere"], { env: stored });
    const [gone, made] = [moved.out[0]!.replace("removed ", ""), moved.out[1]!.replace("installed ", "")];
    expect([moved.code, existsSync(gone), existsSync(made)]).toEqual([0, false, true]);
    expect(readFileSync(made, "utf8")).toContain(join(rig.dir, "elsewhere"));
    expect((await rig.run(["mv", "elsewhere", "w"], { env: stored })).code).toBe(0);
    const unlinked = await rig.run(["unlink", "w"], { env: stored });
    expect([unlinked.code, existsSync(gone)]).toEqual([0, false]);
    expect((await rig.init()).code).toBe(0);
  });
});
