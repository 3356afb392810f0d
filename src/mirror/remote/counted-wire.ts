import type { WireRequest } from "../../contract/wire.ts";
import type { Wire, WireResult } from "../../common/wire.ts";

/** The same wire, whose exchanges are counted by method as they begin. Streams count for none. */
export class CountedWire implements Wire {
  readonly stream?: NonNullable<Wire["stream"]>;
  readonly #wire: Wire;
  readonly #counts: Record<string, number> = {};

  constructor(wire: Wire) {
    this.#wire = wire;
    if (wire.stream !== undefined) this.stream = wire.stream.bind(wire);
  }

  send(request: WireRequest, bounds: Parameters<Wire["send"]>[1]): Promise<WireResult> {
    this.#counts[request.method] = (this.#counts[request.method] ?? 0) + 1;
    return this.#wire.send(request, bounds);
  }

  close(): Promise<void> {
    return this.#wire.close();
  }

  /** Since it was made. */
  counts(): Readonly<Record<string, number>> {
    return { ...this.#counts };
  }
}
