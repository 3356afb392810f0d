/**
 * Returns true if content has the markers of an unfinished merge, in their order, and its base does
 * not.
 */
export function hasNewMarkers(text: string, base: string | null): boolean {
  return holdsMarkers(text) && (base === null || !holdsMarkers(base));
}

function holdsMarkers(text: string): boolean {
  // The cheap test first: nearly no content has one.
  if (!text.includes("<<<<<<< ")) return false;
  const wanted = [/^<<<<<<< /, /^=======\r?$/, /^>>>>>>> /];
  let found = 0;
  for (const line of text.split("\n")) if (found < wanted.length && wanted[found]!.test(line)) found++;
  return found === wanted.length;
}
