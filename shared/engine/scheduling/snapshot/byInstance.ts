import type { ProviderId } from '../../../model/ids.ts'

/** Names of the nodes or claims of each cloud instance. */
export interface ByInstance {
  /** Records that the name has another instance now, or none. */
  move(name: string, before: ProviderId | undefined, after: ProviderId | undefined): void
  of(instance: ProviderId | undefined): ReadonlySet<string>
}

export function createByInstance(): ByInstance {
  const names = new Map<ProviderId, Set<string>>()
  return {
    move(name, before, after) {
      if (before === after) return
      const old = before === undefined ? undefined : names.get(before)
      old?.delete(name)
      if (before !== undefined && old?.size === 0) names.delete(before)
      if (after === undefined) return
      const known = names.get(after)
      if (known === undefined) names.set(after, new Set([name]))
      else known.add(name)
    },
    of: (instance) => (instance === undefined ? NONE : (names.get(instance) ?? NONE)),
  }
}

const NONE: ReadonlySet<string> = new Set()
