import { unwrap } from "../../src/common/trouble.ts";
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createServer, type Socket } from "node:net";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { useRig } from "./rig.ts";
import { chooseSocketPath, writeSocketPath } from "../../src/mirror/daemon/control/socket-path.ts";
import type { WireResponse } from "../../src/contract/wire.ts";

const rig = useRig();

describe("status", () => {
  test("says last sync when, from the state alone", async () => {
    rig.createRemotely("a/b.md", "b\n");
    await rig.init();
    await rig.stopService();
    rig.pass(5 * 60_000);
    const { code, out } = await rig.run(["status", "w"]);
    expect(out).toEqual([
      `1 document in 1 folder, linked to ${rig.url}`,
      "In sync: last sync 5 min ago, nothing pending",
    ]);
    expect(code).toBe(0);
  });

  test("--max-age ends with 3 when the last sync is older", async () => {
    await rig.init();
    expect((await rig.run(["status", "w", "--max-age", "15m"])).code).toBe(0);
    rig.pass(16 * 60_000);
    const { code, err } = await rig.run(["status", "w", "--max-age", "15m"]);
    expect([code, err]).toEqual([3, ["mdmirror: not in sync within 15 min; next: mdmirror sync"]]);
    expect((await rig.run(["status", "w", "--max-age", "1h"])).code).toBe(0);
  });
});

test("status and plan name the answer to a folder without its marker, which no approval is", async () => {
  rig.createRemotely("a.md", "x\n");
  await rig.init();
  rig.remove(".mdmirror/marker");
  const next = "  next: mount the disk of the folder; or move .mdmirror/ away and link the folder again: mdmirror init";
  expect((await rig.run(["sync", "w"])).err).toContain(next);
  for (const command of ["status", "plan"]) {
    const { out } = await rig.run([command, "w"]);
    expect(out).toContain(next);
    expect(out.join("\n")).not.toContain("mdmirror approve");
  }
});

test("status says since when a review waits, that a rejection is not seen, and what ends it; and that ends it", async () => {
  rig.createRemotely("a.md", "x\n");
  await rig.init();
  rig.protectRemotely("a.md");
  rig.write("a.md", "for review\n");
  await rig.run(["sync", "w"], { terminal: true });
  const { out } = await rig.run(["status", "w"]);
  expect(out.join("\n")).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d: a\.md\n.*mdmirror resolve PATH --theirs/);
  expect((await rig.run(["resolve", "w/a.md", "--theirs"])).code).toBe(0);
  expect(rig.read("a.md")).toBe("x\n");
  expect((await rig.run(["status", "w"])).out.join("\n")).not.toContain("in review");
});

test("why of an ignored document names no deletion", async () => {
  rig.createRemotely("a.md", "x\n");
  await rig.init();
  rig.write(".mdmirrorignore", "/a.md\n");
  await rig.run(["sync", "w"]);
  for (const gone of [false, true]) {
    if (gone) rig.remove("a.md");
    const answer = (await rig.run(["why", "w/a.md"])).out.join("\n");
    expect(answer).toContain("line 1 of .mdmirrorignore");
    expect(answer).not.toContain("delete-remote");
  }
});

test("why of a folder shows what a safety check stops in it, and that another check stops the sync", async () => {
  for (const name of ["d/a.md", "d/b.md", "e/c.md", "f.md"]) rig.createRemotely(name, `${name}\n`);
  await rig.init();
  for (const name of ["d/a.md", "d/b.md", "f.md"]) rig.remove(name);
  rig.remove("e");
  expect((await rig.run(["sync", "w"])).code).toBe(4);
  const answer = (await rig.run(["why", "w/d"])).out;
  expect(answer.join("\n")).not.toContain("both sides agree");
  expect(answer.filter((line) => /d\/[ab]\.md.*after approval: mdmirror approve/.test(line))).toHaveLength(2);
  rig.write("g/new.md", "new\n");
  expect((await rig.run(["why", "w/g"])).out.join("\n")).toMatch(/create on the service: g\/new\.md/);
});

