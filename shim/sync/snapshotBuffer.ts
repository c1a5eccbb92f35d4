import { constants, gunzipSync, gzipSync } from 'node:zlib'
import type { BatchLimits } from './outbox.ts'

/**
 * A snapshot while it is gathered. Every part holds the number of parts, which is known only once the last list has ended. Until then the parts wait
 * here compressed (100,000 reduced pods: about 6 MiB).
 */
export interface SnapshotBuffer {
  /** Begins the section of one kind. */
  section(): BufferSection
  /** Returns all parts, which are unpacked one at a time. There is at least one part, so that an empty cluster has a snapshot too. */
  finish(): BufferedParts
}

export interface BufferSection {
  add(change: string): void
  /** Forgets all added changes, because the list begins again. */
  restart(): void
}

export type BufferedParts = { readonly count: number; read(index: number): { readonly changes: string; readonly count: number } }

type Packed = { readonly bytes: Buffer; readonly count: number }

export function createSnapshotBuffer(limits: BatchLimits): SnapshotBuffer {
  const sections: { packed: Packed[]; tail: string[]; length: number }[] = []

  return {
    section() {
      const section: (typeof sections)[number] = { packed: [], tail: [], length: 0 }
      sections.push(section)
      return {
        add(change) {
          section.tail.push(change)
          section.length += change.length
          if (section.tail.length < limits.changes && section.length < limits.length) return
          section.packed.push(pack(section.tail))
          section.tail = []
          section.length = 0
        },
        restart() {
          Object.assign(section, { packed: [], tail: [], length: 0 })
        },
      }
    },
    finish() {
      const packed = sections.flatMap((section) => section.packed)
      const last: { tail: string[]; length: number } = { tail: [], length: 0 }
      for (const change of sections.flatMap((section) => section.tail)) {
        last.tail.push(change)
        last.length += change.length
        if (last.tail.length < limits.changes && last.length < limits.length) continue
        packed.push(pack(last.tail))
        Object.assign(last, { tail: [], length: 0 })
      }
      if (last.tail.length > 0 || packed.length === 0) packed.push(pack(last.tail))
      sections.length = 0
      return { count: packed.length, read: (index) => unpack(packed[index]) }
    },
  }
}

function pack(changes: readonly string[]): Packed {
  return { bytes: gzipSync(changes.join(','), { level: constants.Z_BEST_SPEED }), count: changes.length }
}

function unpack(part: Packed | undefined): { readonly changes: string; readonly count: number } {
  return part === undefined ? { changes: '', count: 0 } : { changes: gunzipSync(part.bytes).toString('utf8'), count: part.count }
}
