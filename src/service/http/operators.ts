import type { IncomingMessage } from "node:http";
import type { RequestHead } from "../requests/dispatch.ts";
import type { WholeAnswer } from "./write-answer.ts";
import type { Desk } from "./desk.ts";
import { headersOf } from "./head.ts";
import { splitTarget } from "../requests/router.ts";

/** What an operator's programs ask: `/healthz`, `/readyz` and `/metrics`. */

const PLAIN = "text/plain; charset=utf-8";

/** @returns null: the path is not theirs */
export function answerOperator(desk: Desk, { method, path: target }: RequestHead, request: IncomingMessage) {
  if (method !== "GET" || target.startsWith("/v1/")) return null;
  switch (splitTarget(target).path) {
    case "/healthz":
      return text(200, "ok\n");
    case "/readyz":
      return readiness(desk);
    case "/metrics":
      return metrics(desk, request);
    default:
      return null;
  }
}

/** For what stands before several processes: whether this one can serve now. */
async function readiness({ service, isClosing }: Desk): Promise<WholeAnswer> {
  if (isClosing) return notReady("closing");
  return ((await service.isReady?.()) ?? true) ? text(200, "ready\n") : notReady("not ready");
}

async function metrics({ service, watch }: Desk, request: IncomingMessage): Promise<WholeAnswer> {
  if (!(await mayRead(request, service))) return text(401, "the admin key is asked for from beyond this machine\n");
  return text(200, await watch.metricsText(service), "text/plain; version=0.0.4; charset=utf-8");
}

/**
 * This machine, unless a proxy says that it speaks for another one; else who has the admin key.
 */
async function mayRead(request: IncomingMessage, { admit }: Desk["service"]): Promise<boolean> {
  const { headers, socket } = request;
  const speaksForOther = ["forwarded", "x-forwarded-for", "x-real-ip", "via"].some((name) => name in headers);
  const isLocal = /^(?:127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? "");
  if (isLocal && !speaksForOther) return true;
  if (admit === undefined) return false;
  return (await admit({ method: "GET", path: "/admin/settings", headers: headersOf(request) })) === null;
}

function text(status: number, body: string, type = PLAIN): WholeAnswer {
  return { status, headers: { "content-type": type }, body };
}

function notReady(why: string): WholeAnswer {
  const { status, headers, body } = text(503, `${why}\n`);
  return { status, headers: { ...headers, "retry-after": "5" }, body };
}
