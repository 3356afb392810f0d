/**
 * The header by which a service names its generation on each answer: an opaque mark that is the
 * same until the service is restored from a backup, and another one from then on. A deployment
 * without it never names one.
 * ASSUMES: the published contract leaves other headers open (contract test "names its generation
 * on each answer").
 */
export const GENERATION = "x-service-generation";

// LIMIT: a mark is kept in the state file, and compared, nothing more.
const MARK = /^[\x21-\x7e]{1,128}$/;

export function isGeneration(value: string | undefined): value is string {
  return value !== undefined && MARK.test(value);
}
