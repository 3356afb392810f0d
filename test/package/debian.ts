import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildDebian } from "../../scripts/build/debian.ts";
import { COMMANDS } from "../../src/cli/table.ts";
import { usualTmpdir } from "../memory-folder.ts";
import { CHECKOUT, manifest, type Packed } from "./installed.ts";

const canBuild = process.platform === "linux" && spawnSync("dpkg-deb", ["--version"]).status === 0;
const isRoot = process.getuid?.() === 0;

/** @param packed returns the npm package, which a hook of the test file makes */
export function describeDebian(packed: () => Packed): void {
  describe.skipIf(!canBuild)("the Debian package (skipped where dpkg-deb is missing)", () => {
    let dir: string;
    let system: string;
    let file: string;
    let env: NodeJS.ProcessEnv;

    beforeAll(() => {
      dir = mkdtempSync(join(usualTmpdir(), "mdmirror-debian-test-"));
      system = join(dir, "system");
      file = buildDebian({ root: CHECKOUT, out: dir, node: "system", fast: true, tarball: packed().tarball }).file;
      const bin = join(dir, "bin");
      for (const folder of [bin, join(dir, "home")]) mkdirSync(folder);
      // The Debian package depends on the system's Node.
      symlinkSync(process.execPath, join(bin, "node"));
      env = { PATH: `${bin}:/usr/sbin:/usr/bin:/sbin:/bin`, HOME: join(dir, "home") };
    });
    afterAll(() => rmSync(dir, { recursive: true, force: true }));

    /** Runs dpkg on a root folder `system` that has no other package. */
    function dpkg(...args: string[]) {
      const database = join(system, "var/lib/dpkg");
      for (const folder of ["info", "updates", "triggers"]) mkdirSync(join(database, folder), { recursive: true });
      if (!existsSync(join(database, "status"))) writeFileSync(join(database, "status"), "");
      const ended = spawnSync("dpkg", [`--root=${system}`, "--force-depends", "--log=/dev/null", ...args], {
        encoding: "utf8",
        env,
      });
      expect(ended.stderr.replace(/^dpkg: mdmirror: dependency problems[\s\S]*?\n\n/m, "")).toBe("");
      expect(ended.status).toBe(0);
    }

    function mdmirror(...args: string[]) {
      const { status, stdout, stderr } = spawnSync(join(system, "usr/bin/mdmirror"), args, { encoding: "utf8", env });
      return { code: status, out: stdout, err: stderr };
    }

    test("says what it is and what it needs", () => {
      const field = (name: string) => spawnSync("dpkg-deb", ["-f", file, name], { encoding: "utf8" }).stdout.trim();
      expect([field("Package"), field("Version")]).toEqual(["mdmirror", manifest().version]);
      expect(field("Depends")).toContain("nodejs (>= 22.22)");
      expect(field("Architecture")).toMatch(/^(amd64|arm64)$/);
    });

    test.skipIf(!isRoot)("is installed, runs, and is removed without a trace (skipped: only root installs)", () => {
      dpkg("--install", file);
      expect(mdmirror("--version")).toEqual({ code: 0, out: `${manifest().version}\n`, err: "" });
      // The command creates and reads a state file, so the native library of SQLite is installed.
      const folder = join(dir, "no mirror");
      mkdirSync(folder);
      expect(mdmirror("status", folder)).toMatchObject({ code: 2, err: expect.stringContaining("mdmirror init") });
      const merged = join(dir, "text.md");
      writeFileSync(merged, "text\n");
      expect(mdmirror("merge", merged, merged, merged, "--print")).toMatchObject({ code: 0, out: "text\n" });

      const pages = readdirSync(join(system, "usr/share/man/man1"));
      expect(pages).toHaveLength(COMMANDS.length + 1);
      expect(gunzipSync(readFileSync(join(system, "usr/share/man/man1/mdmirror.1.gz"))).toString()).toContain(
        ".SH NAME",
      );
      const completion = join(system, "usr/share/bash-completion/completions/mdmirror");
      expect(readFileSync(completion, "utf8")).toBe(mdmirror("completion", "bash").out);

      const unit = readFileSync(join(system, "usr/lib/systemd/user/mdmirror.service"), "utf8");
      expect(unit).toContain("ExecStart=:/usr/bin/mdmirror watch --all\n");
      expect(unit).not.toContain("{{");

      dpkg("--purge", "mdmirror");
      for (const place of ["usr/bin/mdmirror", "usr/lib/mdmirror", "usr/share/man", "usr/share/doc/mdmirror"])
        expect(existsSync(join(system, place))).toBe(false);
    });

    test("has each dependency of the lock file, and no others", () => {
      const listed = spawnSync("dpkg-deb", ["-c", file], { encoding: "utf8", maxBuffer: 1e8 }).stdout;
      for (const name of Object.keys(manifest().dependencies))
        expect(listed).toContain(`./usr/lib/mdmirror/node_modules/${name}/package.json`);
      expect(listed).not.toMatch(/node_modules\/(vitest|typescript|node)\//);
      expect(listed.match(/\.node$/gm)).toHaveLength(1);
      expect(listed).not.toMatch(/^[^d]\S*[^r]-x /m);
    });
  });
}
