import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { swapBlock } from "../simulator/runs/user-folder.ts";
import { useRig } from "./rig.ts";
import { snapshot } from "../temporary-folder.ts";
import { openState } from "../../src/mirror/state/open.ts";
import { SLEEPLESS_CLOCK } from "../simulator/quiet-ports.ts";

const rig = useRig();

const given = () => ["--url", rig.url, "--key-file", rig.keyFile];

const conflictCopies = () => readdirSync(rig.root).filter((name) => name.endsWith(" (theirs).md")).length;

describe("init", () => {
  test("shows the first plan, links the folder, makes the first sync and says how to go on", async () => {
    rig.createRemotely("a.md", "a\n");
    rig.createRemotely("sub/b.md", "b\n");
    const { code, out, err } = await rig.run(["init", "w", ...given()]);
    expect({ code, err }).toEqual({ code: 0, err: [] });
    expect(out.map((line) => line.replace(/\(\d+\.\d s\)/, "(T)"))).toEqual([
      `the first sync of ${rig.root}:`,
      "  ← create locally: 2",
      "    a.md  (new on the service)",
      "    sub/b.md  (new on the service)",
      "  ← create folder locally: 1",
      "    sub  (new on the service)",
      `linked ${rig.root} to ${rig.url}`,
      "Synced: 2 created locally (T)",
      "next: edit in any editor, then run: mdmirror sync (from cron: mdmirror service print DIR --for cron)",
    ]);
    expect(rig.read("sub/b.md")).toBe("b\n");
  });

  test("makes .mdmirror for its owner alone: marker, config, key, and a .gitignore of everything", async () => {
    await rig.init();
    const folder = rig.path(".mdmirror");
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, "key")).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe("*\n");
    expect(JSON.parse(readFileSync(join(folder, "config.json"), "utf8"))).toMatchObject({
      url: rig.url,
      remote: "",
      names: "map",
    });
    expect(readFileSync(join(folder, "marker"), "utf8")).toMatch(/^[0-9a-f]{32}\n$/);
  });

  test("--no-store-key keeps the key out of the folder; cron then needs it from elsewhere", async () => {
    expect((await rig.init("--no-store-key")).code).toBe(0);
    expect(rig.exists(".mdmirror/key")).toBe(false);
    expect((await rig.run(["sync", "w"])).err[0]).toBe("mdmirror: there is no API key");
    const env = { MDMIRROR_API_KEY: rig.key };
    expect((await rig.run(["sync", "w"], { env })).code).toBe(0);
  });

  test("without a terminal it asks for --yes when it would do more than fill an empty folder", async () => {
    mkdirSync(rig.root);
    rig.write("mine.md", "mine\n");
    const { code } = await rig.run(["init", "w", ...given()]);
    expect(code).toBe(2);
    expect(readdirSync(rig.root)).toEqual(["mine.md"]);
    expect(rig.remote("mine.md")).toBe(null);
  });

  test("on a terminal it asks; no means that nothing is written, not even the folder", async () => {
    rig.createRemotely("a.md", "a\n");
    const no = await rig.run(["init", "w", ...given()], { terminal: true, answers: ["no"] });
    expect([no.code, no.asked, existsSync(rig.root)]).toEqual([2, ["link the folder and sync now? [y/N] "], false]);
    expect((await rig.run(["init", "w", ...given()], { terminal: true, answers: [] })).code).toBe(2);
    const yes = await rig.run(["init", "w", ...given()], { terminal: true, answers: ["y"] });
    expect([yes.code, rig.read("a.md")]).toEqual([0, "a\n"]);
  });

  test("I05 deletes and overwrites nothing if both sides have content", async () => {
    rig.createRemotely("same.md", "same\n");
    rig.createRemotely("both.md", "theirs\n");
    rig.write("same.md", "same\n");
    rig.write("both.md", "mine\n");
    rig.write("mine.md", "only here\n");
    expect((await rig.init()).code).toBe(3);
    expect(rig.read("both.md")).toBe("mine\n");
    expect(rig.read("both (theirs).md")).toBe("theirs\n");
    expect(rig.remote("both.md")!.content).toBe("theirs\n");
    expect(rig.remote("mine.md")!.content).toBe("only here\n");
  });

  test("--prefer remote waits for a file that is open in an editor, and stays in force until then", async () => {
    rig.createRemotely("both.md", "theirs\n");
    rig.write("both.md", "mine\n");
    writeFileSync(rig.path(".both.md.swp"), swapBlock(4_711, "elsewhere"));
    expect([(await rig.init("--prefer", "remote")).code, rig.read("both.md")]).toEqual([3, "mine\n"]);
    expect([(await rig.run(["sync", "w"])).code, rig.read("both.md")]).toEqual([3, "mine\n"]);
    rig.remove(".both.md.swp");
    expect([(await rig.run(["sync", "w"])).code, rig.read("both.md")]).toEqual([0, "theirs\n"]);
  });

  test("stops at many conflicts, which approve allows and --prefer decides", async () => {
    for (let n = 0; n < 15; n++) {
      rig.createRemotely(`n${n}.md`, `theirs ${n}\n`);
      rig.write(`n${n}.md`, `mine ${n}\n`);
    }
    const stopped = await rig.init();
    expect(stopped.code).toBe(4);
    expect(stopped.err.find((line) => line.startsWith("Stopped: "))).toBe(
      "Stopped: 11 conflicts in this run (limit: 10) (conflict-flood)",
    );
    expect(conflictCopies()).toBe(11);
    // The sync stays stopped because of the remaining conflicts: no new run opens them.
    expect((await rig.run(["sync", "w"])).code).toBe(4);
    expect(conflictCopies()).toBe(11);
    expect((await rig.run(["approve", "w", "--yes"])).code).toBe(0);
    expect([(await rig.run(["sync", "w"])).code, conflictCopies()]).toEqual([3, 15]);
  });

  test("--remote of a folder that the service lacks says so, for it may be mistyped", async () => {
    rig.createRemotely("docs/a.md", "a\n");
    const { code, err } = await rig.init("--remote", "dosc");
    expect([code, err.length]).toEqual([0, 1]);
    rig.write("mine.md", "mine\n");
    expect((await rig.run(["sync", "w"])).code).toBe(0);
    expect(rig.remote("dosc/mine.md")!.content).toBe("mine\n");
  });

  test("--remote links one folder of the workspace", async () => {
    rig.createRemotely("in/a.md", "a\n");
    rig.createRemotely("out/b.md", "b\n");
    await rig.init("--remote", "/in/");
    rig.write("c.md", "c\n");
    await rig.run(["sync", "w"]);
    expect(rig.read("a.md")).toBe("a\n");
    expect(rig.exists("out")).toBe(false);
    expect(rig.remote("in/c.md")?.content).toBe("c\n");
  });

  test("counts by reason what stays local", async () => {
    rig.write("a.md", "a\n");
    rig.write("picture.png", "");
    rig.write("draft.md~", "");
    rig.write(".obsidian/x.md", "");
    rig.write(".mdmirrorignore", "private/\n");
    rig.write("private/p.md", "p\n");
    const { out } = await rig.init();
    const line =
      "stays local: 2 not Markdown, 1 folders ignored by .mdmirrorignore, 1 dot folders, 1 temporary files of editors";
    expect(out).toContain(line);
    expect((await rig.run(["status", "w"])).out).toContain(line);
  });
});

