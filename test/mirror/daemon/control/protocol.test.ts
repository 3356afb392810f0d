import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import {
  boundReport,
  type ControlRequest,
  MAX_ANSWER,
  MAX_REQUEST,
  PROTOCOL_VERSION,
} from "../../../../src/mirror/daemon/control/protocol.ts";
import { answering, listening, root, useFolders } from "./rig.ts";

useFolders();

/** Raw lines to the socket and what comes back, until it is closed or so many lines came. */
function say(socket: string, bytes: string | Buffer, lines = 1): Promise<Record<string, unknown>[]> {
  return new Promise((resolve, reject) => {
    let text = "";
    const client = connect(socket, () => client.write(bytes));
    const end = () => {
      client.destroy();
      resolve(
        text
          .trimEnd()
          .split("\n")
          .filter(Boolean)
          .map((line) => JSON.parse(line) as Record<string, unknown>),
      );
    };
    client.on("data", (chunk: Buffer) => {
      text += chunk.toString("utf8");
      if (text.split("\n").length > lines) end();
    });
    client.on("close", end);
    client.on("error", reject);
  });
}

const line = (members: object) => `${JSON.stringify({ protocol: PROTOCOL_VERSION, root, ...members })}\n`;

describe("what is no request is refused", () => {
  test.each<[string, () => string, string]>([
    ["no JSON", () => "sync\n", "one JSON object"],
    ["a list", () => "[1]\n", "one JSON object"],
    ["an unknown verb", () => line({ do: "shutdown" }), "not known"],
    ["a verb of Object's", () => line({ do: "constructor" }), "not known"],
    ["another protocol", () => line({ do: "sync", protocol: 99 }), `protocol ${PROTOCOL_VERSION}`],
    ["a borrower that is no command", () => line({ do: "lend", what: "rm -rf /" }), "not known"],
  ])("%s", async (_name, bytes, why) => {
    const asked: ControlRequest[] = [];
    const { socket } = await listening(async (request) => {
      asked.push(request);
      return { kind: "done", value: {} };
    });
    const [reply] = await say(socket, bytes());
    expect(reply).toMatchObject({ kind: "refused", trouble: { kind: "usage" } });
    expect(JSON.stringify(reply)).toContain(why);
    expect(asked).toEqual([]);
  });

  test("a line longer than the bound ends the connection", async () => {
    const { socket } = await listening(answering);
    const [reply] = await say(socket, "x".repeat(MAX_REQUEST + 1), 2);
    expect(reply).toMatchObject({ kind: "refused" });
  });

  test("the first request of a connection is answered, and no other", async () => {
    const asked: ControlRequest[] = [];
    const { socket } = await listening(async (request) => {
      asked.push(request);
      return { kind: "done", value: {} };
    });
    expect(await say(socket, line({ do: "status" }) + line({ do: "sync" }))).toEqual([{ kind: "done", value: {} }]);
    expect(asked).toEqual([{ do: "status" }]);
  });
});

test("a report has one line, however many rows its lists have", () => {
  const rows = Array.from({ length: 30_000 }, (_, n) => ({ path: `${n}-${"long".repeat(40)}.md`, detail: "" }));
  const lists = { attention: rows, beside: rows, renamed: rows, madeWay: rows, oneWay: rows, stopped: rows };
  const report = boundReport({ safetyStop: null, ...lists } as never);
  expect(JSON.stringify(report).length).toBeLessThan(MAX_ANSWER / 2);
  expect(Object.keys(report)).toEqual(["safetyStop", ...Object.keys(lists)]);
});
