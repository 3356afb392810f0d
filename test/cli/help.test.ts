import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { EXIT, EXIT_MEANINGS } from "../../src/cli/exit.ts";
import { COMMANDS } from "../../src/cli/table.ts";
import { openRig, type Rig } from "./rig.ts";

let rig: Rig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(() => rig.close());

describe("help", () => {
  test.each(COMMANDS.map(({ name }) => name))(
    "%s --help names its usage, its options and an example within 100 columns",
    async (name) => {
      const { command } = await COMMANDS.find((entry) => entry.name === name)!.load();
      const { code, out, err } = await rig.run([name, "--help"]);
      expect(code).toBe(0);
      expect(err).toEqual([]);
      expect(out.join(" ").replaceAll(/ +/g, " ")).toContain(`usage: mdmirror ${command.usage}`);
      expect(command.usage.startsWith(name)).toBe(true);
      for (const option of Object.keys(command.options)) expect(out.join("\n")).toContain(`--${option}`);
      expect(command.examples.length).toBeGreaterThan(0);
      for (const example of command.examples) expect(out).toContain(`  ${example}`);
      for (const line of out) expect(line.length).toBeLessThanOrEqual(100);
    },
  );

  test("the help of all commands is this text", async () => {
    const pages: string[] = [];
    for (const argv of [["--help"], ...COMMANDS.map(({ name }) => [name, "--help"])]) {
      pages.push((await rig.run(argv)).out.join("\n"));
    }
    await expect(`${pages.join("\n\n")}\n`).toMatchFileSnapshot("help.txt");
  });

  test("the overview lists every command and every exit code", async () => {
    const { code, out } = await rig.run(["--help"]);
    expect(code).toBe(0);
    for (const { name } of COMMANDS) expect(out.some((line) => line.startsWith(`  ${name} `))).toBe(true);
    for (const n of Object.values(EXIT)) expect(out).toContain(`  ${n}  ${EXIT_MEANINGS[n]}`);
    expect((await rig.run(["help", "sync"])).out[0]).toContain("usage: mdmirror sync");
  });
});

const ERRORS: readonly (readonly [argv: string[], err: string[]])[] = [
  [["sink"], ['mdmirror: there is no command "sink"', "  next: mdmirror --help"]],
  [["syn"], ['mdmirror: there is no command "syn"; did you mean sync?', "  next: mdmirror --help"]],
  [
    ["status", "--jsn"],
    [
      "mdmirror status: Unknown option '--jsn'",
      "  usage: mdmirror status [DIR | --all] [--short] [--json | --prometheus] [--max-age 15m]",
      "  next: mdmirror status --help",
    ],
  ],
  [
    ["plan", "a", "b"],
    [
      'mdmirror plan: "b" is one operand too many',
      "  usage: mdmirror plan [DIR] [--json] [--all]",
      "  next: mdmirror plan --help",
    ],
  ],
  [
    ["protect", "a.md", ""],
    [
      "mdmirror protect: an operand is empty",
      "  usage: mdmirror protect PATH… | FOLDER | 'GLOB' [--dry-run] [--json]",
      "  next: mdmirror protect --help",
    ],
  ],
  [
    ["search", "a", "--limit", ""],
    [
      "mdmirror search: --limit is empty",
      "  usage: mdmirror search QUERY [DIR] [--regex] [--limit N] [--json]",
      "  next: mdmirror search --help",
    ],
  ],
  [
    ["undo", "--since", "-2h"],
    [
      "mdmirror undo: Option '--since' argument is ambiguous: To specify an option argument starting with a dash use '--since=-…'",
      "  usage: mdmirror undo [DIR] [RUN] [--since TIME] [--dry-run] [--yes] [--no-sync] [--json]",
      "  next: mdmirror undo --help",
    ],
  ],
  [
    ["protect"],
    [
      "mdmirror protect: an operand is missing",
      "  usage: mdmirror protect PATH… | FOLDER | 'GLOB' [--dry-run] [--json]",
      "  next: mdmirror protect --help",
    ],
  ],
  [
    ["sync", "--max-deletes", "many"],
    ["mdmirror sync: --max-deletes takes a whole number", "  next: mdmirror sync --help"],
  ],
  [
    ["sync", "--pull-only", "--push-only"],
    ["mdmirror sync: --pull-only and --push-only exclude each other", "  next: mdmirror sync --help"],
  ],
  [
    ["status", "--max-age", "soon"],
    ["mdmirror status: --max-age takes a time such as 90s, 15m, 6h or 2d", "  next: mdmirror status --help"],
  ],
  [
    ["init", "x"],
    ["mdmirror init: --url is missing", "  next: mdmirror init --help"],
  ],
  [
    ["init", "x", "--url", "http://u", "--prefer", "mine"],
    ["mdmirror init: --prefer takes local, remote or each", "  next: mdmirror init --help"],
  ],
  [
    ["serve", "--port", "70000"],
    ["mdmirror serve: --port takes a number up to 65535", "  next: mdmirror serve --help"],
  ],
  [
    ["serve", "--docs-base", "docs.example.org"],
    ["mdmirror serve: --docs-base takes an http URL", "  next: mdmirror serve --help"],
  ],
  [
    ["serve", "--tls-cert", "c.pem"],
    ["mdmirror serve: --tls-cert and --tls-key go together", "  next: mdmirror serve --help"],
  ],
  [
    ["serve", "--host", "0.0.0.0"],
    [
      "mdmirror: plain http on 0.0.0.0 would let others on the network read keys",
      "  next: give --tls-cert FILE and --tls-key FILE; behind a proxy with TLS, or in a network that you trust, use --insecure-http",
    ],
  ],
  [
    ["status"],
    [
      "mdmirror: neither this folder nor a folder above it has a .mdmirror/",
      "  next: name the linked folder, or link this one: mdmirror init --url URL",
    ],
  ],
  [
    ["init", "x", "--url", "http://example.org"],
    [
      "mdmirror: the URL (--url) cannot be used: plain http would show the key to the network; use https, or allow this host (--allow-http)",
      "  next: give the service's base URL, for example --url https://files.example.org",
    ],
  ],
  [
    ["init", "x", "--url", "https://example.org"],
    [
      "mdmirror: there is no API key",
      "  next: give one with --key-file FILE, or in MDMIRROR_API_KEY; mdmirror init stores it",
    ],
  ],
];