describe("init refuses", () => {
  const cases: readonly (readonly [string, () => string[], string | RegExp])[] = [
    [
      "a folder inside another mirror",
      () => ["w/sub"],
      /is inside the linked folder .*\/w; its files would be synced twice$/,
    ],
    ["the home folder", () => ["home"], /is your home folder: every Markdown file below it would be uploaded$/],
    ["a folder above the home folder", () => ["."], /is a folder above your home: /],
    ["the root of the file system", () => ["/"], /is the root of the file system: /],
    ["a file", () => ["key-file"], /is a file$/],
  ];
  test.each(cases)("%s", async (_what, dir, why) => {
    mkdirSync(join(rig.dir, "home"));
    await rig.init();
    const { code, err } = await rig.run(["init", ...dir(), ...given(), "--yes"]);
    expect([code, err]).toEqual([2, [expect.stringMatching(why), expect.stringMatching(/^ {2}next: /)]]);
  });

  test("a folder that contains another linked folder", async () => {
    await rig.run(["init", "outer/inner", ...given(), "--yes"]);
    const { code } = await rig.run(["init", "outer", ...given(), "--yes"]);
    expect(code).toBe(2);
    expect(existsSync(join(rig.dir, "outer/.mdmirror"))).toBe(false);
  });

  test("a service that does not answer (5), and a key that it does not know (5)", async () => {
    writeFileSync(rig.keyFile, "wrong\n");
    expect((await rig.run(["init", "w", ...given(), "--yes"])).code).toBe(5);
    await rig.stopService();
    expect((await rig.run(["init", "w", ...given(), "--yes"])).code).toBe(5);
    expect(existsSync(rig.root)).toBe(false);
  });
});

