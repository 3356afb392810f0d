import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { useRig } from "./rig.ts";

const rig = useRig();

const upload = (path: string, content: string) => rig.api("POST", "/v1/files", { path, content }) as { id: string };

describe("status", () => {
  test("says last sync when, from the state alone", async () => {
    upload("a/b.md", "b\n");
    await rig.init();
    await rig.stopService();
    rig.pass(5 * 60_000);
    const { code, out } = await rig.run(["status", "w"]);
    expect([code, out]).toEqual([
      0,
      [`1 document in 1 folder, linked to ${rig.url}`, "In sync: last sync 5 min ago, nothing pending"],
    ]);
  });

  test("--max-age ends with 3 when the last sync is older", async () => {
    await rig.init();
    expect((await rig.run(["status", "w", "--max-age", "15m"])).code).toBe(0);
    rig.pass(16 * 60_000);
    const { code, err } = await rig.run(["status", "w", "--max-age", "15m"]);
    expect([code, err]).toEqual([3, ["mdmirror: not in sync within 15m; next: mdmirror sync"]]);
    expect((await rig.run(["status", "w", "--max-age", "1h"])).code).toBe(0);
  });

  test("--json holds the same facts in one object", async () => {
    upload("both.md", "theirs\n");
    rig.write("both.md", "mine\n");
    await rig.init();
    rig.pass(90_000);
    const { code, out } = await rig.run(["status", "w", "--json"]);
    expect(code).toBe(3);
    const status = JSON.parse(out[0]!);
    expect(status).toMatchObject({
      state: "attention",
      documents: 1,
      pending: 0,
      conflicts: ["both.md"],
      reviews: [],
      safetyStop: null,
      staysLocal: { "conflict-copy": 1 },
    });
    // The first run ended with the conflict, so it was never in sync.
    expect([status.syncedAt, status.ageSeconds]).toEqual([null, null]);
    expect(status.attention[0]).toMatchObject({ path: "both.md", kind: "conflict" });
  });

  test("of a folder whose state is gone says that it was never in sync", async () => {
    await rig.init();
    for (const file of ["state.db", "texts.db"]) rmSync(join(rig.root, ".mdmirror", file));
    expect((await rig.run(["status", "w"])).out[1]).toBe("Never synced; run: mdmirror sync");
  });
});

describe("protect and unprotect", () => {
  test("send changes to review, and let them go live again; the local text stays as it is (I31)", async () => {
    upload("a.md", "a\n");
    await rig.init();
    expect((await rig.run(["protect", "w/a.md"])).code).toBe(0);
    expect(rig.remote("a.md")!.protected).toBe(true);
    rig.write("a.md", "a, edited\n");
    await rig.run(["sync", "w"], { terminal: true });
    expect(await rig.json(["status", "w"])).toMatchObject({ reviews: ["a.md"] });
    expect([rig.read("a.md"), rig.remote("a.md")!.content]).toEqual(["a, edited\n", "a\n"]);
    expect((await rig.run(["unprotect", "a.md"], { cwd: rig.root })).code).toBe(0);
    expect(rig.remote("a.md")!.protected).toBe(false);
  });

  test("name a key that may not, a path that is no document, and a path outside of a mirror", async () => {
    upload("a.md", "a\n");
    await rig.init();
    for (const { id } of rig.service.admin.keys()) rig.service.admin.setGrants(id, [{ on: null, level: "edit" }]);
    const refused = await rig.run(["protect", "w/a.md"]);
    expect(refused.code).toBe(2);
    expect(refused.err[0]).toMatch(/a\.md: .*\(forbidden, request req_\w+\)$/);
    expect(refused.err[1]).toContain("--key-file FILE");
    expect((await rig.run(["protect", "w/none.md"])).code).toBe(2);
    expect((await rig.run(["protect", "a.md"])).code).toBe(2);
  });
});

