import { createHmac } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import type { HookEnd } from "../../../src/app/hooks/hook.ts";
import type { Message } from "../../../src/app/hooks/message.ts";
import { postMessage } from "../../../src/app/hooks/post.ts";
import { serve } from "../../security/loopback.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const MESSAGE = { id: "msg_1", type: "offline", text: "ünlike ASCII", data: {} } as unknown as Message;

type Got = { readonly headers: IncomingMessage["headers"]; readonly url: string; readonly body: string };

/** A receiver that gives each answer in turn, the last for ever. */
async function receiver(...answers: readonly (number | readonly [number, Record<string, string>])[]) {
  const got: Got[] = [];
  const { port } = await serve(async (request: IncomingMessage, response: ServerResponse) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    got.push({ headers: request.headers, url: request.url!, body });
    const answer = answers[Math.min(got.length, answers.length) - 1]!;
    const [status, headers] = typeof answer === "number" ? [answer, {}] : answer;
    response.writeHead(status, headers).end("thanks");
  });
  return { got, url: `http://127.0.0.1:${port}/in?token=T0KEN` };
}

/** A clock on which no wait takes time, and what was waited for. */
function clockOf(slept: number[]) {
  const sleep = async (ms: number) => void slept.push(ms);
  return { now: () => Date.now(), monotonic: () => performance.now(), sleep };
}

async function post(url: string, slept: number[] = [], secret = SECRET): Promise<HookEnd> {
  return postMessage({ kind: "post", url, secret: { kind: "env", name: "S" } }, MESSAGE, {
    env: { S: secret },
    clock: clockOf(slept),
    timeoutMs: 10_000,
    backoff: [1_000, 10_000],
    stop: new AbortController().signal,
  });
}

describe("a hook's POST", () => {
  test("is signed as Standard Webhooks has it, and verified by its own package", async () => {
    const { got, url } = await receiver(204);
    expect(await post(url)).toMatchObject({ kind: "done" });
    const { headers, body, url: path } = got[0]!;
    expect(path).toBe("/in?token=T0KEN");
    expect(new Webhook(SECRET).verify(body, headers as Record<string, string>)).toEqual(MESSAGE);
    expect(() => new Webhook(SECRET).verify(`${body} `, headers as Record<string, string>)).toThrow();
    // The same by hand: the package both signs and verifies.
    const signed = `msg_1.${headers["webhook-timestamp"]}.${body}`;
    const hmac = createHmac("sha256", Buffer.alloc(32, 7)).update(signed).digest("base64");
    expect([headers["webhook-signature"], headers["content-type"]]).toEqual([`v1,${hmac}`, "application/json"]);
    expect(JSON.stringify(headers)).not.toMatch(/authorization|cookie|api-key/i);
  });

  test("is tried again by the same id, as its receiver asks, until it is taken", async () => {
    const { got, url } = await receiver(500, [429, { "retry-after": "60" }], 200);
    const slept: number[] = [];
    expect(await post(url, slept)).toMatchObject({ kind: "done" });
    expect([got.map(({ headers }) => headers["webhook-id"]), slept]).toEqual([
      ["msg_1", "msg_1", "msg_1"],
      [1_000, 60_000],
    ]);
  });

  test("is given up after so many attempts, and was not heard", async () => {
    const { got, url } = await receiver(503);
    expect(await post(url)).toMatchObject({ kind: "failed", why: "it was answered 503", code: 503, unheard: true });
    expect(got).toHaveLength(3);
  });

  test.each([
    [404, { reason: "status", code: 404, unheard: false, gone: false }],
    [410, { reason: "gone", code: 410, unheard: false, gone: true }],
  ])("that is answered %i is not tried again", async (status, end) => {
    const { got, url } = await receiver(status);
    expect(await post(url)).toMatchObject({ kind: "failed", ...end });
    expect(got).toHaveLength(1);
  });

  test("follows no redirect", async () => {
    const other = await receiver(200);
    const { url } = await receiver([307, { location: other.url }]);
    expect(await post(url)).toMatchObject({ kind: "failed", reason: "redirect", code: 307, unheard: false });
    expect(other.got).toEqual([]);
  });

  test("that nobody answers says so, without the address", async () => {
    const slept: number[] = [];
    const end = await post("http://127.0.0.1:9/T0KEN", slept);
    expect(end).toMatchObject({ kind: "failed", reason: "no-answer", unheard: true });
    expect([slept, JSON.stringify(end).includes("T0KEN")]).toEqual([[1_000, 10_000], false]);
  });

  test("without a good secret is not sent", async () => {
    const { got, url } = await receiver(200);
    expect(await post(url, [], "whsec_c2hvcnQ=")).toMatchObject({ kind: "failed", reason: "secret", unheard: false });
    expect(got).toEqual([]);
  });
});
