import { Client } from "undici";
import type { Send, Sent } from "./recorder.ts";

/** Error codes of a connection that was not established, so that nothing was sent. */
const NEVER_MADE: ReadonlySet<string> = new Set(["ECONNREFUSED", "UND_ERR_CONNECT_TIMEOUT"]);
/** LIMIT: ms to wait for an answer. Without one it is unknown whether the request was executed. */
const ANSWER_MS = 15_000;

/** An open connection of one client to one process of the service. */
export class Connection {
  readonly #client: Client;
  readonly #keys: { readonly user: string; readonly admin: string };

  constructor(url: string, keys: { readonly user: string; readonly admin: string }) {
    this.#client = new Client(url, { headersTimeout: ANSWER_MS, bodyTimeout: ANSWER_MS, pipelining: 1 });
    this.#keys = keys;
  }

  readonly send: Send = async (method, path, body, by): Promise<Sent> => {
    const headers = { "x-api-key": this.#keys[by], ...(body === null ? {} : { "content-type": "application/json" }) };
    const text = body === null ? null : JSON.stringify(body);
    try {
      const reply = await this.#client.request({ method: method as "GET", path, headers, body: text });
      const answer = await reply.body.text();
      return { status: reply.statusCode, json: answer === "" ? null : JSON.parse(answer) };
    } catch (error) {
      return NEVER_MADE.has((error as { readonly code?: string }).code ?? "") ? "unsent" : "unknown";
    }
  };

  async close(): Promise<void> {
    await this.#client.destroy();
  }
}