test("status of a folder that is not trusted says so first, with what to do, and nothing of what it claims", async () => {
  await rig.init();
  rmSync(rig.stateHome, { recursive: true });
  const { code, out, err } = await rig.run(["status", "w"]);
  expect([code, err]).toEqual([2, []]);
  expect(out).toEqual([expect.stringContaining(rig.root), expect.stringContaining(`mdmirror trust ${rig.root}`)]);
  const attention = [expect.objectContaining({ kind: "untrusted", code: "untrusted" })];
  expect(await rig.json(["status", "w"])).toEqual({ exit: 2, state: "untrusted", attention });
});

describe("status --short", () => {
  beforeEach(async () => {
    rig.write("a.md", "a\n");
  });

  const short = async (...more: string[]) => {
    const { code, out, err } = await rig.run(["status", "--short", ...more], { cwd: rig.root });
    return { code, out, err };
  };
  const sync = () => rig.run(["sync", "w"]);

  test("prints nothing outside of linked folders, with exit 2; a folder that is named must be one", async () => {
    mkdirSync(rig.root, { recursive: true });
    expect(await short()).toEqual({ code: 2, out: [], err: [] });
    expect(await short("--json")).toEqual({ code: 2, out: [], err: [] });
    expect((await short(rig.root)).err[0]).toContain("is not a linked folder");
  });

  test("is one word where all is well, anywhere in the linked folder, and by its name", async () => {
    await rig.init();
    rig.write("deep/er/b.md", "b\n");
    await sync();
    for (const [argv, cwd] of [
      [[], rig.root],
      [[], rig.path("deep/er")],
      [["w"], rig.dir],
    ] as const) {
      const { code, out, err } = await rig.run(["status", "--short", ...argv], { cwd });
      expect([code, out, err]).toEqual([0, ["in-sync"], []]);
    }
  });

  test("counts what is open, without a name of it", async () => {
    await rig.init();
    for (const name of ["held", "both"]) rig.write(`${name}.md`, "one\n");
    await sync();
    rig.editRemotely("both.md", "theirs\n");
    rig.write("both.md", "mine\n");
    rig.write("held.md", "\0");
    expect((await sync()).code).toBe(3);
    expect(await short()).toEqual({ code: 3, out: ["attention conflicts:1 blocked:1"], err: [] });
    expect(await rig.json(["status", "--short", "w"])).toEqual({
      exit: 3,
      state: "attention",
      conflicts: 1,
      blocked: 1,
      waiting: 0,
      reviews: 0,
      daemon: "none",
      inSyncAsOf: expect.any(Number),
    });
  });

  test("names what waits in review, which is no attention", async () => {
    await rig.init();
    expect((await rig.run(["protect", "w/a.md"])).code).toBe(0);
    rig.write("a.md", "for review\n");
    // Without a terminal, mdmirror sends the edit only after two syncs saw the same content.
    await sync();
    expect(await short()).toEqual({ code: 3, out: ["attention waiting:1"], err: [] });
    await sync();
    expect(await short()).toEqual({ code: 0, out: ["in-sync reviews:1"], err: [] });
  });

  test("shows a service that is not reached, and excludes all options but --json", async () => {
    await rig.init();
    await rig.stopService();
    expect((await sync()).code).toBe(5);
    expect(await short()).toEqual({ code: 5, out: ["offline"], err: [] });
    const other = await rig.run(["status", "--short", "--max-age", "1m"], { cwd: rig.root });
    expect([other.code, other.err[0]]).toEqual([2, "mdmirror status: --short can be combined with --json only"]);
  });

  test("does not wait for a daemon that does not answer, and still shows the state", async () => {
    await rig.init();
    const socket = unwrap(chooseSocketPath(rig.root, { env: { XDG_RUNTIME_DIR: rig.dir } }));
    const callers: Socket[] = [];
    const server = createServer((caller) => void callers.push(caller));
    await new Promise<void>((resolve) => void server.listen(socket, resolve));
    onTestFinished(() => {
      for (const caller of callers) caller.destroy();
      server.close();
    });
    writeSocketPath(rig.path(".mdmirror"), { socket: socket, pid: 4242, since: 0 });
    expect(await short()).toEqual({ code: 0, out: ["in-sync silent"], err: [] });
    expect(callers.length).toBeGreaterThan(0);
  });

  test("believes and asks nothing in a folder that is not known as the user's, or cannot be admitted", async () => {
    await rig.init();
    const env = { XDG_STATE_HOME: join(rig.dir, "another") };
    const { code, out, err } = await rig.run(["status", "--short"], { cwd: rig.root, env });
    expect([code, out, err]).toEqual([2, ["untrusted"], []]);
    rig.write(".mdmirror/config.json", JSON.stringify({ url: "nonsense" }));
    expect(await short()).toEqual({ code: 2, out: ["unreadable"], err: [] });
  });
});

