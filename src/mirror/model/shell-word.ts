import { hasControlCharacters } from "../../common/shown-words.ts";

/**
 * Quotes a path for a shell, for commands in messages. A path with control characters is written as
 * `$'…'`, so that these characters cannot control the terminal. bash, zsh and ksh understand this
 * form.
 */
export function quoteForShell(path: string): string {
  if (/^[\w./@%+=:,-]+$/.test(path)) return path;
  if (!hasControlCharacters(path)) return `'${path.replaceAll("'", "'\\''")}'`;
  return `$'${Array.from(path, escapeCharacter).join("")}'`;
}

const ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "'": "\\'", "\\": "\\\\" };

function escapeCharacter(character: string): string {
  const shortEscape = ESCAPES[character];
  if (shortEscape !== undefined || !hasControlCharacters(character)) return shortEscape ?? character;
  const code = character.charCodeAt(0);
  return code < 0x80 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
}
