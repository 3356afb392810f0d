import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkTypes, EXAMPLES, makeConsumer, runIn } from "./consumer.ts";
import { describeDebian } from "./debian.ts";
import { findOldNode, type Installed, install, makeDir, manifest, pack, type Packed, run, start } from "./installed.ts";

/** What `npm install` gives to a user who has only Node. */

let packed: Packed;
let installed: Installed;
let dir: string;

beforeAll(() => {
  dir = makeDir();
  packed = pack(dir);
  installed = install(packed, dir);
});

afterAll(() => rmSync(dirname(dir), { recursive: true, force: true }));

describe("the tarball", () => {
  it("has the program and the files that it reads, and nothing else of the checkout", () => {
    const beside = packed.files.filter((file) => !file.startsWith("dist/") && !file.endsWith(".md"));
    const wanted = [".github/session.svg", "LICENSE", "config/mdmirror.plist", "config/mdmirror.service"];
    expect(beside).toEqual([...wanted, "package.json"]);
    expect(packed.files).toEqual(expect.arrayContaining(["dist/cli/entry.mjs", ".github/CHANGELOG.md"]));
    expect(packed.files.filter((file) => /(?<!\.d)\.ts$|\.map$|\.test\./.test(file))).toEqual([]);
  });

  it("has each file that README.md links", () => {
    const readme = readFileSync(join(installed.folder, "README.md"), "utf8");
    const links = [...readme.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map((match) => match[1]!);
    expect(links.filter((file) => !packed.files.includes(file))).toEqual([]);
    expect(links.length).toBeGreaterThan(5);
  });

  it("is smaller than 3 MB", () => {
    expect(packed.size).toBeLessThan(3_000_000);
    expect(packed.size).toBeGreaterThan(100_000);
  });
});

describe("the installed package", () => {
  it("was installed by npm, with its dependencies in it", ({ skip }) => {
    if (installed.by === "linked")
      skip(`npm did not reach its registry, so the checkout's packages were linked: ${installed.said}`);
    expect(readdirSync(dirname(installed.folder)).filter((name) => !name.startsWith("."))).toEqual(["mdmirror"]);
    const names = Object.keys(manifest().dependencies);
    expect(names.filter((name) => !existsSync(join(installed.folder, "node_modules", name)))).toEqual([]);
  });

  it("brings its man pages where man looks for them", ({ skip }) => {
    if (installed.by === "linked") skip("npm did not install it");
    const pages = join(installed.folder, "../../../share/man/man1");
    expect(readFileSync(join(pages, "mdmirror-sync.1"), "utf8")).toContain(".SH SYNOPSIS");
  });

  it("prints its version, help and service unit, with nothing on its PATH but Node", () => {
    expect(run(installed, "--version")).toEqual({ code: 0, out: `${manifest().version}\n`, err: "" });
    expect(run(installed, "sync", "--help").out).toContain("usage: mdmirror sync");
  });

  it("syncs a folder as the README's first steps say, and watches it", async () => {
    const notes = join(dir, "old notes");
    mkdirSync(notes);
    writeFileSync(join(notes, "plan.md"), "# Plan\n");
    const service = start(installed, "serve", "--data", join(dir, "service"), "--port", "0", "--import", notes);
    const url = (await service.line((line) => line.startsWith("serving "))).slice("serving ".length);
    const mine = join(dir, "notes");
    const linked = run(installed, "init", mine, "--url", url, "--key-file", join(dir, "service", "key"), "--yes");
    expect(linked).toMatchObject({ code: 0, err: "" });
    expect(readFileSync(join(mine, "plan.md"), "utf8")).toBe("# Plan\n");
    appendFileSync(join(mine, "plan.md"), "- flour\n");
    expect(run(installed, "sync", mine, "--json")).toMatchObject({
      code: 0,
      out: expect.stringContaining('"in-sync"'),
    });
    expect(run(installed, "search", "flour", mine)).toMatchObject({ code: 0, out: expect.stringContaining("plan.md") });

    await seePages(mine, url);
    const watching = start(installed, "watch", mine, "--json");
    await watching.line((line) => line.includes('"kind":"run"'));
    appendFileSync(join(mine, "plan.md"), "- butter\n");
    await watching.line((line) => line.includes('"kind":"change"') && line.includes("plan.md"));
    expect(await watching.stop()).toBe(0);
    const unit = run(installed, "service", "print", mine);
    expect(unit).toMatchObject({ code: 0, err: "" });
    expect(unit.out).toContain(join(installed.folder, "dist", "cli", "entry.mjs"));
    expect(await service.stop()).toBe(0);
  });
});

/** Fetches the local web pages and the service's, with all scripts and styles that they use. */
async function seePages(mine: string, service: string): Promise<void> {
  const ui = start(installed, "ui", mine, "--no-open");
  const enter = await ui.line((line) => line.includes("/enter?"));
  const entered = await fetch(enter, { redirect: "manual" });
  const cookie = entered.headers.get("set-cookie")!.split(";")[0]!;
  await seePage(new URL("/m/notes", enter), { cookie }, '<section class="banner good"');
  await seePage(new URL("/docs/troubleshooting.md", enter), { cookie }, '<h3 id="h-local-emptied">');
  expect(await ui.stop()).toBe(0);
  await seePage(new URL("/app/", service), {}, "<form");
}

async function seePage(url: URL, headers: Record<string, string>, text: string): Promise<void> {
  let html = "";
  // On a busy machine a page may be shown before a long document is laid out.
  await expect.poll(async () => (html = await (await fetch(url, { headers })).text())).toContain(text);
  const assets = [...html.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)].map((match) => match[1]!);
  expect(assets.length).toBeGreaterThan(0);
  for (const asset of assets) expect((await fetch(new URL(asset, url), { headers })).status).toBe(200);
}

