import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { openData } from "../../src/service/data.ts";
import { useRig } from "./rig.ts";
import { ENTRY, keptCompiled } from "../program.ts";

const rig = useRig();
beforeEach(async () => {
  rig.createRemotely("a.md", "a\n");
});

const at = (name: string) => join(rig.dir, name);
const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;
/** A user id that no user database has. */
const NO_HOME = 54_321;
const AS_NOBODY = { uid: NOBODY, gid: NOBODY } as const;
const BY_SUDO = { SUDO_UID: String(NOBODY), SUDO_GID: String(NOBODY) };

describe("a folder of another user", () => {
  test.skipIf(!isRoot)("is refused by every command that names it (needs root)", async () => {
    await rig.init();
    chownSync(rig.root, NOBODY, NOBODY);
    for (const argv of [
      ["sync"],
      ["status"],
      ["log"],
      ["trust", "--yes"],
      ["init", "--url", rig.url],
      ["search", "a"],
    ]) {
      const [name, ...more] = argv;
      const { code, err } = await rig.run(name === "search" ? ["search", "a", "w"] : [name!, "w", ...more]);
      expect([argv, code, err[0]]).toEqual([
        argv,
        2,
        expect.stringContaining(`belongs to user ${NOBODY}, and this process is user 0`),
      ]);
    }
    mkdirSync(at("theirs"));
    chownSync(at("theirs"), NOBODY, NOBODY);
    expect((await rig.link("theirs")).code).toBe(2);
  });

  test.skipIf(!isRoot)("is refused through a symbolic link of this user (needs root)", async () => {
    await rig.init();
    chownSync(rig.root, NOBODY, NOBODY);
    symlinkSync(rig.root, at("link"));
    for (const argv of [["status"], ["pause"], ["unlink", "--force"], ["config", "list"]]) {
      const { code, err } = await rig.run([...argv, "link"]);
      expect([argv, code, err.join("\n")]).toEqual([argv, 2, expect.stringContaining(`belongs to user ${NOBODY}`)]);
    }
  });

  test.skipIf(!isRoot)("above the working folder is skipped, and prevents no init (needs root)", async () => {
    await rig.init();
    mkdirSync(rig.path("below"));
    chownSync(rig.path(".mdmirror"), NOBODY, NOBODY);
    const cwd = rig.path("below");
    expect((await rig.run(["status"], { cwd })).code).toBe(2);
    const linked = await rig.run(["init", "--url", rig.url, "--key-file", rig.keyFile, "--yes"], { cwd });
    expect([linked.code, (await rig.run(["status"], { cwd })).code]).toEqual([0, 0]);
  });

  test.skipIf(!isRoot)("who called sudo is worked on as that user, as one line says (needs root)", async () => {
    await rig.init();
    for (const path of ["", ".mdmirror"]) chownSync(rig.path(path), NOBODY, NOBODY);
    const env = BY_SUDO;
    // The rig only records that a command changes to the caller of `sudo`.
    vi.stubEnv("SUDO_UID", String(NOBODY));
    onTestFinished(() => void vi.unstubAllEnvs());
    const { err } = await rig.run(["status", "w"], { env });
    expect(err).toEqual([
      `mdmirror: ${rig.root} belongs to the user who called sudo; working as that user (uid ${NOBODY})`,
    ]);
    expect(rig.became).toEqual([{ uid: NOBODY, gid: NOBODY }]);
    expect((await rig.run(["status", "w"], { env: { SUDO_UID: "1234", SUDO_GID: "1234" } })).code).toBe(2);
  });

  /** True if that user can run the program in this checkout. */
  const reaches =
    isRoot && spawnSync(process.execPath, ["-e", `fs.accessSync(${JSON.stringify(ENTRY)})`], AS_NOBODY).status === 0;
  test.skipIf(!reaches)("who called sudo owns all that a process then creates (needs root)", async () => {
    mkdirSync(rig.stateHome);
    for (const path of [rig.dir, rig.stateHome]) chownSync(path, NOBODY, NOBODY);
    const env = {
      ...keptCompiled(),
      PATH: process.env["PATH"],
      XDG_STATE_HOME: rig.stateHome,
      HOME: rig.dir,
      ...BY_SUDO,
    };
    const args = ["init", rig.root, "--url", rig.url, "--key-file", rig.keyFile, "--yes"];
    const child = spawn(process.execPath, [ENTRY, ...args], { env, stdio: ["ignore", "ignore", "pipe"] });
    const said: Buffer[] = [];
    child.stderr.on("data", (chunk: Buffer) => said.push(chunk));
    const [code] = (await once(child, "close")) as [number];
    expect([code, Buffer.concat(said).toString()]).toEqual([0, expect.stringContaining(`(uid ${NOBODY})`)]);
    const made = [rig.root, rig.stateHome].flatMap((folder) =>
      ["", ...readdirSync(folder, { recursive: true, encoding: "utf8" })].map((name) => join(folder, name)),
    );
    expect(made).toEqual(expect.arrayContaining([rig.path("a.md"), rig.path(".mdmirror/state.db")]));
    expect(made.filter((path) => lstatSync(path).uid !== NOBODY)).toEqual([]);
  });

  test.skipIf(!reaches)("that is a service's is not served, with a next step (needs root)", async () => {
    const data = at("data");
    await (await openData(data)).close();
    chmodSync(rig.dir, 0o755);
    const env = { ...keptCompiled(), PATH: process.env["PATH"], HOME: rig.dir };
    const args = [ENTRY, "serve", "--data", data, "--port", "0"];
    const { status, stderr } = spawnSync(process.execPath, args, { ...AS_NOBODY, env, timeout: 20_000 });
    expect(stderr.toString().split("\n")).toEqual([
      expect.stringContaining("(EACCES)"),
      expect.stringMatching(/^ {2}next: /),
      "",
    ]);
    expect(status).toBe(2);
  });

  test.skipIf(!reaches)("a user without a home folder reads what to set (needs root)", async () => {
    chmodSync(rig.dir, 0o777);
    const env = { ...keptCompiled(), PATH: process.env["PATH"], MDMIRROR_API_KEY: rig.key };
    const args = [ENTRY, "init", rig.root, "--url", rig.url, "--yes"];
    const child = spawn(process.execPath, args, {
      uid: NO_HOME,
      gid: NO_HOME,
      env,
      stdio: ["ignore", "ignore", "pipe"],
    });
    const [[code], err] = await Promise.all([once(child, "close"), text(child.stderr)]);
    expect([code, err]).toEqual([2, expect.stringContaining("XDG_STATE_HOME")]);
  });
});
