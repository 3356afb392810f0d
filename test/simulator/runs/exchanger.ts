import type { WireRequest } from "../../../src/contract/wire.ts";
import type { WireResult } from "../../../src/common/wire.ts";
import { type Dice, rollDice } from "../dice.ts";
import type { Actors } from "./actors.ts";
import type { Aim } from "./aim.ts";
import { type Befall, befall, cutShort } from "./request-faults.ts";
import type { SyncStep } from "./script.ts";
import type { Incidents } from "./incidents.ts";

/** Returns one mirror's connection to the service, with faults of its requests. */
export function exchanger(
  actors: Actors,
  step: SyncStep,
  heard: number[],
  aim: Aim,
  incidents: Incidents,
): (request: WireRequest) => Promise<WireResult> {
  const way = new Way(actors, step, heard, aim, incidents);
  return (request) => way.send(request);
}

class Way {
  readonly #actors: Actors;
  readonly #step: SyncStep;
  readonly #heard: number[];
  readonly #aim: Aim;
  readonly #incidents: Incidents;
  readonly #dice: Dice;

  constructor(actors: Actors, step: SyncStep, heard: number[], aim: Aim, incidents: Incidents) {
    this.#actors = actors;
    this.#step = step;
    this.#heard = heard;
    this.#aim = aim;
    this.#incidents = incidents;
    this.#dice = rollDice(step.seed);
  }

  async send(request: WireRequest): Promise<WireResult> {
    const { oracles, history, simulatedWorld } = this.#actors;
    oracles[this.#step.mirror]!.sending(request);
    if (request.method === "PUT") history.sends(request.body ?? "");
    await simulatedWorld.late.arrive();
    this.#aim.onRequest(request);
    const stormy = this.#storm(request);
    const result = await this.#exchange(request, this.#incidents.onRequest(request) ?? stormy);
    this.#hear(request, result);
    return result;
  }

  #storm(request: WireRequest): Befall | null {
    const { storm } = this.#step;
    if (storm === null) return null;
    // There are few writes among the reads, so writes get faults more often.
    const odds = request.method === "GET" ? storm : Math.ceil(storm / 5);
    return this.#dice.below(odds) === 0 ? befall(this.#dice, request) : null;
  }

  #hear(request: WireRequest, result: WireResult): void {
    const { history, oracles } = this.#actors;
    oracles[this.#step.mirror]!.heard(request, result);
    this.#heard.push(result.kind === "answer" ? result.response.status : 0);
    history.note(`${request.method} ${request.path} ${result.kind}`);
    history.decisions.update(`${request.method} ${request.path.replace(/cursor=[^&]*/, "")} ${request.body ?? ""}\n`);
  }

  async #exchange(request: WireRequest, befallen: Befall | null): Promise<WireResult> {
    const { simulatedWorld, tally } = this.#actors;
    if (befallen !== null) tally.fault(befallen.kind === "answer" ? befallen.name : befallen.kind);
    switch (befallen?.kind) {
      case undefined:
        return { kind: "answer", response: await simulatedWorld.handle(request) };
      case "not-sent":
        return { kind: "not-sent", why: "connection refused" };
      case "lost-before":
        return LOST;
      case "late":
        simulatedWorld.late.delay(request, befallen.wait);
        return { kind: "lost", why: "deadline of 30 s" };
      case "lost-after":
        await simulatedWorld.handle(request);
        return LOST;
      case "cut":
        return { kind: "answer", response: cutShort(await simulatedWorld.handle(request)) };
      case "answer":
        return { kind: "answer", response: befallen.response };
    }
  }
}

const LOST: WireResult = { kind: "lost", why: "connection reset" };
