import type { State } from "../../src/mirror/ports/state.ts";

export type StateCalls = {
  /** Called before each call, with a name such as `state.load`. */
  readonly enter: (member: string) => void;
  /** Makes a call; by default directly. */
  readonly around?: <T>(name: string, call: () => T) => T;
  /** Called when the stored content survives a power cut, or the committed rows, too. */
  readonly onSafe: (what: "texts" | "all") => void;
};

/** Makes every call of the state a place to die; inside a transaction, the kill rolls it back. */
export function guardState<T extends State | State["spellings"]>(state: T, calls: StateCalls, prefix = "state."): T {
  const { enter, around = (_name, call) => call(), onSafe } = calls;
  return new Proxy(state, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (name === "spellings") return guardState(member as State["spellings"], calls, "state.spellings.");
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        enter(`${prefix}${String(name)}`);
        const value = around(String(name), () => Reflect.apply(member, target, args) as unknown);
        if (name === "secureTexts") onSafe("texts");
        if (name === "transactSafely") onSafe("all");
        return value;
      };
    },
  });
}
