import { MAX_BODY_BYTES } from "./body.ts";

/** LIMIT: requests that were taken and are not answered, and the bytes of their bodies. */
const MAX_UNDER_WAY = 256;
const MAX_BYTES = 64 * MAX_BODY_BYTES;
/**
 * LIMIT: milliseconds of one turn of the event loop, from which on work is refused. Requests are
 * answered one after the other, so what has come meanwhile has waited as long.
 */
const LONGEST_TURN_MS = 500;
/**
 * With fewer requests in the turn, refusing one helps nobody: the turn is then long by one costly
 * answer, or by a starved machine.
 */
const FEW_IN_A_TURN = 8;

/**
 * Who may come in: so many requests, with so many bytes of bodies, are under way at a time, and no
 * more than can be answered soon.
 */
export type Admission = {
  /**
   * @param bytes of the body that is to be read
   * @param isAdmin an operator is let in also when the service has too much to do: to change that
   * @returns what ends the request; null when it must not begin
   */
  begin(bytes: number, isAdmin: boolean): (() => void) | null;
};

/** Time, and the end of the turn of the event loop, as they are; tests give others. */
export type Turns = { now(): number; atEnd(callback: () => void): void };
const EVENT_LOOP: Turns = { now: () => performance.now(), atEnd: (callback) => void setImmediate(callback) };

export function admission({ now, atEnd }: Turns = EVENT_LOOP): Admission {
  let underWay = 0;
  let held = 0;
  let turn: { readonly startedAt: number; requests: number } | null = null;
  const isLate = (): boolean => {
    if (turn === null) {
      turn = { startedAt: now(), requests: 0 };
      atEnd(() => {
        turn = null;
      });
    }
    turn.requests++;
    return turn.requests > FEW_IN_A_TURN && now() - turn.startedAt > LONGEST_TURN_MS;
  };
  return {
    begin(bytes, isAdmin) {
      const isFull = underWay >= MAX_UNDER_WAY || held + bytes > MAX_BYTES;
      if ((isLate() || isFull) && !isAdmin) return null;
      underWay++;
      held += bytes;
      return () => {
        underWay--;
        held -= bytes;
      };
    },
  };
}
