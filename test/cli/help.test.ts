import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { COMMANDS } from "../../src/cli/table.ts";
import { openRig, type Rig } from "./rig.ts";

let rig: Rig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(() => rig.close());

describe("help", () => {
  test.each(COMMANDS.map(({ name }) => name))(
    "%s --help names its usage and each of its options, within 100 columns or a screen",
    async (name) => {
      const { command } = await COMMANDS.find((entry) => entry.name === name)!.load();
      const { code, out, err } = await rig.run([name, "--help"]);
      expect(code).toBe(0);
      expect(err).toEqual([]);
      expect(out[0]).toBe(`usage: mdmirror ${command.usage}`);
      expect(command.usage.startsWith(name)).toBe(true);
      for (const option of Object.keys(command.options)) expect(out.join("\n")).toContain(`--${option}`);
      for (const line of out) expect(line.length).toBeLessThanOrEqual(132);
    },
  );

  test("sync --help is this text", async () => {
    const { out } = await rig.run(["sync", "--help"]);
    expect(out).toEqual([
      "usage: mdmirror sync [DIR] [--dry-run] [--json] [--quiet] [--max-deletes N] [--pull-only | --push-only] [--wait-for PATH]",
      "",
      "Bring both sides together, once.",
      "Passes until nothing is left to do, five at most; made for cron. Prints one line; with --quiet, none on success.",
      "What the service refused is tried again by each sync; with --quiet (cron), once a day.",
      "Where a daemon keeps the folder, it is asked for the run, and waited for.",
      "Ctrl-C ends what is under way, and begins nothing more; the next sync goes on. A second one ends the process.",
      "",
      "  --dry-run        show what it would do; write nothing at all (mdmirror plan)",
      "  --json           end with one JSON object instead of lines",
      "  -q, --quiet      say nothing unless something needs you, or has lasted for an hour",
      "  --max-deletes N  so many deletions a side without a question, in this run",
      "  --pull-only      only bring changes here",
      "  --push-only      only send changes to the service",
      "  --wait-for PATH  afterwards do as mdmirror wait PATH; may be given again",
      "  --timeout TIME   wait for that no longer (90s, 15m; 30s)",
      "  --url URL        the service, instead of the linked one's address",
      "  --key-file FILE  read the API key from FILE",
      "  -h, --help       show this",
    ]);
  });

  test("the overview lists every command and every exit code", async () => {
    const { code, out } = await rig.run(["--help"]);
    expect(code).toBe(0);
    for (const { name } of COMMANDS) expect(out.some((line) => line.startsWith(`  ${name} `))).toBe(true);
    for (const n of [0, 1, 2, 3, 4, 5, 6]) expect(out.slice(-3).join(" ")).toMatch(new RegExp(`\\b${n} \\w`));
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
      "mdmirror: plain http on 0.0.0.0 would show keys to the network",
      "  next: give --tls-cert FILE and --tls-key FILE; behind a proxy that speaks TLS, or in a network you trust, say --insecure-http",
    ],
  ],
  [
    ["status"],
    [
      "mdmirror: neither this folder nor one above it holds .mdmirror/",
      "  next: name the mirrored folder, or link this one: mdmirror init --url URL",
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
  test.each([["--version"], ["--help"], ["sync", "--help"], ["serve", "--help"], ["status", "--nonsense"]])(
    "mdmirror %s %s loads no package",
    (...argv) => {
      const hook = `import { registerHooks } from "node:module"; registerHooks({ load(url, context, next) { process.stderr.write("LOAD " + url + "\\n"); return next(url, context); } });`;
      const entry = fileURLToPath(new URL("../../src/cli/entry.mjs", import.meta.url));
      const args = [
        "--import",
        `data:text/javascript,${encodeURIComponent(hook)}`,
        entry,
        ...argv.filter((arg) => arg !== undefined),
      ];
      const { stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
      const loaded = stderr.split("\n").filter((line) => line.startsWith("LOAD file:"));
      expect(loaded.length).toBeGreaterThan(2);
      expect(loaded.filter((line) => HEAVY.test(line))).toEqual([]);
    },
  );
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
