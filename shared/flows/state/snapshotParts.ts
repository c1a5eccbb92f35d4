import { type Change, compareVersions, type Version } from '../../model/change.ts'
import type { LogRecord } from '../../ports/clusterLog.ts'

type Part = Extract<LogRecord['body'], { readonly kind: 'snapshot' }>
type Parts = { readonly version: Version; readonly changes: Map<number, readonly Change[]>; readonly of: number }

/** The parts of snapshots that are not complete yet. Parts come in any order, and may come twice. */
export interface SnapshotParts {
  /** Adds a part. Returns the changes of all parts once the last part is there. */
  add(version: Version, part: Part): readonly Change[] | undefined
  /** Forgets the parts of snapshots up to this version. */
  dropUntil(version: Version): void
  isGathering(): boolean
}

export function createSnapshotParts(): SnapshotParts {
  const partial = new Map<string, Parts>()
  return {
    add(version, { part, parts: of, changes }) {
      const id = `${version.term}/${version.seq}`
      const parts = partial.get(id) ?? { version, changes: new Map(), of }
      partial.set(id, parts)
      parts.changes.set(part, changes)
      return parts.changes.size === parts.of ? [...parts.changes.values()].flat() : undefined
    },
    dropUntil(floor) {
      for (const [id, { version }] of partial) if (compareVersions(version, floor) <= 0) partial.delete(id)
    },
    isGathering: () => partial.size > 0,
  }
}
