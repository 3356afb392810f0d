import process from "node:process";

/**
 * What SQLite and buffers take in a process of the tests lies in huge pages, where glibc can do so.
 * Such a process has a gigabyte of memory, and each process that it starts begins with a copy of
 * its page table, which is small then.
 */

const NAME = "GLIBC_TUNABLES";
const HUGE = "glibc.malloc.hugetlb=1";

/** Runs before the processes of the tests start: glibc reads it when a process does. */
export function setup(): void {
  process.env[NAME] ??= HUGE;
}

/** In a process of the tests: what it starts runs as it does for a user. */
export function startAsUsual(): void {
  if (process.env[NAME] === HUGE) delete process.env[NAME];
}
