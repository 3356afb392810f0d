import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { WireResponse } from "../../src/contract/wire.ts";
import { useRig } from "./rig.ts";

/** Output of `status`, `plan` and `verify` after runs that did not prove both sides equal. */

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
const editOnBothSides = (path: string) => {
  rig.write(path, "mine\n");
  rig.editRemotely(path, "theirs\n");
};
const readOnly = () => {
  for (const { id } of rig.service.admin.keys())
    rig.service.admin.changeKey(id, { grants: [{ on: null, level: "read" }] });
};

type Told = { readonly state: string; readonly attention: readonly { readonly path: string; readonly kind: string }[] };

const tell = (...argv: string[]) => rig.json<Told>(argv);

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
      const sync = await tell("sync", "w");
      expect([sync.state, sync.exit, sync.attention.map(({ kind }) => kind)]).toEqual([state, EXIT[state], kinds]);
      const status = await tell("status", "w", "--max-age", "15m");
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
    const answer = await tell("status", "w");
    expect(answer).toMatchObject({ state: "attention", attention: [{ path: "a.md", kind: "review-delayed" }] });
    expect(await rig.syncCounts()).toEqual({ submitted: 1 });
    expect((await rig.run(["status", "w"])).code).toBe(0);
  });

  test("a folder that was never in sync ends with 3", async () => {
    for (const file of ["state.db", "texts.db"]) rmSync(join(rig.root, ".mdmirror", file));
    expect(await tell("status", "w")).toMatchObject({ state: "never", exit: 3, syncedAt: null });
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
    expect(await tell("verify", "w")).toMatchObject({ agree: true, exit: 0 });
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
