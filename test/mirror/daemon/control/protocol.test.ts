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

const line = (members: object) => `${JSON.stringify({ protocol: PROTOCOL_VERSION, id: 7, root, ...members })}\n`;

describe("what is no request is refused", () => {
  test.each<[string, () => string, string]>([
    ["no JSON", () => "sync\n", "one JSON object"],
    ["a list", () => "[1]\n", "one JSON object"],
    ["an unknown member", () => line({ do: "sync", force: true }), '"force\\" is no member'],
    ["an unknown verb", () => line({ do: "shutdown" }), "not known here"],
    ["a verb of Object's", () => line({ do: "constructor" }), "not known here"],
    ["another protocol", () => line({ do: "sync", protocol: 99 }), `protocol ${PROTOCOL_VERSION}`],
    ["no id", () => line({ do: "sync", id: "7" }), '"id\\" must'],
    ["a borrower that is no command", () => line({ do: "lend", what: "rm -rf /" }), '"what\\" must'],
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
    expect(reply).toMatchObject({ id: 0, kind: "refused" });
  });

  test("requests cut anywhere are read whole, and several on a line each are answered by id", async () => {
    const { socket } = await listening(answering);
    const two = line({ do: "status", id: 1 }) + line({ do: "status", id: 2 });
    const replies = await say(socket, two, 2);
    expect(replies.map(({ id }) => id)).toEqual([1, 2]);
  });
});

test("a report has one line, however many rows its lists have", () => {
  const rows = Array.from({ length: 30_000 }, (_, n) => ({ path: `${n}-${"long".repeat(40)}.md`, detail: "" }));
  const lists = { attention: rows, beside: rows, renamed: rows, madeWay: rows, oneWay: rows, stopped: rows };
  const report = boundReport({ safetyStop: null, ...lists } as never);
  expect(JSON.stringify(report).length).toBeLessThan(MAX_ANSWER / 2);
  expect(Object.keys(report)).toEqual(["safetyStop", ...Object.keys(lists)]);
});
