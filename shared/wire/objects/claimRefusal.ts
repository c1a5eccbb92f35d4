import type { ClaimRefusal } from '../../model/claimRefusal.ts'
import type { NodePoolName } from '../../model/ids.ts'
import { as, type Codec, integer, record, text } from '../codec.ts'
import { instant, uidText } from './shared.ts'

export const claimRefusal: Codec<ClaimRefusal> = record<ClaimRefusal>({
  nodePool: as<NodePoolName>(text),
  uid: uidText,
  generation: integer,
  ask: text,
  message: text,
  times: integer,
  until: instant,
})
