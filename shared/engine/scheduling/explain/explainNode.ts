import { defined } from '../../../base/defined.ts'
import { err, ok, type Result } from '../../../base/result.ts'
import type { ClusterSnapshot } from '../../../model/clusterSnapshot.ts'
import type { NodeClaimName, ObjectKey } from '../../../model/ids.ts'
import { LABEL } from '../../../model/labels.ts'
import type { LaunchChoice } from '../../../model/launchPlan.ts'
import type { Labels } from '../../../model/meta.ts'
import type { NodeClaimSpec } from '../../../model/nodeClaim.ts'
import { type Problem, problem } from '../../../model/problem.ts'
import { intersectAll, type Requirements, requirementsFrom, requirementsFromLabels } from '../../../model/requirements.ts'
import { labelsOf, type StateNode, stateNodes } from '../../cluster/stateNode.ts'
import { admittedOfferings } from '../../offering/admission.ts'
import { byPreference, usableOfferings } from '../../offering/usableOfferings.ts'
import type { TypesOf } from '../../overlay/overlaidTypes.ts'
import { axesOf } from '../amounts.ts'
import { filledBins } from '../answer/filledBins.ts'
import type { Provisioning } from '../planProvisioning.ts'
import { createCluster } from '../state/cluster.ts'
import { loadPlanning } from '../state/planningState.ts'
import { cheaperOffers } from './cheaper.ts'
import type { ClaimExplanation, ClaimStage } from './explanation.ts'
import { newClaimOf } from './newClaimOf.ts'
import { whyNotForClaim } from './whyNotForClaim.ts'

/**
 * Why a machine is what it is: one that is there or on its way, or one that the decision made of this snapshot asks for. Takes the name of
 * the claim, or of its node. Fails for a name that is neither.
 */
export function explainNode(snapshot: ClusterSnapshot, name: string): Result<ClaimExplanation, Problem> {
  const { isReal, provisioning } = loadPlanning(snapshot.objects).plan(snapshot)
  for (const { bin, drafted } of provisioning === undefined ? [] : filledBins(provisioning, isReal)) {
    if (provisioning !== undefined && 'action' in drafted && drafted.action.draft.name === name) {
      return ok({ kind: 'new', claim: newClaimOf(drafted.action, bin, provisioning) })
    }
  }
  const machines = stateNodes(snapshot.objects)
  const claim = claimCalled(name, machines, snapshot)
  if (claim !== undefined) return ok(explainClaim(claim, snapshot, provisioning))
  const isNode = machines.some(({ node }) => node?.name === name)
  const message = isNode
    ? `node ${name} was not made by a nodeclaim, so nothing was decided about it`
    : `nodeclaim ${name} is not known; look at its name`
  return err(problem('CLAIM.NOT_FOUND', message, { object: `nodeclaim/${name}` }))
}

/** A claim that is there, in whichever form it is known. */
type Known = {
  readonly name: NodeClaimName
  readonly spec: NodeClaimSpec
  readonly labels: Labels
  readonly stage: ClaimStage
  readonly machine?: StateNode
}

function claimCalled(name: string, machines: readonly StateNode[], snapshot: ClusterSnapshot): Known | undefined {
  const machine = machines.find(({ node, claim }) => claim?.name === name || (claim !== undefined && node?.name === name))
  if (machine?.claim !== undefined) {
    const { claim } = machine
    return { name: claim.name, spec: claim.spec, labels: { ...claim.meta.labels, ...labelsOf(machine) }, stage: stageOf(machine), machine }
  }
  const draft = snapshot.drafts.find((each) => each.name === name)
  return draft === undefined ? undefined : { name: draft.name, spec: draft.spec, labels: draft.labels, stage: 'draft' }
}

function stageOf({ node, claim, isInitialized, isGoing }: StateNode): ClaimStage {
  if (isGoing) return 'going'
  if (node !== undefined) return isInitialized ? 'initialized' : 'registered'
  return claim?.status.providerId === undefined ? 'created' : 'launched'
}

function explainClaim(claim: Known, snapshot: ClusterSnapshot, provisioning: Provisioning | undefined): ClaimExplanation {
  const { machine, labels } = claim
  const cluster = createCluster(snapshot.objects)
  const settled = cluster.settle(snapshot)
  const { templates: all } = cluster.poolsOn(snapshot, settled, axesOf([], []))
  const choice = choiceOf(claim, snapshot, settled.typesOf)
  const pool = labels[LABEL.nodePool]
  const templates = all.filter((template) => template.pool.name === pool)
  const expected = (provisioning?.assigned().onTargets ?? []).filter(({ target }) => target.claim === claim.name).map(({ pod }) => pod.key)
  return defined({
    kind: 'there' as const,
    name: claim.name,
    node: machine?.node?.name,
    pool,
    stage: claim.stage,
    choice,
    running: (machine?.pods ?? []).map(({ key }): ObjectKey => key),
    expected,
    cheaper: choice === undefined ? [] : cheaperOffers(templates, choice.price, (offer) => whyNotForClaim(offer, claim.spec, snapshot)),
  })
}

/** Labels that say which offering a machine was bought as. */
const BOUGHT = [LABEL.instanceType, LABEL.zone, LABEL.capacityType]

function only(labels: Labels, keys: readonly string[]): Labels {
  return Object.fromEntries(keys.flatMap((key) => (labels[key] === undefined ? [] : [[key, labels[key]] as const])))
}

function asked(spec: NodeClaimSpec, labels: Labels): Requirements {
  return intersectAll(requirementsFrom(spec.requirements), requirementsFromLabels(labels))
}

/** What it was launched as; before that, what a launch would take now. */
function choiceOf({ spec, labels }: Known, { unavailable, takenAt }: ClusterSnapshot, typesOf: TypesOf): LaunchChoice | undefined {
  const isLaunched = labels[LABEL.instanceType] !== undefined
  const requirements = isLaunched ? requirementsFromLabels(only(labels, BOUGHT)) : asked(spec, labels)
  const offers = typesOf(labels[LABEL.nodePool], spec.nodeClassRef.name).flatMap((type) => {
    const usable = isLaunched ? type.offerings : usableOfferings(type, unavailable, takenAt)
    const admitted = admittedOfferings(requirements, type)
    return usable.filter((each) => admitted.includes(each)).map((offering) => ({ type, offering }))
  })
  const [best] = offers.sort((one, other) => byPreference(one.offering, other.offering))
  if (best === undefined) return undefined
  const { zone, capacityType, price } = best.offering
  return defined({ size: best.type.name, zone, capacityType, price })
}