describe("init on a folder that is linked already", () => {
  test("says so, and does nothing", async () => {
    await rig.init();
    const before = snapshot(rig.root);
    const { code, out } = await rig.run(["init", "w"]);
    expect([code, out.at(-1)]).toEqual([0, "next: mdmirror sync"]);
    expect(snapshot(rig.root)).toEqual(before);
  });

  test("does not link it to another service or another part", async () => {
    await rig.init();
    expect((await rig.run(["init", "w", "--url", "https://example.org"])).code).toBe(2);
    expect((await rig.run(["init", "w", "--remote", "part"])).code).toBe(2);
  });

  test("stores a new key", async () => {
    await rig.init();
    const key = rig.newKey();
    writeFileSync(rig.keyFile, key);
    expect((await rig.run(["init", "w", "--key-file", rig.keyFile])).code).toBe(0);
    expect(rig.read(".mdmirror/key").trim()).toBe(key);
  });

  test("does not store a key that the service refuses, and stores one unchecked where it cannot be asked", async () => {
    await rig.init();
    const stored = () => rig.read(".mdmirror/key").trim();
    const good = stored();
    writeFileSync(rig.keyFile, "mdm_nonsense");
    const refused = await rig.run(["init", "w", "--key-file", rig.keyFile]);
    expect([refused.code, refused.out, stored()]).toEqual([5, [], good]);
    expect(refused.err[0]).toContain("unauthenticated");
    await rig.stopService();
    const unasked = await rig.run(["init", "w", "--key-file", rig.keyFile]);
    expect([unasked.code, unasked.err.length > 0, stored()]).toEqual([0, true, "mdm_nonsense"]);
  });

  test.each([
    ["empty", ""],
    ["full of zeros", "\0".repeat(300)],
  ])("I13 links it again where a power loss left the configuration %s, and keeps its state", async (_what, left) => {
    rig.createRemotely("a.md", "a\n");
    rig.createRemotely("b.md", "b\n");
    await rig.init();
    rig.write("a.md", "edited locally\n");
    rig.remove("b.md");
    for (const file of ["config.json", "key"]) writeFileSync(join(rig.root, ".mdmirror", file), left);
    const lost = await rig.run(["sync", "w"]);
    expect([lost.code, lost.err.at(-1)]).toEqual([2, expect.stringContaining("mdmirror init --url URL")]);
    const { code, out, err } = await rig.run(["init", "w", ...given(), "--yes"]);
    expect([code, err]).toEqual([0, []]);
    // The plan that the user confirms is the plan that is applied.
    expect(out.slice(1, 5)).toEqual([
      "  → update on the service: 1",
      "    a.md  (edited locally)",
      "  → delete on the service: 1",
      "    b.md  (deleted locally)",
    ]);
    // The state shows local edits and deletions. Without it both documents would be downloaded
    // again.
    expect([rig.remote("a.md")?.content, rig.remote("b.md")]).toEqual(["edited locally\n", null]);
    expect(rig.read("a.md")).toBe("edited locally\n");
  });

  test("I05 rebuilds a lost state from both sides, deleting and overwriting nothing", async () => {
    rig.createRemotely("a.md", "a\n");
    await rig.init();
    rig.write("a.md", "edited locally\n");
    rig.createRemotely("b.md", "b\n");
    for (const file of ["state.db", "texts.db"]) rmSync(join(rig.root, ".mdmirror", file));
    const { code } = await rig.run(["init", "w"]);
    // Without the content store base is unknown, so both versions are kept.
    expect(rig.read("a.md")).toBe("edited locally\n");
    expect(rig.read("a (theirs).md")).toBe("a\n");
    expect(rig.read("b.md")).toBe("b\n");
    expect(code).toBe(3);
  });

  test.each([
    ["the next run continues", () => ["sync", "w"], []],
    ["and lost its configuration, init continues", () => ["init", "w", ...given(), "--yes"], ["config.json"]],
  ])("I13 cut off after the state was made and before it knew its folder, %s", async (_what, command, lost) => {
    rig.createRemotely("a.md", "a\n");
    await rig.init();
    const folder = rig.path(".mdmirror");
    for (const file of ["state.db", "texts.db", ...lost]) rmSync(join(folder, file));
    // What a kill or a full disk leaves at this moment.
    const made = openState({ folder, clock: SLEEPLESS_CLOCK });
    if (made.kind !== "opened") throw new Error(made.kind);
    made.state.close();
    rig.createRemotely("b.md", "b\n");
    const { code, err } = await rig.run(command());
    expect({ code, err }).toEqual({ code: 0, err: [] });
    expect([rig.read("a.md"), rig.read("b.md")]).toEqual(["a\n", "b\n"]);
  });
});

