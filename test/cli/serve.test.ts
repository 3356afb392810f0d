import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type CommandResult, useRig } from "./rig.ts";
import { formatInitCommand } from "../../src/cli/commands/serve.ts";
import { unwrap } from "../../src/common/trouble.ts";
import { type RunningService, startService } from "../../src/service/serve.ts";
import { openData } from "../../src/service/data.ts";
import { TEST_CERTIFICATE, TEST_KEY } from "../remote/test-certificate.ts";
import { SERVE } from "../service/fixture.ts";

const rig = useRig();

describe("serve", () => {
  test("imports a folder, prints URL and key file, reports by reason with names, and ends cleanly when stopped", async () => {
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

  test("names a taken port, a missing folder, and unreadable certificates", async () => {
    const port = new URL(rig.url).port;
    const taken = await rig.run(["serve", "--port", port, "--data", "data"]);
    expect([taken.code, taken.err[0]]).toEqual([2, `mdmirror: port ${port} of 127.0.0.1 is taken (EADDRINUSE)`]);
    const nowhere = await rig.run(["serve", "--port", "0", "--data", "data", "--import", "none"]);
    expect([nowhere.code, nowhere.err[0]]).toEqual([2, expect.stringContaining("(ENOENT)")]);
    const tls = await rig.run(["serve", "--port", "0", "--data", "data", "--tls-cert", "c.pem", "--tls-key", "k.pem"]);
    expect(tls.code).toBe(2);
  });
});

test.each([
  ["http://127.0.0.1:8420", "--url http://127.0.0.1:8420"],
  ["http://0.0.0.0:8420", "--url http://127.0.0.1:8420"],
  ["http://[::]:8420", "--url http://[::1]:8420"],
  ["http://[::1]:8420", "--url http://[::1]:8420"],
  ["http://192.0.2.2:8420", "--url http://192.0.2.2:8420 --allow-http 192.0.2.2"],
  ["https://0.0.0.0:8420", "--url https://0.0.0.0:8420"],
])("what serve says to try for %s can be pasted", (url, want) => {
  expect(formatInitCommand(url, "/a b/key")).toBe(`mdmirror init my-notes ${want} --key-file '/a b/key'`);
});

describe("serve admin", () => {
  let data: string;
  beforeEach(async () => {
    data = join(rig.dir, "data");
    await (await openData(data)).close();
  });

  const admin = (...argv: string[]) => rig.run(["serve", "admin", ...argv, "--data", "data"]);
  const serve = async (tls: { certFile: string; keyFile: string } | null = null): Promise<RunningService> => {
    return unwrap(await startService({ ...SERVE, data, tls }));
  };
  const json = (ran: CommandResult) => JSON.parse(ran.out[0]!);

  /** The two ways to administer a service: while it runs, and by its data folder alone. */
  const WAYS = { "with the service running": true, "with the folder alone": false } as const;

  describe.each(Object.keys(WAYS) as (keyof typeof WAYS)[])("%s", (way) => {
    let serving: RunningService | null = null;
    beforeEach(async () => {
      serving = WAYS[way] ? await serve() : null;
    });
    afterEach(() => serving?.close());

    test("a key is made, listed by its paths, changed and revoked", async () => {
      const made = await admin(
        "keys",
        "create",
        "--label",
        "laptop",
        "--grant",
        "/=read",
        "--rate",
        "5/1",
        "--out",
        "k",
      );
      expect([made.code, made.err]).toEqual([0, []]);
      expect(made.out[0]).toMatch(
        /^created the key laptop of main: \/=read; does not expire; 5 requests in 1 s \(key_\w+\)$/,
      );
      const file = join(rig.dir, "k");
      expect(readFileSync(file, "utf8")).toMatch(/^mdm_[\w-]{43}\n$/);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const changed = await admin(
        "keys",
        "change",
        "laptop",
        "--grant",
        "/=edit",
        "--rate",
        "none",
        "--expires",
        "30d",
      );
      expect(changed.out[0]).toMatch(/^changed the key laptop: \/=edit; expires 20\d\d-.*; no rate of its own$/);
      const { keys } = json(await admin("keys", "--workspace", "main", "--json"));
      expect(keys.map(({ label, workspace, grants }: never) => ({ label, workspace, grants }))).toEqual([
        { label: "owner", workspace: "main", grants: [{ path: "/", level: "full", waits: false }] },
        { label: "laptop", workspace: "main", grants: [{ path: "/", level: "edit", waits: false }] },
      ]);
      expect((await admin("keys", "revoke", "laptop")).out[0]).toMatch(/^revoked the key laptop \(key_/);
      expect((await admin("keys")).out.join()).not.toContain("laptop");
    });

    test("workspaces are made, closed, opened and removed, the last not without a yes", async () => {
      const made = json(await admin("workspaces", "create", "second", "--json"));
      expect(made.text).toMatch(/^mdm_/);
      expect((await admin("workspaces", "create", "second")).err[0]).toBe(
        "mdmirror: the workspace second already exists",
      );
      await admin("workspaces", "close", "second");
      expect((await admin("workspaces")).out[1]).toMatch(/^second {2}closed {2}0 documents {2}0 in review {2}wsp_/);
      await admin("workspaces", "open", made.key.workspaceId);
      const kept = await admin("workspaces", "remove", "second");
      expect(kept.code).toBe(2);
      expect((await admin("workspaces", "remove", "second", "--yes")).code).toBe(0);
      expect(json(await admin("workspaces", "--json")).workspaces).toHaveLength(1);
      expect((await admin("keys")).out[1]).toContain("(a removed workspace)");
    });
  });

  /**
   * Sends these contents to `a.md` in the data folder, each based on the first version. The first
   * is published, the later ones go to review. Returns the ids of the reviews.
   */
  async function inReview(...texts: readonly string[]): Promise<string[]> {
    const opened = await openData(data);
    const headers = { "x-api-key": opened.key, "content-type": "application/json" };
    const send = async (method: string, path: string, body: object) => {
      const answer = await opened.service.handle({ method, path, headers, body: JSON.stringify(body) });
      return JSON.parse(answer.body) as { id: string; lastChangeId: string };
    };
    const { id, lastChangeId } = await send("POST", "/v1/files", { path: "a.md", content: "base\n" });
    const ids: string[] = [];
    for (const content of texts) {
      ids.push((await send("PUT", `/v1/files/${id}/content`, { baseChangeId: lastChangeId, content })).id);
    }
    await opened.close();
    return ids.slice(1);
  }

  async function live(): Promise<string> {
    const opened = await openData(data);
    const headers = { "x-api-key": opened.key };
    const ask = async (path: string) =>
      JSON.parse((await opened.service.answer({ method: "GET", path, headers, body: null })).body);
    const { content } = (await ask(`/v1/files/${(await ask("/v1/files?path=a.md")).data[0].id}`)) as {
      content: string;
    };
    await opened.close();
    return content;
  }

  describe("reviews", () => {
    test("are listed with why, shown with both edits, and accepted by path with a text of both", async () => {
      const [id] = await inReview("live\n", "sent\n");
      const listed = await admin("reviews");
      expect(listed.code).toBe(3);
      expect(listed.out[0]).toMatch(
        new RegExp(`^/a\\.md {2}it conflicts with another edit {2}since .* {2}main {2}${id}$`),
      );
      const shown = await admin("reviews", "show", "/a.md");
      expect(shown.out.slice(1)).toEqual([
        ...["--- base/a.md", "+++ live/a.md", "@@ -1 +1 @@", "-base", "+live"],
        ...["--- live/a.md", "+++ sent/a.md", "@@ -1 +1 @@", "-live", "+sent"],
      ]);
      writeFileSync(join(rig.dir, "both.md"), "live and sent\n");
      expect((await admin("reviews", "accept", "a.md", "--content", "both.md")).code).toBe(0);
      expect(await live()).toBe("live and sent\n");
      expect(await admin("reviews")).toMatchObject({ code: 0, out: ["nothing is in review"] });
    });

    test("that no longer combine are left in review, with exit 3", async () => {
      const opened = await openData(data);
      const headers = { "x-api-key": opened.key, "content-type": "application/json" };
      const send = async (method: string, path: string, body: object) => {
        return JSON.parse((await opened.service.answer({ method, path, headers, body: JSON.stringify(body) })).body);
      };
      const file = await send("POST", "/v1/files", { path: "a.md", content: "base\n" });
      await send("PATCH", `/v1/files/${file.id}`, { protected: true });
      const content = { baseChangeId: file.lastChangeId, content: "sent\n" };
      const { id } = await send("PUT", `/v1/files/${file.id}/content`, content);
      await send("PATCH", `/v1/files/${file.id}`, { protected: false });
      await send("PUT", `/v1/files/${file.id}/content`, { ...content, content: "live\n" });
      await opened.close();
      const ran = await admin("reviews", "accept", id);
      expect([ran.code, ran.err[0]]).toEqual([3, expect.stringContaining("cannot be combined; nothing was saved")]);
      expect((await admin("reviews", "show", id)).out[0]).toContain("in review");
    });

    test("settled by somebody else meanwhile are reported; two reviews of a path need an id", async () => {
      const [first, second] = await inReview("live\n", "one\n", "two\n");
      const both = await admin("reviews", "reject", "a.md");
      expect([both.code, both.err[0]]).toEqual([2, `mdmirror: a.md names 2 reviews: ${first}; ${second}`]);
      expect((await admin("reviews", "reject", first!)).out).toEqual([
        "rejected: /a.md is unchanged; the submitted version stays in its history",
      ]);
      const again = await admin("reviews", "accept", first!);
      expect(again.code).toBe(2);
      expect(await live()).toBe("live\n");
    });
  });

  describe("words", () => {
    test("a label that would steer a terminal is shown escaped, in lines and in JSON", async () => {
      const label = "x\u001b[31m\nred\u202e";
      const made = await admin("keys", "create", "--label", label, "--grant", "/=read", "--json");
      expect(made.out[0]).toContain(String.raw`"x\u001b[31m\nred\u202e"`);
      const { out } = await admin("keys");
      expect([out.length, out[1]]).toEqual([2, expect.stringContaining(String.raw`"x\u{1b}[31m\nred\u{202e}"  main`)]);
    });

    test("a label of two keys is refused with both, and each is taken by its id", async () => {
      for (const level of ["read", "edit"]) await admin("keys", "create", "--label", "two", "--grant", `/=${level}`);
      const ran = await admin("keys", "revoke", "two");
      const ids = json(await admin("keys", "--json"))
        .keys.slice(1)
        .map(({ id }: { id: string }) => id);
      expect(ran.code).toBe(2);
      for (const id of ids) expect(ran.err[0]).toContain(id);
      expect((await admin("keys", "revoke", ids[0])).code).toBe(0);
      expect((await admin("keys", "revoke", "two")).code).toBe(0);
    });

    test("a grant on a path where nothing is gives nothing, which is said", async () => {
      const ran = await admin("keys", "create", "--label", "typo", "--grant", "/not-there=edit");
      expect([ran.code, ran.err[0]]).toEqual([3, expect.stringContaining("nothing exists at /not-there")]);
      expect((await admin("keys")).out[1]).toContain("/not-there=edit (nothing at this path)");
    });

    test("a key is not created if its file cannot be created", async () => {
      writeFileSync(join(rig.dir, "taken"), "mine\n");
      const ran = await admin("keys", "create", "--label", "x", "--grant", "/=read", "--out", "taken");
      expect([ran.code, ran.err[0]]).toEqual([2, expect.stringContaining("(EEXIST)")]);
      expect(readFileSync(join(rig.dir, "taken"), "utf8")).toBe("mine\n");
      const refused = await admin("keys", "create", "--label", "x".repeat(201), "--grant", "/=read", "--out", "new");
      expect([refused.code, existsSync(join(rig.dir, "new"))]).toEqual([2, false]);
      expect((await admin("keys")).out).toHaveLength(1);
    });
  });

  describe("which service", () => {
    test("a folder that is no service's is left as it is", async () => {
      mkdirSync(join(rig.dir, "other"));
      const ran = await rig.run(["serve", "admin", "keys", "--data", "other"]);
      expect([ran.code, ran.err[0]]).toEqual([2, expect.stringContaining("(ENOENT)")]);
      expect(existsSync(join(rig.dir, "other/admin-key"))).toBe(false);
    });

    test("the address is for this user alone, goes at the end, and a dead service's is seen through", async () => {
      const serving = await serve();
      const address = join(data, "address");
      expect(statSync(address).mode & 0o777).toBe(0o600);
      const left = readFileSync(address, "utf8");
      await serving.close();
      expect(existsSync(address)).toBe(false);
      writeFileSync(address, left, { mode: 0o600 });
      expect((await admin("keys")).code).toBe(0);
      expect(existsSync(address)).toBe(false);
    });

    test("a service with a certificate is reached by an address that leads to /admin alone", async () => {
      const [certFile, keyFile] = [join(rig.dir, "c.pem"), join(rig.dir, "k.pem")];
      writeFileSync(certFile, TEST_CERTIFICATE);
      writeFileSync(keyFile, TEST_KEY);
      const serving = await serve({ certFile, keyFile });
      const door = JSON.parse(readFileSync(join(data, "address"), "utf8")).url;
      const headers = { "x-api-key": serving.key };
      const statuses = [];
      for (const path of ["/v1/files", "/admin/keys", "/"])
        statuses.push((await fetch(door + path, { headers })).status);
      const ran = await admin("keys");
      await serving.close();
      expect([new URL(door).hostname, statuses, ran.code]).toEqual(["127.0.0.1", [404, 401, 404], 0]);
    });

    test("one on another machine takes its URL and admin key, over plain http only where that is said", async () => {
      const serving = await serve();
      const remote = ["--url", serving.url, "--admin-key-file", serving.adminKeyFile];
      const ask = (...argv: string[]) => rig.run(["serve-admin", "keys", ...argv]);
      expect((await ask(...remote)).code).toBe(0);
      const refused = await ask("--url", serving.url, "--admin-key-file", serving.keyFile);
      expect(refused.code).toBe(5);
      await serving.close();
      const gone = await ask(...remote);
      expect(gone.code).toBe(5);
      const plain = await ask("--url", "http://192.0.2.1", "--admin-key-file", serving.adminKeyFile);
      expect([plain.code, plain.err[0]]).toEqual([2, expect.stringContaining("plain http would show the key")]);
      expect((await ask("--url", serving.url)).err[0]).toContain("--url and --admin-key-file go together");
    });
  });
});
