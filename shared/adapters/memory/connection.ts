import type { AbortSignalLike } from '../../ports/clock.ts'
import type { Process, WriteJournal } from './writeJournal.ts'

/** The connection of one process to the memory world. */
export type Connection = {
  readonly process: Process
  read<Value>(operation: string, object: string, signal: AbortSignalLike, effect: () => Value): Promise<Value>
  /** Runs an effect that is atomic: it happens as a whole or not at all. */
  write<Value>(operation: string, object: string, signal: AbortSignalLike, effect: () => Value): Promise<Value>
}

export function createConnection(process: Process, journal: WriteJournal): Connection {
  return {
    process,
    read: (operation, object, signal, effect) => journal.read(process, { operation, object, signal }, effect),
    write: (operation, object, signal, effect) => journal.write(process, { operation, object, signal }, effect),
  }
}

/** A signal for calls of ports that take none. */
export const NEVER_ABORTED: AbortSignalLike = {
  aborted: false,
  reason: undefined,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
}