describe("usage errors end with 2, say what is wrong and what to do next", () => {
  test.each(ERRORS)("mdmirror %j", async (argv, err) => {
    const ran = await rig.run(argv);
    expect(ran).toEqual({ code: 2, out: [], err, asked: [] });
  });

  test("no command at all shows the overview on standard error", async () => {
    const { code, out, err } = await rig.run([]);
    expect([code, out.length, err[2]]).toEqual([2, 0, "usage: mdmirror COMMAND [DIR] [options]"]);
  });
});

const HEAVY = /node_modules\/(undici|fastify|better-sqlite3|p-queue|chokidar|ignore)\//;

describe("what help loads", () => {
  test.each(["--version", "--help"])("mdmirror %s loads no package", (option) => {
    const hook = `import { registerHooks } from "node:module"; registerHooks({ load(url, context, next) { process.stderr.write("LOAD " + url + "\\n"); return next(url, context); } });`;
    const entry = fileURLToPath(new URL("../../src/cli/entry.mjs", import.meta.url));
    const args = ["--import", `data:text/javascript,${encodeURIComponent(hook)}`, entry, option];
    const { stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    const loaded = stderr.split("\n").filter((line) => line.startsWith("LOAD file:"));
    expect(loaded.length).toBeGreaterThan(2);
    expect(loaded.filter((line) => HEAVY.test(line))).toEqual([]);
  });
});

describe("what Node compiled is kept", () => {
  const entry = fileURLToPath(new URL("../../src/cli/entry.mjs", import.meta.url));
  /** @returns whether a start left something for the next one in this folder */
  function keeps(mode: number | null): boolean {
    const cache = mkdtempSync(join(tmpdir(), "mdmirror-cache-"));
    onTestFinished(() => rmSync(cache, { recursive: true, force: true }));
    if (mode !== null) mkdirSync(join(cache, "mdmirror"));
    if (mode !== null) chmodSync(join(cache, "mdmirror"), mode);
    const env = { ...process.env, XDG_CACHE_HOME: cache, NODE_COMPILE_CACHE: undefined };
    const { status, stdout } = spawnSync(process.execPath, [entry, "--version"], { encoding: "utf8", env });
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
    return existsSync(join(cache, "mdmirror/compiled"));
  }

  test("in a folder of the user's own, made for nobody else", () => {
    expect([keeps(null), keeps(0o700)]).toEqual([true, true]);
  });

  test.each([0o770, 0o707, 0o777])("but not in one of mode %o, whose contents others could choose", (mode) => {
    expect(keeps(mode)).toBe(false);
  });

  test.runIf(process.platform === "linux")("and nowhere where the system lets no folder be made", () => {
    const env = { ...process.env, XDG_CACHE_HOME: "/proc/no-such-folder", NODE_COMPILE_CACHE: undefined };
    expect(spawnSync(process.execPath, [entry, "--version"], { env, timeout: 20_000 }).status).toBe(0);
  });
});
