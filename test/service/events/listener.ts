import type { AnswerStream } from "../../../src/service/http/stream.ts";
import type { Service } from "../../../src/service/service.ts";

type Heard = { readonly type: string; readonly data: Readonly<Record<string, unknown>> };

/** A listener to a service's events, without HTTP. */
export class Listener {
  text = "";
  status = 0;
  isEnded = false;
  readonly #service: Service;
  #leave: () => void = () => undefined;
  #read = 0;

  readonly #settled: () => Promise<void>;

  private constructor(service: Service, settled: () => Promise<void>) {
    this.#service = service;
    this.#settled = settled;
  }

  /** @param settled resolves when all earlier writes were sent as events */
  static async join(
    service: Service,
    key: string,
    lastId: string | null = null,
    settled = () => service.streams.settled(),
  ): Promise<Listener> {
    const made = new Listener(service, settled);
    await made.#join(key, lastId);
    return made;
  }

  async #join(key: string, lastId: string | null): Promise<void> {
    const headers = { "x-api-key": key, ...(lastId === null ? {} : { "last-event-id": lastId }) };
    const answer = await this.#service.streams.open({ method: "GET", path: "/v1/events", headers, body: null });
    this.status = answer.status;
    if (!("stream" in answer)) {
      this.text = answer.body;
      return;
    }
    const sink: AnswerStream = {
      send: (part) => {
        this.text += part;
      },
      end: () => {
        this.isEnded = true;
      },
    };
    this.#leave = answer.stream(sink);
    await this.#settled();
  }

  /** Returns the events since the last call. */
  async heard(): Promise<Heard[]> {
    await this.#settled();
    const fresh = this.text.slice(this.#read);
    this.#read = this.text.length;
    return fresh.split("\n\n").flatMap((block) => {
      const type = /^event: (.*)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1];
      return type === undefined || data === undefined ? [] : [{ type, data: JSON.parse(data) as Heard["data"] }];
    });
  }

  /** Returns the events since the last call as lines, such as `file edited /a.md`. */
  async lines(): Promise<string[]> {
    return (await this.heard()).map(({ type, data }) =>
      [type, data["change"], data["path"]].filter((part) => part !== undefined).join(" "),
    );
  }

  lastId(): string | null {
    return Array.from(this.text.matchAll(/^id: (.*)$/gm), ([, id]) => id!).at(-1) ?? null;
  }

  leave(): void {
    this.#leave();
  }
}