describe("I30 the key", () => {
  /** Returns the files of `.mdmirror` that contain the secret, except the key file. */
  function filesWith(secret: string): string[] {
    const folder = rig.path(".mdmirror");
    return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => {
      const whole = join(folder, path);
      return path !== "key" && statSync(whole).isFile() && readFileSync(whole).includes(secret);
    });
  }

  test("is in no output and no file but .mdmirror/key, with any error of a command", async () => {
    rig.createRemotely("a.md", "a\n");
    await rig.init();
    rig.write("b.md", "b\n");
    // No document here contains the key in its name or content, because mdmirror stores those as
    // the user wrote them.
    const env = { MDMIRROR_LOG: "debug", MDMIRROR_API_KEY: rig.key };
    for (const argv of [
      ["sync", "w"],
      ["sync", "w", "--json"],
      ["plan", "w", "--json"],
      ["status", "w", "--json"],
      ["doctor", "w", "--json"],
      ["protect", "w/a.md"],
      ["approve", "w"],
      ["fix-names", "w"],
      ["init", "w"],
    ]) {
      await rig.run(argv, { env });
    }
    for (const { id } of rig.service.admin.keys())
      rig.service.admin.changeKey(id, { grants: [{ on: null, level: "read" }] });
    rig.write("b.md", "refused\n");
    await rig.run(["sync", "w"], { env });
    for (const { id } of rig.service.admin.keys()) rig.service.admin.removeKey(id);
    await rig.run(["sync", "w"], { env });
    await rig.stopService();
    await rig.run(["sync", "w"], { env });
    await rig.run(["doctor", "w"], { env });
    expect(rig.printed.length).toBeGreaterThan(30);
    expect(rig.printed.filter((line) => line.includes(rig.key))).toEqual([]);
    expect(filesWith(rig.key)).toEqual([]);
    // The log exists without the key. So the search above would have found the key in it.
    expect(rig.read(".mdmirror/log/mdmirror.log")).toContain("remote.exchange");
  });

  test("is refused from a stored file that others may read, with the command that corrects it", async () => {
    await rig.init();
    chmodSync(rig.path(".mdmirror/key"), 0o640);
    const { code, err } = await rig.run(["sync", "w"]);
    expect(code).toBe(2);
    expect(err[0]).toMatch(
      /^mdmirror: other users may read .*\.mdmirror\/key \(mode 640\), so mdmirror does not use the key in it$/,
    );
    expect(err[1]).toMatch(/^ {2}next: chmod 600 /);
    expect(err.join()).not.toContain(rig.key);
  });

  test("comes from --key-file before MDMIRROR_API_KEY before the stored one", async () => {
    await rig.init();
    const wrong = join(rig.dir, "wrong");
    writeFileSync(wrong, "mdm_wrong\n");
    expect((await rig.run(["sync", "w"], { env: { MDMIRROR_API_KEY: "mdm_wrong" } })).code).toBe(5);
    expect((await rig.run(["sync", "w", "--key-file", wrong], { env: { MDMIRROR_API_KEY: rig.key } })).code).toBe(5);
    expect(
      (await rig.run(["sync", "w", "--key-file", rig.keyFile], { env: { MDMIRROR_API_KEY: "mdm_wrong" } })).code,
    ).toBe(0);
    rig.remove(".mdmirror/key");
    expect((await rig.run(["sync", "w"])).err).toEqual([
      "mdmirror: there is no API key",
      "  next: give one with --key-file FILE, or in MDMIRROR_API_KEY; mdmirror init stores it",
    ]);
  });
});
