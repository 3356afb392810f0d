import type { WireRequest, WireResponse } from "../../../src/contract/wire.ts";
import type { WireResult } from "../../../src/ports/wire.ts";
import { type Answered, batchAnswer, isBatch, packedAnswer, requestsOf } from "../../remote/take-batch.ts";
import { type Dice, rollDice } from "../dice.ts";
import type { Actors } from "./actors.ts";
import type { Aim } from "./aim.ts";
import { type Befall, befall, cutShort, isOfOne } from "./request-faults.ts";
import type { SyncStep } from "./script.ts";
import type { Strikes } from "./strikes.ts";

/** One mirror's way to the service, with what befalls its requests there. */
export function exchanger(
  actors: Actors,
  step: SyncStep,
  heard: number[],
  aim: Aim,
  strikes: Strikes,
): (request: WireRequest) => Promise<WireResult> {
  const way = new Way(actors, step, heard, aim, strikes);
  return (request) => (isBatch(request) ? way.together(request) : way.alone(request));
}

/** What comes back, and what each request hears of it. */
type End = { readonly result: WireResult; readonly each: readonly WireResult[] };

class Way {
  readonly #actors: Actors;
  readonly #step: SyncStep;
  readonly #heard: number[];
  readonly #aim: Aim;
  readonly #strikes: Strikes;
  readonly #dice: Dice;

  constructor(actors: Actors, step: SyncStep, heard: number[], aim: Aim, strikes: Strikes) {
    this.#actors = actors;
    this.#step = step;
    this.#heard = heard;
    this.#aim = aim;
    this.#strikes = strikes;
    this.#dice = rollDice(step.seed);
  }

  async alone(request: WireRequest): Promise<WireResult> {
    this.#send(request);
    await this.#actors.lifeWorld.late.arrive();
    this.#aim.onRequest(request);
    const stormy = this.#storm(request);
    const { result } = await this.#exchange([request], this.#strikes.onRequest(request) ?? stormy, answered);
    this.#hear(request, result);
    return result;
  }

  /** What befalls the network befalls all; a refusal may be that of one among them. */
  async together(batch: WireRequest): Promise<WireResult> {
    const requests = requestsOf(batch);
    this.#actors.tally.batches++;
    for (const one of requests) this.#send(one);
    await this.#actors.lifeWorld.late.arrive();
    const own = new Map<WireRequest, WireResponse>();
    let whole: Befall | null = null;
    const all = [{ one: this.#dice.pick(requests), befallen: this.#storm(requests[0]!) }];
    for (const one of requests) {
      this.#aim.onRequest(one);
      all.push({ one, befallen: this.#strikes.onRequest(one) });
    }
    for (const { one, befallen } of all) {
      if (befallen?.kind === "answer" && isOfOne(befallen, this.#dice)) own.set(one, befallen.response);
      else whole = befallen ?? whole;
    }
    // Every second service has only the older form of an answer.
    const join = this.#step.seed % 2 === 0 ? packedAnswer : batchAnswer;
    const { result, each } = await this.#exchange(requests, whole, join, own);
    for (const [at, one] of requests.entries()) this.#hear(one, each[at]!);
    return result;
  }

  #send(request: WireRequest): void {
    this.#actors.judges[this.#step.mirror]!.sending(request);
    if (request.method === "PUT") this.#actors.history.sends(request.body ?? "");
  }

  #storm(request: WireRequest): Befall | null {
    const { storm } = this.#step;
    if (storm === null) return null;
    // Writes are few among the reads: they are befallen more often.
    const odds = request.method === "GET" ? storm : Math.ceil(storm / 5);
    return this.#dice.below(odds) === 0 ? befall(this.#dice, request) : null;
  }

  #hear(request: WireRequest, result: WireResult): void {
    const { history, judges } = this.#actors;
    judges[this.#step.mirror]!.heard(request, result);
    this.#heard.push(result.kind === "answer" ? result.response.status : 0);
    history.note(`${request.method} ${request.path} ${result.kind}`);
    history.decisions.update(`${request.method} ${request.path.replace(/cursor=[^&]*/, "")} ${request.body ?? ""}\n`);
  }

  /** @param own answers to some of them, which are not carried out */
  async #exchange(
    requests: readonly WireRequest[],
    whole: Befall | null,
    join: (responses: readonly WireResponse[]) => Answered,
    own: ReadonlyMap<WireRequest, WireResponse> = new Map(),
  ): Promise<End> {
    const { lifeWorld, tally } = this.#actors;
    const befalls = requests.length > 1 ? "batch-" : "";
    if (whole !== null) tally.fault(befalls + (whole.kind === "answer" ? whole.name : whole.kind));
    switch (whole?.kind) {
      case undefined: {
        const responses = await this.#serve(requests, own);
        return { result: join(responses), each: responses.map((response) => ({ kind: "answer", response })) };
      }
      case "not-sent":
        return toAll(requests, { kind: "not-sent", why: "connection refused" });
      case "lost-before":
        return toAll(requests, LOST);
      case "late":
        for (const one of requests) lifeWorld.late.delay(one, whole.wait);
        return toAll(requests, { kind: "lost", why: "deadline of 30 s" });
      case "lost-after":
        await this.#serve(requests, own);
        return toAll(requests, LOST);
      case "cut": {
        const result: WireResult = {
          kind: "answer",
          response: cutShort(join(await this.#serve(requests, own)).response),
        };
        return toAll(requests, result, requests.length > 1 ? LOST : result);
      }
      case "answer": {
        const result: WireResult = { kind: "answer", response: whole.response };
        return toAll(requests, result, requests.length > 1 && isAboutBatch(whole.response) ? NOT_DONE : result);
      }
    }
  }

  /** Those of a batch in any order. */
  async #serve(
    requests: readonly WireRequest[],
    own: ReadonlyMap<WireRequest, WireResponse>,
  ): Promise<readonly WireResponse[]> {
    const { lifeWorld, tally } = this.#actors;
    const responses: WireResponse[] = [];
    const left = [...requests.entries()];
    while (left.length > 0) {
      const [next] = left.splice(left.length > 1 ? this.#dice.below(left.length) : 0, 1);
      const [at, request] = next!;
      const instead = own.get(request);
      if (instead !== undefined) tally.fault(`one-of-batch-${instead.status}`);
      responses[at] = instead ?? (await lifeWorld.handle(request));
    }
    return responses;
  }
}

function toAll(requests: readonly WireRequest[], result: WireResult, each = result): End {
  return { result, each: requests.map(() => each) };
}

const LOST: WireResult = { kind: "lost", why: "connection reset" };
const NOT_DONE: WireResult = { kind: "not-sent", why: "nothing of the batch was done" };

function answered([response]: readonly WireResponse[]): Answered {
  return { kind: "answer", response: response! };
}

/** Whether a refusal says that the batch as such is not taken: each may go by itself then. */
function isAboutBatch({ status }: WireResponse): boolean {
  return status >= 400 && status < 500 && status !== 401 && status !== 429;
}
