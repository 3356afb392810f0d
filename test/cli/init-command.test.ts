import { expect, test } from "vitest";
import { initCommand } from "../../src/cli/commands/serve.ts";

test.each([
  ["http://127.0.0.1:8420", "--url http://127.0.0.1:8420"],
  ["http://0.0.0.0:8420", "--url http://127.0.0.1:8420"],
  ["http://[::]:8420", "--url http://[::1]:8420"],
  ["http://[::1]:8420", "--url http://[::1]:8420"],
  ["http://192.0.2.2:8420", "--url http://192.0.2.2:8420 --allow-http 192.0.2.2"],
  ["https://0.0.0.0:8420", "--url https://0.0.0.0:8420"],
])("what serve says to try for %s can be pasted", (url, want) => {
  expect(initCommand(url, "/a b/key")).toBe(`mdmirror init my-notes ${want} --key-file '/a b/key'`);
});
