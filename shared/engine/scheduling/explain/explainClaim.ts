/** Why the machine of a claim is what it is, or what a claim without a machine would become. */
import { byKey } from '../../../base/lists.ts'
import { defined } from '../../../base/values.ts'
import type { ClusterSnapshot, DecisionContext } from '../../../model/clusterSnapshot.ts'
import { DISRUPTION_REASON, findCondition } from '../../../model/condition.ts'
import type { NodeClaimName, ObjectKey } from '../../../model/ids.ts'
import { choiceOf, type LaunchChoice } from '../../../model/instance.ts'
import { ANNOTATION, LABEL, type Labels } from '../../../model/labels.ts'
import type { NodeClaimSpec } from '../../../model/nodeClaim.ts'
import type { Pod } from '../../../model/pod.ts'
import { overlapConflicts } from '../../../model/requirementConflict.ts'
import { intersectAll, type Requirements, requirementsFrom, requirementsFromLabels } from '../../../model/requirements.ts'
import type { Resources } from '../../../model/resources.ts'
import type { Fleet } from '../../cluster/fleet.ts'
import { labelsOf, type StateNode } from '../../cluster/stateNode.ts'
import { refusalsForClass } from '../../offering/sizeReports.ts'
import {
  admittedOfferings,
  asSold,
  byPreference,
  labelsOfMachine,
  usableOfferings,
  weighedOffering,
} from '../../offering/usableOfferings.ts'
import type { TypesOf } from '../../overlay/overlaidTypes.ts'
import type { Provisioning } from '../choice/planProvisioning.ts'
import { usageOf, usageOfDraft } from '../model/catalog/limits.ts'
import type { Cluster } from '../model/cluster/cluster.ts'
import type { Planned } from '../planningState.ts'
import { cheaperOffers, type PoolOffering } from './cheaper.ts'
import type { ClaimStage, NotTaken, StandingClaim } from './explanation.ts'
import { drainOf, type StandingLoad, standingLoad } from './standingLoad.ts'
import { asksFor, demotedVerdict, notForSale, refusedByPool, refusedByRoom } from './whyNotForBin.ts'
import { leftWithout, replacementLimit, whyNotNow } from './whyNotNow.ts'

/** A claim in the cluster, or the draft of a claim that was decided and is not in the cluster yet. */
type Known = {
  readonly name: NodeClaimName
  readonly spec: NodeClaimSpec
  readonly labels: Labels
  readonly annotations: Labels
  readonly stage: ClaimStage
  readonly machine?: StateNode
}

/** The claim with this name, or the claim of the node with this name. Undefined if there is none, or if no claim made the node. */
export function claimCalled(name: string, fleet: Fleet, { drafts }: ClusterSnapshot): Known | undefined {
  const called = [...fleet.all()].filter(({ node, claim }) => claim !== undefined && (claim.name === name || node?.name === name))
  const [machine] = called.sort(byKey((each) => each.name))
  if (machine?.claim !== undefined) {
    const { name: claim, spec, meta } = machine.claim
    const labels = { ...meta.labels, ...labelsOf(machine) }
    return { name: claim, spec, labels, annotations: meta.annotations, stage: stageOf(machine), machine }
  }
  const draft = drafts.find((each) => each.name === name)
  return draft === undefined
    ? undefined
    : { name: draft.name, spec: draft.spec, labels: draft.labels, annotations: draft.annotations, stage: 'draft' }
}

function stageOf({ node, claim, isInitialized, isDeleting }: StateNode): ClaimStage {
  if (isDeleting) return 'deleting'
  if (node !== undefined) return isInitialized ? 'initialized' : 'registered'
  return claim?.status.providerId === undefined ? 'created' : 'launched'
}

/** Why the claim is what it is. Once its node is ready, cheaper offerings are measured by the pods of the node; before that, by the claim. */
export function explainClaim(claim: Known, snapshot: ClusterSnapshot, { cluster, provisioning }: Planned): StandingClaim {
  const { machine, labels, spec, stage } = claim
  const settled = cluster.settle(snapshot)
  const expected = expectedOn(claim.name, provisioning)
  const running = [...(machine?.pods ?? [])].sort(byKey(({ key }) => key))
  const isUp = stage === 'initialized' || (stage === 'deleting' && machine?.node !== undefined)
  const pods = [...running, ...expected]
  const load = standingLoad({ pods, spec: isUp ? undefined : spec, daemons: settled.daemons, objects: snapshot.objects })
  const pool = labels[LABEL.nodePool]
  const templates = cluster.poolsOn(snapshot, settled, load.axes).templates.filter((template) => template.pool.name === pool)
  const choice = choiceFor(claim, snapshot, settled.typesOf)
  const left = leftWithoutClaim(claim, cluster, snapshot, settled.typesOf)
  const now = whyNotNow(load, { zone: labels[LABEL.zone], left }, snapshot)
  return defined({
    kind: 'there' as const,
    name: claim.name,
    node: machine?.node?.name,
    pool,
    stage,
    removedBecause: removedBecause(claim),
    decision: claim.annotations[ANNOTATION.decision],
    choice,
    sizes: spec.requirements.find(({ key, operator }) => key === LABEL.instanceType && operator === 'In')?.values.length,
    running: running.map(({ key }): ObjectKey => key),
    drain: machine === undefined ? undefined : drainOf(machine, snapshot),
    expected: expected.map(({ key }) => key),
    cheaper:
      choice === undefined
        ? []
        : cheaperOffers(templates, choice.price, (offer) => (isUp ? now(offer) : whyNotForClaim(offer, spec, { load, left }, snapshot))),
  })
}

