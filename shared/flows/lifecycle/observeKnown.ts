import { createBoundedMap } from '../../base/caches.ts'
import { refusalsNow } from '../../engine/offering/sizeReports.ts'
import { overlaidTypes } from '../../engine/overlay/overlaidTypes.ts'
import type { ClaimObservation, ClaimStep } from '../../model/claimStep.ts'
import { findCondition, isTrue } from '../../model/condition.ts'
import type { NodeClaimName } from '../../model/ids.ts'
import { LABEL } from '../../model/labels.ts'
import { isJoining, type Node } from '../../model/node.ts'
import { type NodeClaim, nodeNameOf } from '../../model/nodeClaim.ts'
import { isOurs } from '../../model/nodeClass.ts'
import { isRebooting } from '../../model/reboot.ts'
import { demotedSizes } from '../../model/sizeReport.ts'
import type { EpochMs } from '../../model/units.ts'
import type { ClaimRequest, KnownForLaunch, KnownObjects } from '../../model/work.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { observeRest } from './observeClaim.ts'
import { createEvictionBackOff, type EvictionBackOff } from './removePods.ts'

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

/** The boot id of a node is only read live, so a reboot does not go by what is known. */
function mayComeIn(claim: NodeClaim): boolean {
  return claim.meta.deletedAt === undefined && isOurs(claim.spec.nodeClassRef) && !isRebooting(claim)
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
  restartMachine: true,
  removeNodeFinalizer: true,
  removeFinalizer: true,
  deleteClaim: true,
  // It blocks offerings that other claims could use.
  markUnavailable: true,
  reportSize: true,
  publish: false,
}

/** The outcome of the actions of a step. */
export type AppliedAll = {
  /** True if something was changed that a later run may act on. */
  readonly changed: boolean
  /** The observation with the objects as far as they were written. */
  readonly observation: ClaimObservation
  /** `raced`: another writer was faster, so look again. `wait`: to look again at once would only repeat what was done. */
  readonly ended: 'done' | 'raced' | 'wait'
  /** Only a write of the node was lost. */
  readonly isOfNode?: true
  /** Evictions of pods were refused. */
  readonly isHeld?: true
  /** These times replace the times of the step. */
  readonly wakeAt?: EpochMs
  readonly dueAt?: EpochMs
}

/** The observation that the next step may use without a live read. Undefined if it must read. */
export async function nextKnown(
  deps: ClusterDeps,
  applied: AppliedAll,
  step: ClaimStep,
  signal: AbortSignalLike,
): Promise<ClaimObservation | undefined> {
  return applied.isOfNode ? withNodeOfNow(deps, applied.observation, signal) : goesOn(deps, applied, step)
}

/**
 * The observation with what was just written. Undefined for a claim that is being deleted, which is read live before each step. Undefined also after
 * a launch, since the offerings that can be bought may have changed.
 */
function goesOn({ clock }: ClusterDeps, { ended, observation }: AppliedAll, step: ClaimStep): ClaimObservation | undefined {
  if (ended !== 'done' || observation.claim.meta.deletedAt !== undefined || takesAway(step)) return undefined
  return step.actions.some(({ kind }) => kind === 'launch') ? undefined : { ...observation, now: clock.now() }
}

/**
 * The observation with its node read again. A starting node has many writers, so its patch loses most races. For a claim that is not initialized it
 * is enough to read the node again. Undefined if the node is gone: then everything must be read.
 */
async function withNodeOfNow(
  deps: ClusterDeps,
  observation: ClaimObservation,
  signal: AbortSignalLike,
): Promise<ClaimObservation | undefined> {
  const [before, ...others] = observation.nodes
  if (before === undefined || others.length > 0 || !isInitializing(observation.claim)) return undefined
  const node = await deps.api.getNode(before.name, signal)
  return node?.meta.uid === before.meta.uid ? { ...observation, nodes: [node], now: deps.clock.now() } : undefined
}

/** Claims as this process last saw or wrote them. They may be old, so writes based on them are guarded by the version of the claim. */
export interface SeenClaims {
  get(name: NodeClaimName): NodeClaim | undefined
  note(claim: NodeClaim): void
  forget(name: NodeClaimName): void
  /** Notes that this process removed the last finalizer of the claim. */
  noteEnd(name: NodeClaimName, now: EpochMs): void
  /** Reports whether this process removed the last finalizer of the claim moments ago. Later, the name may belong to another claim. */
  hasEnded(name: NodeClaimName, now: EpochMs): boolean
  /** The node of a claim whose machine is ending, as this process last saw it. */
  nodeOf(name: NodeClaimName): Node | undefined
  noteNode(name: NodeClaimName, node: Node): void
  /** Refused evictions of pods on the nodes of these claims. */
  readonly evictions: EvictionBackOff
}

/** More claims than are launched at a time. Beyond this, the claim that was not seen for the longest time is forgotten. */
const MOST_SEEN = 1_000
/** The watch tells of the end of a claim and of its node within this time, in milliseconds. */
const ENDED_MS = 5_000

export function createSeenClaims(): SeenClaims {
  const claims = createBoundedMap<NodeClaimName, NodeClaim>(MOST_SEEN)
  const ended = createBoundedMap<NodeClaimName, EpochMs>(MOST_SEEN)
  const nodes = createBoundedMap<NodeClaimName, Node>(MOST_SEEN)
  return {
    get: claims.get,
    noteEnd: ended.set,
    hasEnded: (name, now) => now < (ended.get(name) ?? 0) + ENDED_MS,
    nodeOf: nodes.get,
    noteNode: nodes.set,
    note(claim) {
      ended.delete(claim.name)
      if (!isMachineEnding(claim)) nodes.delete(claim.name)
      if (claim.meta.deletedAt === undefined || isDraining(claim) || isMachineEnding(claim)) claims.set(claim.name, claim)
      else claims.delete(claim.name)
    },
    forget(name) {
      claims.delete(name)
      nodes.delete(name)
    },
    evictions: createEvictionBackOff(),
  }
}

/** Reports whether the claim is being deleted and Azure was asked to delete its machine. */
export function isMachineEnding({ meta, status }: NodeClaim): boolean {
  return meta.deletedAt !== undefined && meta.finalizers.length > 0 && isTrue(status.conditions, 'InstanceTerminating')
}

/** Reports whether the claim is being deleted and its node is drained now. */
export function isDraining({ meta, status }: NodeClaim): boolean {
  return meta.deletedAt !== undefined && findCondition(status.conditions, 'Drained')?.status === 'Unknown'
}

/** Reports whether the claim is neither initialized nor being deleted. */
export function isInitializing({ meta, status }: NodeClaim): boolean {
  return meta.deletedAt === undefined && findCondition(status.conditions, 'Initialized')?.status !== 'True'
}
