import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { purgeOwnFolder } from "../../src/mirror/folder/unlink.ts";
import { useRig } from "./rig.ts";
import { isRun, useWatches } from "./watch-rig.ts";

/** `unlink` and a moved linked folder lose nothing. */

const rig = useRig();
const watches = useWatches(rig);
beforeEach(async () => {
  rig.createRemotely("a.md", "a\n");
  expect((await rig.init()).code).toBe(0);
});

const at = (name: string) => join(rig.dir, name);
const own = (name: string) => join(rig.root, ".mdmirror", name);

async function names(): Promise<string[]> {
  const { mirrors } = await rig.json<{ mirrors: { root: string }[] }>(["list"]);
  return mirrors.map(({ root }) => root);
}

describe("unlink --purge", () => {
  test("asks, and removes .mdmirror/ alone; a link in it is not followed", async () => {
    writeFileSync(at("outside.md"), "outside\n");
    symlinkSync(at("outside.md"), own("trash-link"));
    const declined = await rig.run(["unlink", "w", "--purge"], { terminal: true, answers: ["n"] });
    expect([declined.code, declined.asked.length, existsSync(own("config.json"))]).toEqual([2, 1, true]);
    const purged = await rig.run(["unlink", "w", "--purge"], { terminal: true, answers: ["y"] });
    expect([purged.code, purged.asked.length]).toEqual([0, 1]);
    expect(readdirSync(rig.root)).toEqual(["a.md"]);
    expect(readFileSync(at("outside.md"), "utf8")).toBe("outside\n");
    expect(await names()).toEqual([]);
  });

  test("without a terminal it needs --yes, and with unsent edits --force", async () => {
    expect((await rig.run(["unlink", "w", "--purge"])).code).toBe(2);
    expect(existsSync(own("config.json"))).toBe(true);
    rig.write("a.md", "edited\n");
    expect((await rig.run(["unlink", "w", "--purge", "--yes"])).code).toBe(3);
    expect(existsSync(own("config.json"))).toBe(true);
    expect((await rig.run(["unlink", "w", "--purge", "--yes", "--force"])).code).toBe(0);
    expect([rig.exists(".mdmirror"), rig.read("a.md")]).toEqual([false, "edited\n"]);
  });

  test("keeps the .mdmirror/ of a folder that another process linked meanwhile", () => {
    expect(purgeOwnFolder(rig.root)).toMatchObject({ kind: "trouble", trouble: { kind: "usage" } });
    expect(existsSync(own("texts.db"))).toBe(true);
  });
});