describe("fix-names", () => {
  test("renames what the service names otherwise, deepest first; each document stays the same one (I09)", async () => {
    rig.write("My notes.md", "notes\n");
    rig.write("My folder/To do.md", "to do\n");
    await rig.init();
    const before = [rig.remote("My-notes.md")!.id, rig.remote("My-folder/To-do.md")!.id];
    const { code, out } = await rig.run(["fix-names", "w"]);
    expect([code, out]).toEqual([
      0,
      [
        "My folder/To do.md → My folder/To-do.md",
        "My folder → My-folder",
        "My notes.md → My-notes.md",
        "3 names changed; next: mdmirror sync",
      ],
    ]);
    expect(await rig.syncCounts()).toEqual({});
    expect([rig.remote("My-notes.md")!.id, rig.remote("My-folder/To-do.md")!.id]).toEqual(before);
    expect((await rig.run(["fix-names", "w"])).out).toHaveLength(1);
  });

  test("leaves a name whose legal one is taken, and ends with 3", async () => {
    rig.write("a b.md", "one\n");
    rig.write("a-b.md", "two\n");
    await rig.init();
    const { code, err } = await rig.run(["fix-names", "w"]);
    expect([code, err]).toEqual([3, ["a b.md: not renamed: that name is taken; rename one of the two yourself"]]);
  });
});

describe("serve", () => {
  test("imports a folder, prints URL and key file, reports by reason with names, and ends cleanly when told to", async () => {
    mkdirSync(join(rig.dir, "seed/sub"), { recursive: true });
    for (const [name, text] of [
      ["a.md", "a\n"],
      ["sub/b.md", "b\n"],
      ["with space.md", "c\n"],
      ["picture.png", ""],
    ])
      writeFileSync(join(rig.dir, "seed", name!), text!);
    const stop = new AbortController();
    let answered: number | null = null;
    const ran = await rig.run(["serve", "--port", "0", "--data", "data", "--import", "seed"], {
      stop: stop.signal,
      onOut: (line) => {
        const url = /^serving (\S+)$/.exec(line)?.[1];
        if (url === undefined) return;
        void fetch(`${url}/v1/files`).then(({ status }) => {
          answered = status;
          stop.abort();
        });
      },
    });
    expect([ran.code, answered, ran.err]).toEqual([0, 401, []]);
    expect(ran.out.slice(0, 3)).toEqual([
      "imported 3 files in 1 folder (0.0 MB)",
      "  under another name: 1 (with space.md as with-space.md)",
      "  not imported, not-markdown: 1 (picture.png)",
    ]);
    expect(ran.out[4]).toBe(`key: ${join(rig.dir, "data/key")} (admin: ${join(rig.dir, "data/admin-key")})`);
    expect(existsSync(join(rig.dir, "data/service.db-wal"))).toBe(false);
  });

  test("tells by --docs-base where an error is explained, with or without a slash at its end", async () => {
    for (const [base, type] of [
      ["https://docs.example.org/api/", "https://docs.example.org/api/errors/unauthenticated"],
      ["http://docs.example.org", "http://docs.example.org/errors/unauthenticated"],
    ] as const) {
      const stop = new AbortController();
      let told: unknown = null;
      const ran = await rig.run(["serve", "--port", "0", "--data", "data", "--docs-base", base], {
        stop: stop.signal,
        onOut: (line) => {
          const url = /^serving (\S+)$/.exec(line)?.[1];
          if (url === undefined) return;
          void fetch(`${url}/v1/files`)
            .then((answer) => answer.json())
            .then((problem) => {
              told = (problem as { readonly type: string }).type;
              stop.abort();
            });
        },
      });
      expect([ran.code, told]).toEqual([0, type]);
    }
  });

  test("names a taken port, a folder that is not there, and certificates that cannot be read", async () => {
    const port = new URL(rig.url).port;
    const taken = await rig.run(["serve", "--port", port, "--data", "data"]);
    expect([taken.code, taken.err[0]]).toEqual([2, `mdmirror: port ${port} of 127.0.0.1 is taken (EADDRINUSE)`]);
    const nowhere = await rig.run(["serve", "--port", "0", "--data", "data", "--import", "none"]);
    expect([nowhere.code, nowhere.err[0]]).toEqual([
      2,
      `mdmirror: ${join(rig.dir, "none")} cannot be imported: it does not exist (ENOENT)`,
    ]);
    const tls = await rig.run(["serve", "--port", "0", "--data", "data", "--tls-cert", "c.pem", "--tls-key", "k.pem"]);
    expect([tls.code, tls.err[0]]).toEqual([
      2,
      `mdmirror: ${join(rig.dir, "c.pem")} cannot be read: it does not exist`,
    ]);
  });
});
