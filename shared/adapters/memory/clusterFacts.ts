import { defined } from '../../base/values.ts'
import type { ClusterFacts } from '../../model/clusterFacts.ts'
import type { Problem } from '../../model/problem.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ClusterFactsSource, KnownFacts } from '../../ports/clusterFactsSource.ts'
import type { Connection } from './connection.ts'

/** The facts that Azure returns about the cluster, or why it refuses. A test may replace both. */
export type FactsTruth = {
  said: ClusterFacts | undefined
  refusal: Problem | undefined
  stored: KnownFacts['read']
}

export function createMemoryClusterFacts(truth: FactsTruth, clock: Clock, connection: Connection): ClusterFactsSource {
  let problem: Problem | undefined
  const refresh: ClusterFactsSource['refresh'] = (signal) =>
    connection.write('facts.refresh', 'facts', signal, () => {
      problem = truth.refusal
      if (problem === undefined && truth.said !== undefined) truth.stored = { facts: truth.said, at: clock.now() }
      return defined({ read: truth.stored, problem })
    })
  return {
    refresh,
    async load(signal) {
      const read = await connection.read('facts.load', 'facts', signal, () => truth.stored)
      return read === undefined && truth.said !== undefined ? refresh(signal) : defined({ read, problem })
    },
  }
}
