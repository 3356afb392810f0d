import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { DEFAULT_CONFIG, writeConfig } from "../../src/mirror/settings/config.ts";
import { storeKey } from "../../src/mirror/settings/key.ts";
import { writeSocketPath } from "../../src/mirror/daemon/control/socket-path.ts";
import { openLog } from "../../src/mirror/folder/log.ts";
import { OWN_ENTRIES } from "../../src/mirror/model/mirror-folder.ts";
import { setAsideDamaged } from "../../src/mirror/state/damage.ts";
import { acquireLock } from "../../src/mirror/state/lock.ts";
import { openState } from "../../src/mirror/state/open.ts";
import { openSearch } from "../../src/mirror/state/search.ts";
import { useRig } from "../cli/rig.ts";
import { doNothing, SLEEPLESS_CLOCK } from "../simulator/quiet-ports.ts";
import { ROWS } from "./foreign-rows.ts";
import { readOwnFile, statOwnFile, withOwnFolderOpen } from "../../src/mirror/state/own-files.ts";
import { UnsafePathError } from "../../src/common/ownership.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** An attacker may have put links into `.mdmirror/`, so mdmirror touches nothing behind a link. */
describe("I26 a symbolic link in the folder of mdmirror itself", () => {
  const VICTIM = "# precious\n";

  const rig = useRig();
  beforeEach(async () => {
    rig.write("a.md", "one\n");
    expect((await rig.init()).code).toBe(0);
  });

  const own = (name = "") => join(rig.root, ".mdmirror", name);

  /** Commands that stand for all others in cases where the link's target matters less. */
  const WRITERS: ReadonlySet<string> = new Set(["init", "sync", "watch", "search", "status"]);
  /** Commands without a linked folder. */
  const ELSEWHERE: ReadonlySet<string> = new Set([
    "serve",
    "serve-admin",
    "serve-backup",
    "serve-restore",
    "conformance",
    "list",
    "merge",
    "hooks",
    "completion",
  ]);

  type Plant = "to a file" | "to a folder" | "to nothing";

  /**
   * Puts a link into `.mdmirror/` in place of a file.
   * @returns what restores the file, and the victims as they are now
   */
  function plant(name: string, to: Plant) {
    const path = name === "" ? rig.path(".mdmirror") : own(name);
    const victims = join(rig.dir, "victims");
    rmSync(victims, { recursive: true, force: true });
    mkdirSync(join(victims, "folder"), { recursive: true });
    for (const file of ["file", "folder/mdmirror.log", "folder/state.db"]) writeFileSync(join(victims, file), VICTIM);
    for (const file of ["file", "folder/mdmirror.log"]) chmodSync(join(victims, file), 0o644);
    const madeParent = !existsSync(dirname(path));
    if (madeParent) mkdirSync(dirname(path), { mode: 0o700 });
    const stood = existsSync(path);
    if (stood) renameSync(path, `${rig.dir}/stood`);
    symlinkSync(join(victims, to === "to a file" ? "file" : to === "to a folder" ? "folder" : "nothing"), path);
    const before = victimsNow();
    return {
      before,
      takeBack() {
        rmSync(path, { recursive: true, force: true });
        if (stood) renameSync(`${rig.dir}/stood`, path);
        if (madeParent) rmSync(dirname(path), { recursive: true, force: true });
      },
    };
  }

  /** Returns bytes, mode and times of all victims, and which of them are missing. */
  function victimsNow(): string[] {
    const victims = join(rig.dir, "victims");
    return ["", ...readdirSync(victims, { recursive: true, encoding: "utf8" }).toSorted()].map((path) => {
      const stat = lstatSync(join(victims, path), { bigint: true });
      const bytes = stat.isFile() ? readFileSync(join(victims, path), "utf8") : "";
      return `${path} ${stat.mode} ${stat.uid} ${stat.mtimeNs} ${stat.nlink} ${bytes}`;
    });
  }

  const KINDS: readonly Plant[] = ["to a file", "to a folder", "to nothing"];

  /**
   * Functions that open a file. Each is tested alone, because a link may appear after the first
   * check of a command.
   */
  const OPENERS: Readonly<Record<string, { readonly uses: RegExp; readonly open: () => unknown }>> = {
    "the key": { uses: /^key/, open: () => storeKey(own(), "mdm_a_key") },
    "the configuration": {
      uses: /^config/,
      open: () => writeConfig(own(), { ...DEFAULT_CONFIG, url: "http://127.0.0.1:9" }),
    },
    "the daemon's place": {
      uses: /^daemon/,
      open: () => writeSocketPath(own(), { socket: "/run/x", pid: 1, since: 1 }),
    },
    "the lock": {
      uses: /^lock/,
      open: () => {
        const lock = acquireLock(own(), { since: 1, what: "test" });
        if (lock.kind === "locked") lock.release();
      },
    },
    "the state": {
      uses: /^(state|texts)/,
      open: () => closeAgain(openState({ folder: own(), clock: SLEEPLESS_CLOCK })),
    },
    "the state, to read": {
      uses: /^(state|texts)/,
      open: () => closeAgain(openState({ folder: own(), clock: SLEEPLESS_CLOCK, readOnly: true })),
    },
    "the index": {
      uses: /^search/,
      open: () => {
        const opened = openSearch(own());
        if (opened.kind === "opened") opened.search.close();
      },
    },
    "the log": {
      uses: /^log/,
      open: () => {
        const log = openLog({
          folder: own(),
          clock: SLEEPLESS_CLOCK,
          secret: "no",
          debug: false,
          maxBytes: 100,
          onFault: doNothing,
        });
        for (let line = 0; line < 10; line++) log.write("info", "run", { count: line });
      },
    },
    "a damaged file": { uses: /^(damaged|state|tmp)/, open: () => setAsideDamaged(own(), "state.db", "2026") },
  };

  /** A command line for each command that needs a linked folder. */
  const LINES = Object.entries(ROWS).flatMap(([command, [row]]) =>
    ELSEWHERE.has(command) ? [] : [{ command, argv: row!.argv }],
  );

  test.each(KINDS)(
    "%s, under any name: every command says which, exit 2, and touches nothing behind it",
    async (to) => {
      const stop = AbortSignal.abort();
      const wrong: string[] = [];
      for (const name of ["", ...OWN_ENTRIES.keys()]) {
        // If `.mdmirror` is a link to nothing or to a file, the folder is no linked folder, so no
        // command finds it.
        if (name === "" && to !== "to a folder") continue;
        const planted = plant(name, to);
        for (const { command, argv } of LINES) {
          if (to !== "to a file" && !WRITERS.has(command)) continue;
          const cwd = command === "undo" ? rig.root : rig.dir;
          const { code, err } = await rig.run(argv, { cwd, stop, terminal: false });
          const message = err[0] ?? "";
          const says =
            message.includes(name === "" ? "/.mdmirror " : `/.mdmirror/${name} `) && message.includes("symbolic link");
          if (code !== 2 || !says || err[1] === undefined) wrong.push(`${command}, ${name}: ${code} ${message}`);
        }
        if (victimsNow().join() !== planted.before.join()) wrong.push(`${name}: ${victimsNow().join()}`);
        planted.takeBack();
      }
      expect(wrong).toEqual([]);
      // The linked folder still works after all these attempts.
      expect((await rig.run(["sync", "w"])).code).toBe(0);
    },
  );

  test.each(Object.keys(OPENERS))("%s: nothing behind a link is touched that came after the first check", (opener) => {
    const { uses, open } = OPENERS[opener]!;
    const wrong: string[] = [];
    const names = ["", ...[...OWN_ENTRIES.keys()].filter((name) => uses.test(name))];
    expect(names.length).toBeGreaterThan(1);
    for (const [name, to] of names.flatMap((one) => KINDS.map((kind) => [one, kind] as const))) {
      const planted = plant(name, to);
      try {
        open();
      } catch (error) {
        // Either mdmirror refuses, or the system reports an error.
        if ((error as { code?: unknown }).code === undefined) throw error;
      }
      if (victimsNow().join() !== planted.before.join()) wrong.push(`${name} ${to}: ${victimsNow().join()}`);
      planted.takeBack();
    }
    expect(wrong).toEqual([]);
  });

  function closeAgain(opened: ReturnType<typeof openState>): void {
    if (opened.kind === "opened") opened.state.close();
  }
});

