import type { BackOff, CommandCandidate, DisruptionCommand, RepairCause } from '../../model/disruptionCommand.ts'
import type { NodeClaimName, NodeName, NodePoolName } from '../../model/ids.ts'
import { DISRUPTION_REASONS } from '../../model/nodePool.ts'
import type { MicroUsdPerHour } from '../../model/units.ts'
import { as, type Codec, constant, integer, list, oneOf, optional, record, text } from '../codec.ts'
import { duration, instant, podRef, uidText } from './shared.ts'

/** Codecs of disruption commands and back-offs in the ledger. */

const claimName = as<NodeClaimName>(text)
const poolName = as<NodePoolName>(text)
const price = as<MicroUsdPerHour>(integer)

const candidate: Codec<CommandCandidate> = record<CommandCandidate>({
  claim: claimName,
  uid: uidText,
  node: as<NodeName>(text),
  pool: poolName,
  price: optional(price),
  pods: list(podRef),
})

export const disruptionCommand: Codec<DisruptionCommand> = record<DisruptionCommand>({
  id: text,
  reason: oneOf(...DISRUPTION_REASONS),
  method: oneOf('delete', 'replace'),
  candidates: list(candidate),
  replacements: list(claimName),
  saving: optional(price),
  startedAt: instant,
  deadline: instant,
  markedAt: optional(instant),
  ready: optional(list(claimName)),
  repair: optional(record<RepairCause>({ condition: text, terminationGracePeriod: optional(duration) })),
})

export const backOff: Codec<BackOff> = record<BackOff>({
  claims: list(claimName),
  pools: list(poolName),
  failures: integer,
  failedAt: instant,
  until: instant,
  unread: optional(constant(true)),
  isOfRepair: optional(constant(true)),
})
