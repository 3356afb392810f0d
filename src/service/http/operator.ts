import type { FastifyRequest } from "fastify";
import { OPENAPI_PATH, openapiDocument } from "../../contract/api/openapi.ts";
import type { WireResponse } from "../../contract/wire.ts";
import type { ServerState } from "./server-state.ts";
import { headersOf } from "./head.ts";

/** Answers an operator's programs: `/healthz`, `/readyz`, `/metrics` and `/openapi.json`. */

type Text = { readonly status: number; readonly body: string; readonly type?: string; readonly retryAfter?: number };

/** Answers a GET of a path. */
type OperatorPage = { readonly path: string; readonly answer: (request: FastifyRequest) => Promise<WireResponse> };

export function operatorPages(state: ServerState): readonly OperatorPage[] {
  let openapi: string | null = null;
  const page = (path: string, textOf: (request: FastifyRequest) => Text | Promise<Text>): OperatorPage => ({
    path,
    answer: async (request) => toWire(await textOf(request)),
  });
  return [
    page("/healthz", () => ({ status: 200, body: "ok\n" })),
    page("/readyz", () => readiness(state)),
    page("/metrics", (request) => metrics(state, request)),
    page(OPENAPI_PATH, () => {
      openapi ??= JSON.stringify(openapiDocument());
      return { status: 200, body: openapi, type: "application/json" };
    }),
  ];
}

/** Answers a load balancer whether this process can serve requests now. */
async function readiness({ service, isClosing }: ServerState): Promise<Text> {
  if (isClosing) return notReady("closing");
  return ((await service.isReady?.()) ?? true) ? { status: 200, body: "ready\n" } : notReady("not ready");
}

function notReady(why: string): Text {
  return { status: 503, body: `${why}\n`, retryAfter: 5 };
}

async function metrics({ service, watch }: ServerState, request: FastifyRequest): Promise<Text> {
  if (!(await mayRead(request, service))) {
    return { status: 401, body: "to see this page from another machine, send the admin key\n" };
  }
  return { status: 200, body: await watch.metricsText(service), type: "text/plain; version=0.0.4" };
}

/**
 * Returns true if the client may read an operator's page. Local clients may, unless a proxy's
 * header names another client; others need the admin key.
 */
async function mayRead({ raw }: FastifyRequest, { admit }: ServerState["service"]): Promise<boolean> {
  const speaksForOther = ["forwarded", "x-forwarded-for", "x-real-ip", "via"].some((name) => name in raw.headers);
  const isLocal = /^(?:127\.|::1$|::ffff:127\.)/.test(raw.socket.remoteAddress ?? "");
  if (isLocal && !speaksForOther) return true;
  if (admit === undefined) return false;
  return (await admit({ method: "GET", path: "/admin/settings", headers: headersOf(raw) })) === null;
}

function toWire({ status, body, type = "text/plain", retryAfter }: Text): WireResponse {
  const later = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
  return { status, headers: { "content-type": `${type}; charset=utf-8`, ...later }, body };
}