describe("unlink", () => {
  test("leaves folder, service, history and trash as they are; link and key are gone", async () => {
    const { code, out } = await rig.run(["unlink", "w"]);
    expect(out).toEqual([
      `unlinked ${rig.root}: the folder and its files stay; nothing was deleted locally or on ${rig.url}`,
      "its key was removed",
      `its history and trash stay in .mdmirror/; to link it again: mdmirror init ${rig.root} --url URL`,
    ]);
    expect(code).toBe(0);
    expect([rig.read("a.md"), rig.remote("a.md")!.content, await names()]).toEqual(["a\n", "a\n", []]);
    const left = readdirSync(own(""));
    for (const gone of ["key", "config.json", "marker", "state.db"]) expect(left).not.toContain(gone);
    for (const kept of ["texts.db", "trash", "unlinked"]) expect(left).toContain(kept);
    expect((await rig.run(["sync", "w"])).code).toBe(2);
  });

  test("I05 linked again, what both sides have is one document each: nothing is doubled or deleted", async () => {
    rig.write("notes/b.md", "b\n");
    rig.write("c.md", "c\n");
    expect((await rig.run(["sync", "w"])).code).toBe(0);
    expect((await rig.run(["unlink", "w"])).code).toBe(0);
    rig.write("a.md", "a\nmore\n");
    rig.remove("notes/b.md");
    // Content that was edited while the folder was not linked is met by a first sync, which keeps
    // both versions.
    expect((await rig.init()).code).toBe(3);
    const listed = (rig.api("GET", "/v1/files") as { data: { path: string }[] }).data.map(({ path }) => path.slice(1));
    expect(listed.toSorted()).toEqual(["a.md", "c.md", "notes/b.md"]);
    expect(rig.read("a.md")).toBe("a\nmore\n");
    expect(rig.read("a (theirs).md")).toBe("a\n");
    expect(rig.read("c.md")).toBe("c\n");
    expect(rig.read("notes/b.md")).toBe("b\n");
    expect(rig.remote("c.md")!.content).toBe("c\n");
    expect(await names()).toEqual([rig.root]);
  });

  test("refuses while something was not sent, and lists it; --force leaves it where it is", async () => {
    rig.write("new.md", "new\n");
    rig.write("a.md", "mine\n");
    const { code, err } = await rig.run(["unlink", "w"]);
    expect([code, err.join("\n")]).toEqual([3, expect.stringMatching(/new\.md[\s\S]* a\.md/)]);
    // The suggested command names the folder. Without it, the command would unlink whichever folder
    // it is pasted in.
    expect(err.at(-1)).toContain(`mdmirror sync ${rig.root}`);
    expect(err.at(-1)).toContain(`mdmirror unlink ${rig.root} --force`);
    expect(existsSync(own("config.json"))).toBe(true);
    const forced = await rig.run(["unlink", "w", "--force"]);
    expect([forced.code, forced.err.join().includes("new.md")]).toEqual([0, true]);
    expect([rig.read("new.md"), rig.read("a.md"), rig.remote("a.md")!.content]).toEqual(["new\n", "mine\n", "a\n"]);
  });

  test("refuses a stopped folder with 4, one in conflict with 3, and an unknown state with 5", async () => {
    rig.editBoth("a.md", "mine\n", "theirs\n");
    expect((await rig.run(["sync", "w"])).code).toBe(3);
    expect(await rig.run(["unlink", "w"])).toMatchObject({ code: 3 });
    await rig.stopService();
    expect((await rig.run(["unlink", "w"])).code).toBe(5);
    expect((await rig.run(["unlink", "w", "--force"])).code).toBe(0);
    expect(rig.read("a (theirs).md")).toBe("theirs\n");
  });

  test("lists only what would be uploaded, not changes of conflict copies", async () => {
    rig.write("a.md", "mine\n");
    rig.editRemotely("a.md", "theirs\n");
    await rig.run(["sync", "w"]);
    rig.editRemotely("a.md", "theirs again\n");
    const { code, err } = await rig.run(["unlink", "w"]);
    expect([code, err.join("\n")]).toEqual([3, expect.not.stringContaining("update a conflict copy")]);
  });

  test("refuses with 4 while deletions by the service are stopped", async () => {
    const paths = Array.from({ length: 60 }, (_, n) => `${n}.md`);
    for (const path of paths) rig.createRemotely(path, "x\n");
    await rig.run(["sync", "w"]);
    for (const path of paths.slice(0, 20)) rig.deleteRemotely(path);
    rig.write("new.md", "new\n");
    const { code, err } = await rig.run(["unlink", "w"]);
    expect([code, err.join("\n")]).toEqual([4, expect.stringMatching(/new\.md[\s\S]*would stop/)]);
  });

  test("of a place where another folder is now wants its name and --force, and leaves that folder alone", async () => {
    renameSync(rig.root, at("away"));
    mkdirSync(own(""), { recursive: true });
    rig.write("mine.md", "mine\n");
    expect((await rig.run(["list"])).out[0]).toContain("other: ");
    const { code, err } = await rig.run(["sync", "w"], { cwd: "/" });
    expect([code, err[1]]).toEqual([2, expect.stringContaining("mdmirror unlink w --force")]);
    expect((await rig.run(["unlink", "w"], { cwd: "/" })).code).not.toBe(0);
    const forced = await rig.run(["unlink", "w", "--force"], { cwd: "/" });
    expect([forced.code, await names()]).toEqual([0, []]);
    expect([rig.read("mine.md"), existsSync(at("away/.mdmirror/key"))]).toEqual(["mine\n", true]);
  });

  test("takes the key out of the keychain with the last linked folder of its address", async () => {
    const kept = at("kept");
    writeFileSync(kept, rig.key);
    const script = `#!/bin/sh
case "$1" in lookup) cat '${kept}' 2>/dev/null ;; clear) rm -f '${kept}' ;; esac
`;
    mkdirSync(at("bin"));
    writeFileSync(at("bin/secret-tool"), script);
    chmodSync(at("bin/secret-tool"), 0o755);
    const keychain = { PATH: `${at("bin")}:${process.env["PATH"]}`, DBUS_SESSION_BUS_ADDRESS: "x" };
    expect((await rig.run(["init", "v", "--url", rig.url, "--yes"], { env: keychain })).code).toBe(0);
    const first = await rig.run(["unlink", "w"], { env: keychain });
    expect([first.code, existsSync(kept), first.out.join().includes("keychain")]).toEqual([0, true, false]);
    const last = await rig.run(["unlink", "v"], { env: keychain });
    expect([last.code, last.out[1], existsSync(kept)]).toEqual([0, "the key was removed from the keychain", false]);
  });

  test("killed in the middle, it is reported as broken, and the next one ends it", async () => {
    rmSync(own("key"));
    rmSync(own("config.json"));
    expect((await rig.run(["status", "--all"])).code).toBe(2);
    expect((await rig.run(["unlink", "w", "--force"])).code).toBe(0);
    expect(await names()).toEqual([]);
  });

  test("ends what a daemon keeps: the folder alone, or the daemon with its last one", async () => {
    expect((await rig.link("v")).code).toBe(0);
    const watch = await watches.watchingHere(["w", "v"]);
    expect(await rig.run(["unlink", "w"])).toMatchObject({ code: 0, err: [] });
    await watch.until((event) => event.kind === "left" && event.root === rig.root && event["to"] === null);
    expect((await rig.run(["status", "v", "--json"])).out[0]).toContain(`"pid":${watch.pid}`);
    expect((await rig.run(["unlink", "v"])).code).toBe(0);
    expect(await watch.ended).toBe(0);
    expect([readdirSync(own("")), rig.read("a.md")]).toEqual([expect.not.arrayContaining(["state.db"]), "a\n"]);
  });
});