function ground() {
  const root = temporaryFolder();
  const [folder, other] = [join(root, ".mdmirror"), join(root, "other")];
  for (const [at, text] of [
    [folder, "own"],
    [other, "another's"],
  ] as const) {
    mkdirSync(at, { mode: 0o700 });
    writeFileSync(join(at, "key"), text, { mode: 0o600 });
  }
  return { root, folder, other };
}

const textOf = (folder: string) => readOwnFile(folder, "key")?.bytes.toString();

test.skipIf(process.platform !== "linux")(
  "I30 an open folder stays the same folder, whatever is at its path later (needs Linux)",
  () => {
    const { root, folder, other } = ground();
    const read = withOwnFolderOpen(folder, () => {
      renameSync(folder, join(root, "away"));
      symlinkSync(other, folder);
      return [textOf(folder), statOwnFile(folder, "key", "file")?.size];
    });
    expect(read).toEqual(["own", 3]);
    expect(() => textOf(folder)).toThrow(UnsafePathError);
    expect(() => withOwnFolderOpen(folder, () => 1)).toThrow(UnsafePathError);
  },
);

test("open folders are closed, also after an exception, and a nested use has the same folder", () => {
  const { folder, other } = ground();
  const fails = () => {
    throw new Error("no");
  };
  expect(() => withOwnFolderOpen(folder, fails)).toThrow("no");
  renameSync(folder, `${folder}-before`);
  renameSync(other, folder);
  expect(textOf(folder)).toBe("another's");
  const twice = withOwnFolderOpen(folder, () => [withOwnFolderOpen(folder, () => textOf(folder)), textOf(folder)]);
  expect(twice).toEqual(["another's", "another's"]);
});

test("without a folder nothing is kept open, and each check reports that", () => {
  const { root } = ground();
  const missing = join(root, "missing", ".mdmirror");
  expect(withOwnFolderOpen(missing, () => statOwnFile(missing, "key", "file"))).toBeNull();
});
