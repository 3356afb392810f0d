import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { useRig } from "./rig.ts";
import { formatInitCommand } from "../../src/cli/commands/serve.ts";

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
