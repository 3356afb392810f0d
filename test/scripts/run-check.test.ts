import { join } from "node:path";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { runCheck } from "../../scripts/run-check.ts";

const check = (command: string, ...args: string[]) => ({ name: "a check", shows: "", command, args, look: "" });
const run = (command: string, ...args: string[]) => runCheck(check(command, ...args), tmpdir(), "pipe");

test("a check whose program is missing has failed, and says which program", async () => {
  const missing = join(tmpdir(), "no-such-program");
  expect(await run(missing)).toMatchObject({ ok: false, said: expect.stringContaining(`${missing} cannot be run: `) });
  expect(await runCheck(check(missing), tmpdir(), "inherit")).toMatchObject({ ok: false });
});

const node = (script: string) => run(process.execPath, "--eval", script);

test("a check is ok with exit code 0 alone; what it printed is returned", async () => {
  expect(await node("console.log('as it is'); console.error('and why')")).toMatchObject({
    ok: true,
    said: "as it is\nand why\n",
  });
  expect(await node("process.exitCode = 3")).toMatchObject({ ok: false, said: "" });
  expect(await node("process.kill(process.pid, 'SIGKILL')")).toMatchObject({ ok: false });
});
