import { OBJECT_KINDS } from '../../model/clusterObjects.ts'
import type { Nomination } from '../../model/clusterSnapshot.ts'
import type { BufferShare, CreateClaim, Decision, DisruptionCursor, LeftOut, ProvisioningCursor } from '../../model/decision.ts'
import type { NodeClaimName, ObjectKey, VmSizeName, ZoneName } from '../../model/ids.ts'
import type { LaunchChoice } from '../../model/instance.ts'
import type { DecisionTiming, Intent } from '../../model/ledger.ts'
import type { DurationMs, MicroUsdPerHour } from '../../model/units.ts'
import { as, type Codec, constant, flag, integer, json, list, number, oneOf, optional, record, text } from '../codec.ts'
import { nodeClaimDraft } from './node.ts'
import { begunMove, extraNodes, moveRest } from './rememberedMoves.ts'
import { schedulerRefusal } from './schedulerRefusal.ts'
import { instant, podRef, resources, uidText } from './shared.ts'

/** Codecs of decisions and of the parts that the ledger stores. */

export const capacityType = oneOf('on-demand', 'spot', 'reserved')

const choice: Codec<LaunchChoice> = record<LaunchChoice>({
  size: as<VmSizeName>(text),
  zone: as<ZoneName>(text),
  capacityType,
  price: optional(as<MicroUsdPerHour>(integer)),
  diskPrice: optional(as<MicroUsdPerHour>(integer)),
})

const createClaim: Codec<CreateClaim> = record<CreateClaim>({
  kind: constant('createClaim'),
  draft: nodeClaimDraft,
  pods: list(podRef),
  buffers: optional(list(record<BufferShare>({ buffer: as<ObjectKey>(text), pods: integer, of: integer }))),
  choice,
  nextBest: optional(choice),
  alternatives: integer,
  command: optional(text),
})

export const intent: Codec<Intent> = record<Intent>({
  action: createClaim,
  decision: integer,
  decidedAt: instant,
  createdAt: optional(instant),
  look: optional(record<DecisionTiming>({ heardAt: instant, startedAt: instant, decideMs: as<DurationMs>(integer) })),
})

export const nomination: Codec<Nomination> = record<Nomination>({ pod: uidText, claim: as<NodeClaimName>(text), until: instant })

export const provisioningCursor: Codec<ProvisioningCursor> = record<ProvisioningCursor>({
  requests: resources,
  createdAt: instant,
  uid: uidText,
})

const leftOut: Codec<LeftOut> = record<LeftOut>({ kind: oneOf('instanceType', ...OBJECT_KINDS), name: text, failure: text })

/** Stored for people and written by this program only, so its actions and reasons are not checked. */
export const decision: Codec<Decision> = record<Decision>({
  actions: list(json) as Codec<Decision['actions']>,
  reasons: list(json) as Codec<Decision['reasons']>,
  wakeAt: optional(instant),
  turn: optional(record<DisruptionCursor>({ isDrifted: flag, rank: number, claim: as<NodeClaimName>(text) })),
  provisioningCursor: optional(provisioningCursor),
  schedulerRefusals: optional(list(schedulerRefusal)),
  leftOut: optional(list(leftOut)),
  begunMoves: optional(list(begunMove)),
  moveRests: optional(list(moveRest)),
  extraNodes: optional(list(extraNodes)),
})
