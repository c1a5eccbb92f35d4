const known = new Map<string, RegExp>()

/** A pattern as the API server reads it: flags may stand in front, as in `(?i)a`, where JavaScript has them behind. */
export function re2Pattern(pattern: string): RegExp {
  const found = known.get(pattern)
  if (found) return found
  const [whole = '', flags = ''] = /^\(\?([ims]+)\)/.exec(pattern) ?? []
  const made = new RegExp(pattern.slice(whole.length), `u${flags}`)
  known.set(pattern, made)
  return made
}
