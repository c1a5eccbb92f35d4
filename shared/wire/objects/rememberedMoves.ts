import type { BegunMove, MoveRest } from '../../model/disruptionCommand.ts'
import type { NodeClaimName, NodePoolName } from '../../model/ids.ts'
import { as, type Codec, list, record, text } from '../codec.ts'
import { duration, instant, uidText } from './shared.ts'

/** Codecs of moves that the calm settings remember. */

export const begunMove: Codec<BegunMove> = record<BegunMove>({ pools: list(as<NodePoolName>(text)), beganAt: instant })

const claimNames = list(as<NodeClaimName>(text))

export const moveRest: Codec<MoveRest> = record<MoveRest>({
  moved: claimNames,
  claims: claimNames,
  workloads: list(uidText),
  duration,
  until: instant,
})