function removedBecause({ machine, stage }: Known): string | undefined {
  const said = findCondition(machine?.claim?.status.conditions ?? [], DISRUPTION_REASON)
  if (stage !== 'deleting' || said?.status !== 'True') return undefined
  return said.message === '' ? said.reason : `${said.reason}: ${said.message}`
}

/** What the limits of the claim's NodePool leave without the machine of the claim. */
function leftWithoutClaim({ name, labels, machine }: Known, { machines }: Cluster, { objects, drafts }: ClusterSnapshot, typesOf: TypesOf) {
  const pool = objects.nodePool.find((each) => each.name === labels[LABEL.nodePool])
  if (pool === undefined) return undefined
  const draft = drafts.find((each) => each.name === name)
  const ofDraft = draft === undefined ? undefined : usageOfDraft(draft, typesOf)
  return leftWithout(pool, machines.usage.of(pool.name), machine === undefined ? ofDraft : usageOf(machine, typesOf))
}

function expectedOn(name: NodeClaimName, provisioning: Provisioning | undefined): readonly Pod[] {
  const placed = provisioning?.assigned().onExistingNodes ?? []
  return placed.filter(({ existingNode }) => existingNode.claim === name).map(({ pod }) => pod)
}

/** The labels that name the offering of a machine. */
const BOUGHT = [LABEL.instanceType, LABEL.zone, LABEL.capacityType]

function only(labels: Labels, keys: readonly string[]): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => keys.includes(key)))
}

function asked(spec: NodeClaimSpec, labels: Labels): Requirements {
  return intersectAll(requirementsFrom(spec.requirements), requirementsFromLabels(labels))
}

/** What the claim was launched as. Before its launch: what a launch would take now. Undefined if no offering is known or for sale. */
function choiceFor(
  { spec, labels }: Known,
  { unavailable, demoted = [], takenAt }: ClusterSnapshot,
  typesOf: TypesOf,
): LaunchChoice | undefined {
  const isLaunched = labels[LABEL.instanceType] !== undefined
  const requirements = isLaunched ? requirementsFromLabels(only(labels, BOUGHT)) : asked(spec, labels)
  const refusals = refusalsForClass(unavailable, spec.nodeClassRef.name)
  const offers = typesOf(labels[LABEL.nodePool], spec.nodeClassRef.name).flatMap((type) => {
    const usable = isLaunched ? type.offerings : usableOfferings(type, refusals, takenAt)
    const admitted = admittedOfferings(requirements, type)
    return usable
      .filter((each) => admitted.includes(each))
      .map((offering) => ({ type, offering: weighedOffering(type, offering, demoted) }))
  })
  const [best] = offers.sort((one, other) => byPreference(one.offering, other.offering))
  return best && choiceOf(best.type.name, asSold(best.offering))
}

/**
 * The first reason why the offering does not become the machine of a claim whose node is not up yet. The claim counts, not its pods. `left`: what the
 * limits of the NodePool leave without this claim.
 */
function whyNotForClaim(
  offer: PoolOffering,
  { requirements }: NodeClaimSpec,
  { load, left }: { readonly load: StandingLoad; readonly left: Resources | undefined },
  context: Pick<DecisionContext, 'unavailable' | 'demoted' | 'takenAt'>,
): NotTaken {
  const { template, type, offering } = offer
  const machine = labelsOfMachine(type, offering)
  const missing = overlapConflicts(machine, requirementsFrom(requirements)).map(({ incoming }) => incoming)
  return (
    refusedByPool(offer, machine) ??
    refusedByRoom(offer, load.on(template), load.axes) ??
    notForSale(offer, context) ??
    (missing.length > 0 ? asksFor('claim', missing) : undefined) ??
    replacementLimit(offer, left) ??
    demotedVerdict(offer, context) ?? { kind: 'now', by: 'claim' }
  )
}
