import type { State } from "../../src/mirror/ports/state.ts";

/**
 * Makes every call of the state a place to die; inside a transaction, the kill rolls it back.
 * @param onSafe called when the stored content survives a power cut, or the committed rows, too
 */
export function guardState<T extends State | State["spellings"]>(
  state: T,
  enter: () => void,
  onSafe: (what: "texts" | "all") => void,
): T {
  return new Proxy(state, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (name === "spellings") return guardState(member as State["spellings"], enter, onSafe);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        enter();
        const value = Reflect.apply(member, target, args) as unknown;
        if (name === "secureTexts") onSafe("texts");
        if (name === "transactSafely") onSafe("all");
        return value;
      };
    },
  });
}
