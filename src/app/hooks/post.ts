import type { Clock } from "../../ports/world.ts";
import type { Wire, WireResult } from "../../ports/wire.ts";
import { retryAfterMs } from "../../remote/retry-after.ts";
import { aborted } from "../aborted.ts";
import { openHookWire } from "../trust/connect.ts";
import type { Env, HookEnd, Post } from "./hook.ts";
import type { Message } from "./message.ts";
import { readSecret } from "./secret.ts";

/**
 * Posts a message as Standard Webhooks has it: `webhook-id`, the same for each attempt,
 * `webhook-timestamp` and `webhook-signature`. 2xx is the end; 410 says that nothing more is
 * wanted; a redirect is followed nowhere.
 */

/** Waits between attempts, in milliseconds. */
export type Backoff = readonly number[];

/** LIMIT: what a receiver may ask to wait, in milliseconds. */
const MOST_WAIT_MS = 300_000;
/** LIMIT: bytes of an answer, of which nothing is used. */
const MOST_ANSWER = 1024 * 1024;
const TRY_AGAIN: ReadonlySet<number> = new Set([408, 409, 425, 429]);

const STOPPED = { kind: "lost", why: "mdmirror ends" } as const;

type Posting = {
  readonly env: Env;
  readonly clock: Clock;
  /** Of one attempt. */
  readonly timeoutMs: number;
  readonly backoff: Backoff;
  readonly stop: AbortSignal;
};

export async function postMessage(post: Post, message: Message, posting: Posting): Promise<HookEnd> {
  const began = performance.now();
  const { origin } = new URL(post.url);
  const wire = openHookWire(origin);
  try {
    const end = await attempt(post, message, wire, posting);
    return { ...end, ms: Math.round(performance.now() - began) };
  } finally {
    // Not waited for: where this process ends, an exchange under way ends with its own deadline.
    void wire.close();
  }
}

async function attempt(post: Post, message: Message, wire: Wire, posting: Posting): Promise<HookEnd> {
  const { clock, backoff, stop } = posting;
  for (let tries = 0; ; tries++) {
    const secret = readSecret(post.secret, posting.env);
    if (secret.kind === "trouble") return failed(`${secret.trouble.what}; ${secret.trouble.next}`, "secret", null);
    const result = await sendOnce(post, message, secret.value, wire, posting);
    const end = judge(result);
    const wait = backoff[tries];
    if (end.kind === "done" || !end.unheard || wait === undefined || stop.aborted) return end;
    await clock.sleep(Math.max(wait, askedWait(result, clock.now())), stop);
    if (stop.aborted) return end;
  }
}

async function sendOnce(
  { url }: Post,
  message: Message,
  secret: string,
  wire: Wire,
  { clock, timeoutMs, stop }: Posting,
): Promise<WireResult> {
  // Loaded here, because most hooks are commands.
  const { Webhook } = await import("standardwebhooks");
  const body = JSON.stringify(message);
  const at = new Date(clock.now());
  const { pathname, search } = new URL(url);
  const headers = {
    "content-type": "application/json",
    "user-agent": "mdmirror",
    "webhook-id": message.id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
    "webhook-signature": new Webhook(secret).sign(message.id, at, body),
  };
  const request = { method: "POST", path: `${pathname}${search}`, headers, body };
  const sent = wire.send(request, { deadlineMs: timeoutMs, maxBytes: MOST_ANSWER });
  return Promise.race([sent, aborted(stop).then((): WireResult => STOPPED)]);
}

function judge(result: WireResult): HookEnd {
  if (result.kind !== "answer") return failed(`no answer: ${result.why}`, "no-answer", null, { unheard: true });
  const { status } = result.response;
  if (status >= 200 && status < 300) return { kind: "done", ms: 0 };
  if (status === 410)
    return failed("its receiver answered 410: it wants nothing more, until the hook is changed", "gone", status, {
      gone: true,
    });
  if (status >= 300 && status < 400)
    return failed(`it was redirected (${status}), which is not followed`, "redirect", status);
  return failed(`it was answered ${status}`, "status", status, { unheard: status >= 500 || TRY_AGAIN.has(status) });
}

function failed(
  why: string,
  reason: string,
  code: number | null,
  { unheard = false, gone = false }: { readonly unheard?: boolean; readonly gone?: boolean } = {},
): HookEnd {
  return { kind: "failed", ms: 0, why, reason, code, output: "", unheard, gone };
}

/** What its receiver asks to wait, in milliseconds. */
function askedWait(result: WireResult, now: number): number {
  if (result.kind !== "answer") return 0;
  const { "retry-after": header, date } = result.response.headers;
  return Math.min(MOST_WAIT_MS, retryAfterMs(header, date, now) ?? 0);
}
