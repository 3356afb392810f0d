import { monitorEventLoopDelay } from "node:perf_hooks";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { FILES, FOLDERS, SEARCH_HYBRID_PATH, SEARCH_REGEX_PATH, VALIDATE_KEY } from "../contract/routes.ts";
import { type Metric, metricsText, type Sample } from "../model/metrics-text.ts";
import { wireHeaders } from "./http-headers.ts";
import type { RequestHead } from "./dispatch.ts";
import { splitTarget } from "./router.ts";

/**
 * `/healthz` and `/metrics`, beside what the service answers. Figures alone: no text, no key, no
 * path of a document, no name of a workspace.
 */

type Watched = {
  /** null: the head bears the admin key. */
  readonly admit?: (head: RequestHead) => unknown;
  readonly figures?: () => { readonly documents: number; readonly indexing: number };
};

/** LIMIT: seconds; most answers take some milliseconds, and one that takes 10 s is a fault. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
const NANOSECONDS = 1e9;

type Timed = { count: number; seconds: number; readonly within: number[] };

class Requests {
  readonly startedAt = performance.now();
  /** By route and code. */
  readonly answered = new Map<string, { readonly route: string; readonly code: number; count: number }>();
  readonly timed: Timed = { count: 0, seconds: 0, within: BUCKETS.map(() => 0) };
  underWay = 0;

  note(route: string, code: number, seconds: number): void {
    const key = `${route} ${code}`;
    const known = this.answered.get(key) ?? { route, code, count: 0 };
    known.count++;
    this.answered.set(key, known);
    this.timed.count++;
    this.timed.seconds += seconds;
    for (const [at, most] of BUCKETS.entries()) if (seconds <= most) this.timed.within[at]!++;
  }
}

/** Before all other hooks of the service, so that also what is refused early is counted. */
export function mountMetrics(app: FastifyInstance, watched: Watched): void {
  const requests = new Requests();
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  app.addHook("onClose", async () => void delay.disable());
  app.addHook("onRequest", async (request, reply) => {
    requests.underWay++;
    reply.raw.once("close", () => requests.underWay--);
    const { path } = splitTarget(request.originalUrl);
    if (request.method !== "GET" || (path !== "/healthz" && path !== "/metrics")) return;
    if (path === "/healthz") return void (await reply.code(200).type("text/plain; charset=utf-8").send("ok\n"));
    if (!mayRead(request, watched)) {
      await reply
        .code(401)
        .type("text/plain; charset=utf-8")
        .send("the admin key is asked for from beyond this machine\n");
      return;
    }
    const text = metricsText(serviceMetrics(requests, delay, watched));
    delay.reset();
    await reply.code(200).type("text/plain; version=0.0.4; charset=utf-8").send(text);
  });
  app.addHook("onResponse", async (request, reply) => {
    requests.note(routeOf(request), reply.statusCode, reply.elapsedTime / 1_000);
  });
}

/**
 * This machine, unless a proxy says that it speaks for another one; else who has the admin key.
 */
function mayRead(request: FastifyRequest, { admit }: Watched): boolean {
  const { headers, socket } = request.raw;
  const speaksForOther = ["forwarded", "x-forwarded-for", "x-real-ip", "via"].some((name) => name in headers);
  const isLocal = /^(?:127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? "");
  if (isLocal && !speaksForOther) return true;
  return admit?.({ method: "GET", path: "/admin/settings", headers: wireHeaders(headers) }) === null;
}

/** The kind of a path: what stands in it as an id or anything unknown is no label. */
function routeOf(request: FastifyRequest): string {
  const { path } = splitTarget(request.originalUrl);
  const known = [SEARCH_HYBRID_PATH, SEARCH_REGEX_PATH, VALIDATE_KEY, FILES, FOLDERS, "/healthz", "/metrics"];
  const same = known.find((one) => one === path);
  const route = same ?? generalRoute(path);
  return `${/^[A-Z]{1,7}$/.test(request.method) ? request.method : "OTHER"} ${route}`;
}

function generalRoute(path: string): string {
  if (path.startsWith("/admin")) return "/admin";
  if (path === "/app" || path.startsWith("/app/")) return "/app";
  const [, kind, rest = ""] = /^\/v1\/(files|folders)\/[^/]+(\/content)?$/.exec(path) ?? [];
  return kind === undefined ? "other" : `/v1/${kind}/{id}${rest}`;
}

function serviceMetrics(
  { answered, timed, underWay, startedAt }: Requests,
  delay: ReturnType<typeof monitorEventLoopDelay>,
  { figures }: Watched,
): Metric[] {
  const gauge = (name: string, help: string, value: number): Metric => ({
    name,
    help,
    type: "gauge",
    samples: [{ labels: {}, value }],
  });
  const held = figures?.();
  return [
    {
      name: "mdmirror_service_requests_total",
      help: "Requests that were answered, by route and code.",
      type: "counter",
      samples: [...answered.values()].map(({ route, code, count }) => ({
        labels: { route, code: String(code) },
        value: count,
      })),
    },
    {
      name: "mdmirror_service_request_duration_seconds",
      help: "From the headers of a request to the end of its answer.",
      type: "histogram",
      samples: bucketsOf(timed),
    },
    gauge("mdmirror_service_requests_under_way", "Requests that are not answered yet.", underWay),
    gauge(
      "mdmirror_service_event_loop_delay_seconds",
      "The longest delay of the event loop since it was last read.",
      Number.isFinite(delay.max) && delay.count > 0 ? delay.max / NANOSECONDS : 0,
    ),
    gauge("mdmirror_service_uptime_seconds", "Since the start.", (performance.now() - startedAt) / 1_000),
    ...(held === undefined
      ? []
      : [
          gauge("mdmirror_service_documents", "Documents of all workspaces.", held.documents),
          gauge("mdmirror_service_indexing_backlog", "Changes that search does not know yet.", held.indexing),
        ]),
  ];
}

function bucketsOf({ count, seconds, within }: Timed): Sample[] {
  const bucket = (le: string, value: number): Sample => ({ labels: { le }, value, end: "_bucket" });
  return [
    ...BUCKETS.map((most, at) => bucket(String(most), within[at]!)),
    bucket("+Inf", count),
    { labels: {}, value: seconds, end: "_sum" },
    { labels: {}, value: count, end: "_count" },
  ];
}
