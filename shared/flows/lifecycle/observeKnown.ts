import { refusalsNow } from '../../engine/offering/classRefusals.ts'
import { overlaidTypes } from '../../engine/overlay/overlaidTypes.ts'
import type { ClaimObservation, ClaimStep } from '../../model/claimStep.ts'
import { findCondition } from '../../model/condition.ts'
import { LABEL } from '../../model/labels.ts'
import { isJoining, type Node } from '../../model/node.ts'
import { type NodeClaim, nodeNameOf } from '../../model/nodeClaim.ts'
import { isOurs } from '../../model/nodeClass.ts'
import { demotedSizes } from '../../model/sizeReport.ts'
import type { ClaimRequest, KnownForLaunch, KnownObjects } from '../../model/work.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { observeRest } from './observeClaim.ts'
import { isInitializing, type SeenClaims } from './seenClaims.ts'

/**
 * The observation for a step, made of the objects that are known and the claim as this process last saw it. Undefined if they are not enough.
 * `settled` if the claim is initialized. The observation may be old. So it is only used for a step that adds something, with guarded writes.
 * `takesAway` finds the other steps.
 */
export async function observeKnown(
  deps: ClusterDeps,
  { claim: name, known = {} }: ClaimRequest,
  seen: SeenClaims,
  signal: AbortSignalLike,
): Promise<ClaimObservation | 'settled' | undefined> {
  const claim = seen.get(name) ?? known.launch?.claim ?? (known.node && (await deps.api.getClaim(name, signal)))
  if (claim === undefined || !mayComeIn(claim)) return undefined
  seen.note(claim)
  if (!isInitializing(claim)) return known.isComing ? 'settled' : undefined
  return isLaunched(claim) ? toJoin(deps, claim, known, signal) : known.launch && toLaunch(deps, claim, known.launch, signal)
}

async function toJoin(
  deps: ClusterDeps,
  claim: NodeClaim,
  { isComing = false, node, otherNodes }: KnownObjects,
  signal: AbortSignalLike,
): Promise<ClaimObservation | undefined> {
  if (node === undefined) return isComing ? observeRest(deps, claim, signal, otherNodes) : undefined
  const isItsNode = nodeNameOf(claim, deps.settings.machineNames) === node.name
  // A patch replaces lists of a node as a whole, so it needs the version of the node.
  return isItsNode && isJoining(node) && node.meta.resourceVersion !== '' ? observed(deps, claim, { nodes: [node] }) : undefined
}

function mayComeIn({ meta, spec }: NodeClaim): boolean {
  return meta.deletedAt === undefined && isOurs(spec.nodeClassRef)
}

function isLaunched({ status }: NodeClaim): boolean {
  return findCondition(status.conditions, 'Launched')?.status === 'True'
}

async function toLaunch(deps: ClusterDeps, claim: NodeClaim, launch: KnownForLaunch, signal: AbortSignalLike): Promise<ClaimObservation> {
  const { nodeClass, nodeOverlays, nodePool } = launch
  const now = deps.clock.now()
  const [types, unavailable, reports] = await Promise.all([
    deps.catalog.instanceTypes(nodeClass, signal),
    deps.offerings.unavailable(now, signal),
    deps.offerings.reports(now, signal),
  ])
  const name = claim.meta.labels[LABEL.nodePool]
  const objects = { nodePool: nodePool === undefined ? [] : [nodePool], nodeOverlay: nodeOverlays }
  const instanceTypes =
    nodePool === undefined || name !== nodePool.name
      ? types
      : overlaidTypes({ objects, instanceTypes: new Map([[nodeClass.name, types]]) })(nodePool.name, nodeClass.name)
  return observed(deps, claim, {
    nodeClass,
    instanceTypes,
    unavailable: refusalsNow(unavailable, [nodeClass]),
    demoted: demotedSizes(reports, now),
  })
}

function observed(
  { clock, settings }: ClusterDeps,
  claim: NodeClaim,
  known: Partial<Pick<ClaimObservation, 'nodeClass' | 'instanceTypes' | 'unavailable' | 'demoted'>> & { readonly nodes?: readonly Node[] },
): ClaimObservation {
  const nothing = { nodeClass: undefined, nodes: [], pods: [], instance: 'unseen', instanceTypes: [], unavailable: [] } as const
  return { now: clock.now(), settings, claim, ...nothing, ...known }
}

/**
 * Reports whether a step removes something that cannot be restored, so that it needs a live observation. A bootstrap token does not count: it is of
 * no use once its machine has joined.
 */
export function takesAway({ actions }: ClaimStep): boolean {
  return actions.some(({ kind }) => TAKES_AWAY[kind])
}

const TAKES_AWAY: { readonly [Kind in ClaimStep['actions'][number]['kind']]: boolean } = {
  addFinalizer: false,
  launch: false,
  patchClaim: false,
  patchStatus: false,
  patchNode: false,
  deleteBootstrapToken: false,
  evictPod: true,
  deletePod: true,
  deleteNode: true,
  terminateInstance: true,
  removeNodeFinalizer: true,
  removeFinalizer: true,
  deleteClaim: true,
  // It blocks offerings that other claims could use.
  markUnavailable: true,
  reportSize: true,
  publish: false,
}
