import type { ScopePermissions } from '../../model/installFacts.ts'

/** Reports whether the permissions of a caller, as ARM reports them, hold an action. */
export function isGranted(action: string, granted: ScopePermissions['granted']): boolean {
  return granted.some(({ actions, notActions }) => has(actions, action) && !has(notActions, action))
}

/** Reports whether a pattern admits the action. A `*` stands for any text. Case does not matter in Azure. */
function has(patterns: readonly string[], action: string): boolean {
  return patterns.some((pattern) => {
    const [first = '', ...rest] = pattern.toLowerCase().split('*')
    const text = action.toLowerCase()
    if (rest.length === 0) return text === first
    const last = rest.at(-1) ?? ''
    if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false
    let from = first.length
    return rest.slice(0, -1).every((part) => {
      const at = text.indexOf(part, from)
      from = at + part.length
      return at >= 0 && from <= text.length - last.length
    })
  })
}
