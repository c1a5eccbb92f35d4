/** The inputs that stay the same while one pass places its pods. */
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Algebra } from './algebra.ts'
import type { Quirks } from './oracleAnswer.ts'
import type { Reservations } from './reservations.ts'
import type { Topology } from './topology.ts'

export type Pass = {
  readonly snapshot: ClusterSnapshot
  readonly algebra: Algebra
  readonly quirks: Quirks
  readonly wellKnown: ReadonlySet<string>
  readonly topology: Topology
  readonly reservations: Reservations
}
