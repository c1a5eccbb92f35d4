const known = new Map<string, RegExp>()

/** Returns a pattern as the API server reads it. RE2 may have flags in front, as in `(?i)a`, where JavaScript passes them separately. */
export function re2Pattern(pattern: string): RegExp {
  const found = known.get(pattern)
  if (found) return found
  const [whole = '', flags = ''] = /^\(\?([ims]+)\)/.exec(pattern) ?? []
  const made = new RegExp(pattern.slice(whole.length), `u${flags}`)
  known.set(pattern, made)
  return made
}
