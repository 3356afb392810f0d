import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { type CommandResult, type RunOptions, useRig } from "./rig.ts";

const rig = useRig();
beforeEach(async () => {
  await rig.init();
});

/** Runs the command until `work` is done with the line that contains the address. */
async function runUi(
  argv: readonly string[],
  work: (line: string) => unknown,
  options: RunOptions = {},
): Promise<CommandResult> {
  const stop = new AbortController();
  const onOut = async (line: string) => {
    await work(line);
    stop.abort();
  };
  return rig.run(["ui", ...argv], { ...options, stop: stop.signal, onOut });
}

const URL_LINE = /^http:\/\/127\.0\.0\.1:\d+\/enter\?token=[0-9a-f]{64}$/;

describe("ui", () => {
  test("prints one address, answers at it, and ends with 0", async () => {
    let status = 0;
    const ran = await runUi(["--no-open"], async (line) => {
      status = (await fetch(line, { redirect: "manual" })).status;
    });
    expect(ran).toMatchObject({ code: 0, out: [expect.stringMatching(URL_LINE)], err: [] });
    expect(status).toBe(303);
    await expect(fetch(ran.out[0]!)).rejects.toThrow();
  });

  test("--json prints it as an object", async () => {
    const { out } = await runUi(["--json"], () => undefined);
    expect(JSON.parse(out[0]!)).toEqual({ url: expect.stringMatching(URL_LINE) });
  });

  test("shows the named linked folders alone, and all without a name", async () => {
    await rig.link("other");
    const shown = async (...argv: string[]) => {
      let text = "";
      await runUi(argv, async (line) => {
        const { headers } = await fetch(line, { redirect: "manual" });
        const cookie = headers.get("set-cookie")!.split(";")[0]!;
        text = await (await fetch(new URL("/", line), { headers: { cookie } })).text();
      });
      return [...text.matchAll(/<th scope="row"><a href="\/m\/([^"]+)"/g)].map((match) => match[1]);
    };
    expect(await shown()).toEqual(["other", "w"]);
    expect(await shown("w")).toEqual(["w"]);
  });

  test.each([
    [["--port", "x"], "mdmirror ui: --port takes"],
    [["--port", "65536"], "mdmirror ui: --port takes"],
    [["nowhere"], "mdmirror: nowhere is not a linked folder: it has no .mdmirror/, nor the name of a linked folder"],
  ])("%o is refused", async (argv, said) => {
    const { code, err } = await rig.run(["ui", ...argv]);
    expect([code, err[0]]).toEqual([2, expect.stringContaining(said)]);
  });

  test("a port that is taken is reported, with what to do", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as { port: number };
    const { code, err } = await rig.run(["ui", "--port", String(port)]);
    other.close();
    expect([code, err[0]]).toEqual([2, expect.stringContaining("(EADDRINUSE)")]);
  });

  test("on a terminal of a desktop it opens the browser, without the key in its environment", async () => {
    const bin = join(rig.dir, "bin");
    const called = join(rig.dir, "called");
    mkdirSync(bin);
    writeFileSync(
      join(bin, "xdg-open"),
      `#!/bin/sh\necho "$1 $MDMIRROR_API_KEY" > ${called}.new && mv ${called}.new ${called}\n`,
    );
    chmodSync(join(bin, "xdg-open"), 0o755);
    const before = process.env["PATH"];
    process.env["PATH"] = `${bin}:${before}`;
    try {
      const env = { DISPLAY: ":9", MDMIRROR_API_KEY: "mdm_secret", PATH: process.env["PATH"] };
      const ran = await runUi([], () => expect.poll(() => existsSync(called)).toBe(true), { terminal: true, env });
      expect(ran.err).toEqual(["opening it in your browser; Ctrl-C ends it"]);
      expect(readFileSync(called, "utf8")).toBe(`${ran.out[0]} \n`);
    } finally {
      process.env["PATH"] = before;
    }
  });
});