describe("the library, in somebody's project", () => {
  let project: string;
  beforeAll(() => {
    project = makeConsumer(installed);
  });

  it("runs the examples of its README, which print what the README says", async () => {
    const ends = await Promise.all(EXAMPLES.map((name) => runIn(project, installed, `${name}.ts`)));
    const printed = Object.fromEntries(EXAMPLES.map((name, at) => [name, ends[at]]));
    expect(printed).toEqual({
      client: [0, "live\nplan.md true\n404 file_not_found\n"],
      halt: [0, "stopped\nlocal-emptied\n3 in-sync\n"],
      links: [
        0,
        "As in [refunds].\n\n[refunds]: doc_refunds#late\n[chart]: ref://chart.png\n\ntrue\n[ 'rules/money%20back.md#late', 'chart.png' ]\n",
      ],
      merge: [0, "mine - flour, 1 kg\ntheirs - oat milk\noverlap 3\n11\n"],
      mirror: [
        0,
        "in-sync 1\nput plan.md null\n1: 7 bytes, 2: 15 bytes\nin-sync true\nusage plan.md has no open problem\n",
      ],
      watch: [0, "create-remote today.md done\nin-sync\n"],
    });
  });

  it("has types as Node finds modules, with nothing skipped", async () => {
    expect(await checkTypes(project)).toEqual([0, ""]);
  });

  it("is loaded by require too, and exports nothing internal", async () => {
    const names = ["mdmirror", "mdmirror/merge", "mdmirror/links", "mdmirror/client", "mdmirror/server"];
    const script = `
      for (const name of ${JSON.stringify(names)}) console.log(Object.keys(require(name)).join());
      try { require("mdmirror/dist/lib/mirror.js"); } catch (error) { console.log(error.code); }`;
    writeFileSync(join(project, "old.cjs"), script);
    const lines = [
      "MdmirrorError,linkMirror,openMirror",
      "explainMerge,lineOrigins,mergeMarkdown,mergeWithMarkers",
      "findLinks,respell,toDisk,toService",
      "MdmirrorError,createClient,isChangeId,isDirId,isDocId",
      "MdmirrorError,startServer",
      "ERR_PACKAGE_PATH_NOT_EXPORTED",
    ];
    expect(await runIn(project, installed, "old.cjs")).toEqual([0, `${lines.join("\n")}\n`]);
  });
});

describe("an unfit Node", () => {
  it("is refused in one sentence, as a process that says that it is Node 20", () => {
    const faked = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.11.1" } })`;
    const entry = join(installed.folder, "dist", "cli", "entry.mjs");
    const args = ["--import", `data:text/javascript,${encodeURIComponent(faked)}`, entry, "--version"];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", env: {} });
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^mdmirror: needs Node 22\.22 or newer, and this is 20\.11\.1; install a newer one .*\n$/);
    expect(stderr).not.toContain("checkout");
  });

  it("is refused by the library, before it loads what would end the process", ({ skip }) => {
    const node = findOldNode();
    if (node === null) return skip("no Node before 22 is on this machine");
    const script = join(makeConsumer(installed, "old-node"), "old.mjs");
    writeFileSync(
      script,
      `import { openMirror } from "mdmirror";
      import { startServer } from "mdmirror/server";
      for (const call of [() => openMirror("x"), () => startServer()])
        await call().catch(({ code, message }) => console.log(code, message));`,
    );
    const { stdout, stderr } = spawnSync(node, [script], { encoding: "utf8", env: {} });
    expect(stdout.replaceAll(/is \d[\d.]*/g, "is …")).toEqual(
      "unfit-node mdmirror needs Node 22.22 or newer, and this is …\n".repeat(2),
    );
    expect(stderr).toBe("");
  });
});

describeDebian(() => packed);