const disk = (path: string) => statSync(path, { throwIfNoEntry: false })?.dev;

describe("mv", () => {
  test("moves folder and list entry, and the linked folder keeps its name and its state", async () => {
    mkdirSync(at("place"));
    expect(await rig.run(["mv", "w", "place/new home"])).toMatchObject({
      code: 0,
      out: [`moved ${rig.root} to ${at("place/new home")}`],
      err: [],
    });
    expect(await names()).toEqual([at("place/new home")]);
    expect(await rig.run(["sync", "w"], { cwd: "/" })).toMatchObject({ code: 0, err: [] });
    expect(readdirSync(at("place/new home/.mdmirror"))).not.toContain("lock.json");
  });

  test("the daemon follows, and uploads what is saved at the new place", async () => {
    const watch = await watches.watchingHere();
    expect((await rig.run(["mv", "w", "moved"])).code).toBe(0);
    await watch.until((event) => event.kind === "left" && event["to"] === at("moved"));
    await watch.until((event) => isRun(event) && event.root === at("moved"));
    writeFileSync(at("moved/a.md"), "a\nafter\n");
    await watch.until((event) => event.kind === "change" && event["path"] === "a.md");
    expect(rig.remote("a.md")!.content).toBe("a\nafter\n");
    watch.stop();
    expect(await watch.ended).toBe(0);
  });

  test.each([
    ["v", "already exists"],
    ["nowhere/x", "is not a folder"],
    ["w/inside", "is inside"],
    ["v/inside", "is inside the linked folder"],
    [".mdmirror", "is a name that mdmirror uses itself"],
  ])("to %s is refused: it %s", async (target, why) => {
    expect((await rig.link("v")).code).toBe(0);
    const { code, err } = await rig.run(["mv", "w", target]);
    expect([code, err[0]]).toEqual([2, expect.stringContaining(why)]);
    expect(await names()).toEqual([at("v"), rig.root]);
  });

  const other = ["/dev/shm", "/var/tmp"].find((path) => ![undefined, disk(tmpdir())].includes(disk(path)));
  test.skipIf(other === undefined)("to another disk is refused, with a way (needs two disks)", async () => {
    const to = `${other}/mdmirror-mv-${process.pid}`;
    const { code, err } = await rig.run(["mv", "w", to]);
    expect([code, err[0]]).toEqual([2, expect.stringContaining("(EXDEV)")]);
    expect([existsSync(to), rig.read("a.md")]).toEqual([false, "a\n"]);
  });
});