describe("what a command wrote locally", () => {
  /** The folder is not in sync: a command edited a file, and no run has sent the edit yet. */

  beforeEach(async () => {
    rig.createRemotely("a.md", "one\n");
    await rig.init();
    rig.write("a.md", "one\ntwo\nthree\n");
    rig.pass(60_000);
    await rig.run(["sync", "w"]);
  });

  async function status(): Promise<readonly unknown[]> {
    const { exit, state, attention } = await rig.json(["status", "w"]);
    return [exit, state, attention];
  }

  test.each([
    ["restore", ["restore", "w/a.md@1"]],
    ["undo", ["undo", "w", "--yes"]],
  ])("content that %s wrote locally is not in sync before a run has sent it", async (what, argv) => {
    expect(await status()).toEqual([0, "in-sync", []]);
    expect((await rig.run([...argv, "--no-sync"])).code).toBe(0);
    const detail = `the files that ${what} changed are not uploaded yet`;
    const unsent = { path: "", kind: "unproven", code: null, detail, next: "mdmirror sync" };
    expect(await status()).toEqual([3, "attention", [unsent]]);
    await rig.run(["sync", "w"]);
    expect(await status()).toEqual([0, "in-sync", []]);
  });
});

describe("after runs that did not prove both sides equal", () => {
  let answers: (path: string) => WireResponse | null = () => null;
  const rig = useRig();
  beforeEach(async () => {
    answers = () => null;
    rig.intercept = ({ path }) => answers(path);
    for (const name of ["a", "b", "c", "d", "e", "f"]) rig.createRemotely(`${name}.md`, `${name}\n`);
    await rig.init();
  });

  const list = (data: readonly unknown[]): WireResponse => ({
    status: 200,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ object: "list", data, hasMore: false, nextCursor: null }),
  });
  const editOnBothSides = (path: string) => rig.editBoth(path, "mine\n", "theirs\n");
  const readOnly = () => {
    for (const { id } of rig.service.admin.keys())
      rig.service.admin.changeKey(id, { grants: [{ on: null, level: "read" }] });
  };

  type Report = {
    readonly state: string;
    readonly attention: readonly { readonly path: string; readonly kind: string }[];
  };

  const report = (...argv: string[]) => rig.json<Report>(argv);

  /** Exit code of a command that reports the state. */
  const EXIT = { attention: 3, stopped: 4, offline: 5 } as const;

  const OPEN: readonly (readonly [string, () => void, state: keyof typeof EXIT, kinds: readonly string[]])[] = [
    ["a conflict", () => editOnBothSides("a.md"), "attention", ["conflict"]],
    [
      "a refused write",
      () => {
        readOnly();
        rig.write("a.md", "mine\n");
      },
      "attention",
      ["read-only"],
    ],
    [
      "a text that is no UTF-8",
      () => writeFileSync(rig.path("a.md"), Buffer.from([0xff, 0xfe, 0x41])),
      "attention",
      ["not-utf-8"],
    ],
    [
      "a list that cannot be understood",
      () => {
        answers = (path) => (path.startsWith("/v1/files?") ? list([{ id: "doc_odd" }]) : null);
      },
      "attention",
      ["listing-misread", "not-seen", "not-seen", "not-seen", "not-seen", "not-seen", "not-seen"],
    ],
    [
      "a list of folders that is refused",
      () => {
        answers = (path) => (path.startsWith("/v1/folders") ? { ...list([]), status: 403, body: "{}" } : null);
      },
      "attention",
      ["listing-cut-short"],
    ],
    [
      "a protected text that waits to be sent",
      () => {
        rig.protectRemotely("a.md");
        rig.write("a.md", "mine\n");
      },
      "attention",
      ["review-delayed"],
    ],
    [
      "deletions that a guard stops",
      () => {
        for (const name of ["a", "b", "c", "d", "e", "f"]) rig.remove(`${name}.md`);
      },
      "stopped",
      ["local-emptied"],
    ],
    [
      "something else in the place of the service",
      () => {
        answers = () => ({ status: 200, headers: { "content-type": "text/html" }, body: "<html>" });
      },
      "offline",
      ["offline"],
    ],
  ];

  describe("status after a run", () => {
    test.each(OPEN)(
      "that ended with %s says what is open, and last sync the run before",
      async (_name, befall, state, kinds) => {
        rig.pass(3_600_000);
        befall();
        const sync = await report("sync", "w");
        expect([sync.state, sync.exit, sync.attention.map(({ kind }) => kind)]).toEqual([state, EXIT[state], kinds]);
        const status = await report("status", "w", "--max-age", "15m");
        expect([status.state, status.exit]).toEqual([state, EXIT[state]]);
        expect(status.attention).toEqual(sync.attention);
        expect((status as unknown as { ageSeconds: number }).ageSeconds).toBeGreaterThanOrEqual(3_600);
        answers = () => null;
      },
    );

    test("with --quiet a problem that ends by itself is not reported; the state is still not in sync", async () => {
      rig.protectRemotely("a.md");
      rig.write("a.md", "mine\n");
      const first = await rig.run(["sync", "w", "--quiet"]);
      expect([first.code, first.out, first.err]).toEqual([3, [], []]);
      const answer = await report("status", "w");
      expect(answer).toMatchObject({ state: "attention", attention: [{ path: "a.md", kind: "review-delayed" }] });
      expect(await rig.syncCounts()).toEqual({ submitted: 1 });
      expect((await rig.run(["status", "w"])).code).toBe(0);
    });

    test("a folder that was never in sync ends with 3", async () => {
      for (const file of ["state.db", "texts.db"]) rmSync(join(rig.root, ".mdmirror", file));
      expect(await report("status", "w")).toMatchObject({ state: "never", exit: 3, syncedAt: null });
    });
  });

  describe("sync", () => {
    test("sends in one run what was edited while a rule of .mdmirrorignore left it out (I02)", async () => {
      rig.write(".mdmirrorignore", "/a.md\n");
      rig.write("a.md", "edited\n");
      rig.editRemotely("b.md", "from the app\n");
      expect(await rig.syncCounts()).toEqual({ downloaded: 1 });
      rig.remove(".mdmirrorignore");
      expect(await rig.syncCounts()).toEqual({ uploaded: 1 });
      expect(rig.remote("a.md")!.content).toBe("edited\n");
      expect(await rig.syncCounts()).toEqual({});
    });
  });

  describe("verify", () => {
    test("what the ignore rules leave out is no drift (I18)", async () => {
      appendFileSync(rig.path(".mdmirrorignore"), "/a.md\n");
      rig.rename("b.md", "b2.md");
      await rig.run(["sync", "w"]);
      expect(await report("verify", "w")).toMatchObject({ agree: true, exit: 0 });
      expect(await rig.json(["status", "w"])).toMatchObject({ staysLocal: { ignored: 1 } });
    });
  });

  test("writes that keep failing are reported once, with what the service says", async () => {
    const body = JSON.stringify({
      code: "service_unavailable",
      status: 503,
      detail: "The disk is full.",
      requestId: "r",
    });
    const full: WireResponse = { status: 503, headers: { "content-type": "application/problem+json" }, body };
    answers = (path) => (path === "/v1/files" ? full : null);
    for (const name of ["n1", "n2", "n3", "n4"]) rig.write(`${name}.md`, `${name}\n`);
    const { code, err } = await rig.run(["sync", "w"]);
    expect([code, err[0]]).toEqual([3, expect.stringMatching(/^4 documents: unfinished: .*The disk is full\.$/)]);
    expect((await rig.run(["status", "w"])).out).toContain(err[0]);
  });
});
