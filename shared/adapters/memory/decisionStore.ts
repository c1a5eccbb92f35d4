import type { DecisionRecord, DecisionStore } from '../../ports/decisionStore.ts'
import type { Connection } from './connection.ts'
import { storedCopy } from './storedCopy.ts'

export type DecisionTruth = Map<number, DecisionRecord>

/** A decision store in memory. A decision that is saved twice with the same number is stored once. */
export function createMemoryDecisionStore(truth: DecisionTruth, connection: Connection): DecisionStore {
  return {
    save: (record, signal) =>
      connection.write('decisions.save', `decision/${record.number}`, signal, () => void truth.set(record.number, storedCopy(record))),
    latest: (limit, signal) =>
      connection.read('decisions.latest', 'decisions', signal, () =>
        [...truth.values()].sort((first, second) => second.number - first.number).slice(0, Math.max(0, limit)),
      ),
  }
}
